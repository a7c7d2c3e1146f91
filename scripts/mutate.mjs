// `npm run mutate`: are the tests of the modules that guard other people's businesses worth anything? Plants one small fault after
// the other in a copy of the project and looks whether the tests notice. Ends with 1 when fewer than 85 % of a module's are.
//   npm run mutate -- --only app/adapters/outbound/ip-address.ts    one module (may be given more than once)
//   npm run mutate -- --changed                            modules that differ from the last commit, or whose tests do
//   npm run mutate -- --sample 20                          at most so many of each module, spread evenly
//   npm run mutate -- --tests 30                           at most so many test files for each, the nearest first (3)
import './node-version.mjs'
import './record-flag.mjs'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const { setUp, ROOT } = await import('./setup.mjs')

/** What guards, what says who may, and what holds keys. */
const MODULES = {
  guard: [
    'app/adapters/outbound/ip-address.ts',
    'app/adapters/outbound/safe-address.ts',
    'app/adapters/outbound/outbound-resolver.server.ts',
    'app/adapters/outbound/outbound-dial.server.ts',
    'app/adapters/outbound/outbound-connections.server.ts',
  ],
  rights: [
    'app/http/origin-check.ts',
    'app/http/guards.server.ts',
    'app/http/session.server.ts',
    'app/http/cookies.ts',
    'app/http/refusals.server.ts',
    'app/http/door.server.ts',
    'app/domain/session.ts',
    'app/features/accounts/session.server.ts',
    'app/features/accounts/signed-opening.ts',
    'app/features/accounts/signed-opening.server.ts',
    'app/domain/account-id.ts',
    'app/features/accounts/link.server.ts',
  ],
  tokens: [
    'app/lib/token.server.ts',
    'app/adapters/secret-box.ts',
    'app/adapters/secret-box.server.ts',
    'app/adapters/opened-keys.server.ts',
    'app/adapters/sealed-text.server.ts',
    'app/adapters/servicem8/servicem8-signed.server.ts',
    'app/adapters/standard-webhooks.server.ts',
    'app/features/accounts/sealed-tokens.server.ts',
    'app/features/ops/rotate-keys.server.ts',
  ],
}
const ENOUGH = 85
/** What the tests need of the project. Everything else stays where it is. */
const COPIED = [
  'app',
  'db',
  'packages',
  'tests',
  'scripts',
  'package.json',
  'tsconfig.json',
  'vitest.config.ts',
  '.env.example',
]
/** Longer than this, whatever the tests took without a fault, is an endless loop. */
const LEAST_PATIENCE_MS = 20_000
/** Copies of a module that are tried in one run, and test files that are copied along for each. */
const AT_ONCE = 20
const MOST_COPIED_TESTS = 3

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    changed: { type: 'boolean', default: false },
    sample: { type: 'string' },
    tests: { type: 'string', default: '3' },
  },
})
const sample = values.sample === undefined ? Number.POSITIVE_INFINITY : Number(values.sample)
const mostTests = Number(values.tests)
if (!(sample > 0) || !(mostTests > 0)) {
  console.error('Usage: npm run mutate -- [--only file]… [--changed] [--sample n] [--tests n]')
  process.exit(2)
}
await setUp({ build: false })
const { runTs } = await import('./run-ts.mjs')
const { commandLine, recordFigures } = /** @type {Record<string, Function>} */ (
  await runTs('packages/lab/report/figures.ts')
)
const { applyMutant, mutantsOf, sampleOf } = await import('./mutants.mjs')
const { namesNothing, readEquals, takeApart } = await import('./mutation-equal.mjs')
const { testRunner } = await import('./mutation-process.mjs')
const { importersOf, importingCopy, testsOf, withSuffix } = await import('./mutation-tests.mjs')

/**
 * @typedef {import('./mutants.mjs').Mutant} Mutant
 * @typedef {{ mutant: Mutant, why: string }} Equal
 * @typedef {{ module: string, killed: number, slow: number, survivors: Mutant[], equal: Equal[], wrong: string[], ms: number }} Score
 */

const equals = readEquals(join(ROOT, 'scripts/mutation-equal.json'))
const root = copyOfProject()
process.on('exit', () => rmSync(root, { recursive: true, force: true }))
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.on(signal, () => process.exit(130))
const runner = testRunner(root)
const importers = importersOf(root)
const modules = values.only ?? (values.changed ? changedModules() : Object.values(MODULES).flat())
if (modules.length === 0)
  console.log('None of the modules on the list differs from the last commit, and none of their tests does.')
/** @type {Score[]} */
const scores = []
for (const module of modules) {
  const score = await judge(module)
  scores.push(score)
  tell(score)
}
await runner.stop()
const good = summarise(scores)
record(scores, good)
process.exit(good ? 0 : 1)

/** The tree without what the tests do not need; packages are shared. The project itself is never written to. */
function copyOfProject() {
  const folder = mkdtempSync(join(tmpdir(), 'fieldhook-mutate-'))
  for (const name of COPIED) cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'dir')
  mkdirSync(join(folder, 'build'), { recursive: true })
  return folder
}

/** @param {string} module @returns {Promise<Score>} */
async function judge(module) {
  const path = join(root, module)
  const text = readFileSync(path, 'utf8')
  const tests = testsOf(importers, module)
    .slice(0, mostTests)
    .map(({ file }) => file)
  const mutants = sampleOf(mutantsOf(text, module), sample)
  const began = performance.now()
  /** @type {Score} */
  const score = { module, killed: 0, slow: 0, survivors: [], equal: [], wrong: [], ms: 0 }
  console.log(`\n${module}: ${mutants.length} mutants, ${tests.length} test files`)
  const { kept, patience } = await withoutFault(module, tests)
  const together = await testsForCopies(module, text, kept)
  const copiesMs = kept.filter(({ test }) => together.includes(test)).reduce((sum, { ms }) => sum + ms, 0)
  // What was tried on copies is tried again last: it shows something new only where it reaches the module on another way too.
  const oneByOne = [...kept.map(({ test }) => test).filter((test) => !together.includes(test)), ...together]
  const left = []
  for (let from = 0; from < mutants.length; from += AT_ONCE) {
    const some = mutants.slice(from, from + AT_ONCE)
    const noticed = await noticedInCopies(module, text, together, some, patience + copiesMs * AT_ONCE)
    score.killed += noticed.size
    left.push(...some.filter((mutant) => !noticed.has(mutant)))
  }
  // What the copies did not show is put in the module's own place, for every test that reaches it.
  for (const mutant of left) {
    writeFileSync(path, applyMutant(text, mutant))
    const outcome = await runOneByOne(path, oneByOne, patience)
    if (outcome === 'too slow') score.slow += 1
    else if (outcome === 'noticed') score.killed += 1
    else score.survivors.push(mutant)
  }
  writeFileSync(path, text)
  if (left.length > 0) await runner.run([path], oneByOne.slice(0, 1).map(inRoot), patience)
  const apart = takeApart(equals, { module, text, mutants, survivors: score.survivors })
  score.survivors = apart.survivors
  score.equal = apart.equal
  score.wrong = [
    ...apart.wrong.map(({ line, to }) => `is noticed after all: ${line} → ${to}`),
    ...namesNothing(equals, { module, text, mutants: mutantsOf(text, module) }).map(
      ({ line }) => `names nothing: ${line}`,
    ),
  ]
  score.ms = performance.now() - began
  return score
}

/** Stops at the first that notices. @param {string} path @param {string[]} tests @param {number} patience */
async function runOneByOne(path, tests, patience) {
  for (const test of tests) {
    const outcome = await runner.run([path], [inRoot(test)], patience)
    if (outcome === 'too slow') return outcome
    if (!outcome.passed) return 'noticed'
  }
  return 'survived'
}

/** Tests that fail without any fault say nothing about faults: they are left out, and that is said. @param {string} module @param {string[]} tests */
async function withoutFault(module, tests) {
  const kept = []
  let longest = 0
  for (const test of tests) {
    const began = performance.now()
    const outcome = await runner.run([], [inRoot(test)], 120_000)
    const ms = performance.now() - began
    if (outcome !== 'too slow' && outcome.passed && outcome.ran === 1) kept.push({ test, ms })
    else console.log(`  left out, it fails as it is: ${test} (${outcome === 'too slow' ? outcome : outcome.why})`)
    longest = Math.max(longest, ms)
  }
  if (kept.length === 0) console.log(`  nothing tests ${module}: every mutant survives`)
  return { kept, patience: Math.max(LEAST_PATIENCE_MS, longest * 4) }
}

/**
 * Tests that import the module itself, and pass beside a copy of it under another name: many copies, each with a fault of its own,
 * are then tried in one run.
 *
 * @param {string} module @param {string} text @param {{ test: string, ms: number }[]} tests
 */
async function testsForCopies(module, text, tests) {
  const fit = []
  const quick = (tests[0]?.ms ?? 0) * 2
  for (const { test } of tests.slice(0, MOST_COPIED_TESTS).filter(({ ms }) => ms <= quick)) {
    const files = writeCopy(module, text, [test], 0)
    const outcome = files.tests.length > 0 ? await runner.run(files.all, files.tests, LEAST_PATIENCE_MS) : 'too slow'
    if (outcome !== 'too slow' && outcome.passed && outcome.ran === 1) fit.push(test)
    for (const file of files.all) rmSync(file)
  }
  return fit
}

/** @param {string} module @param {string} text @param {string[]} tests @param {import('./mutants.mjs').Mutant[]} mutants @param {number} patience */
async function noticedInCopies(module, text, tests, mutants, patience) {
  /** @type {Set<import('./mutants.mjs').Mutant>} */
  const noticed = new Set()
  if (tests.length === 0) return noticed
  const copies = mutants.map((mutant, i) => ({
    mutant,
    files: writeCopy(module, applyMutant(text, mutant), tests, i + 1),
  }))
  const all = copies.flatMap(({ files }) => files.all)
  const outcome = await runner.run(
    all,
    copies.flatMap(({ files }) => files.tests),
    patience,
  )
  for (const { mutant, files } of copies) {
    if (outcome !== 'too slow' && outcome.ran > 0 && files.tests.some((file) => outcome.failed.includes(file)))
      noticed.add(mutant)
  }
  for (const file of all) rmSync(file)
  return noticed
}

/** @param {string} module @param {string} text @param {string[]} tests @param {number} number */
function writeCopy(module, text, tests, number) {
  const suffix = `.m${number}`
  const copy = inRoot(withSuffix(module, suffix))
  writeFileSync(copy, text)
  const written = tests.flatMap((test) => {
    const own = importingCopy({ root, test, text: readFileSync(inRoot(test), 'utf8'), module, suffix })
    if (own === null) return []
    const file = inRoot(withSuffix(test, suffix))
    writeFileSync(file, own)
    return [file]
  })
  return { all: [copy, ...written], tests: written }
}

/** @param {string} file */
function inRoot(file) {
  return join(root, file)
}

/** Of the list, those that differ from the last commit, or one of whose tests does. */
function changedModules() {
  const git = (/** @type {string[]} */ ...args) =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\n')
  const changed = new Set([...git('diff', '--name-only', 'HEAD'), ...git('ls-files', '--others', '--exclude-standard')])
  const near = (/** @type {string} */ module) => testsOf(importers, module).slice(0, mostTests)
  return Object.values(MODULES)
    .flat()
    .filter(
      (module) => changed.has(module) || near(module).some(({ file, distance }) => distance === 1 && changed.has(file)),
    )
}

/** @param {Score} score */
function tell({ module, killed, slow, survivors, equal, wrong, ms }) {
  const all = killed + slow + survivors.length
  const seconds = Math.round(ms / 1000)
  console.log(
    `  ${killed + slow} of ${all} noticed (${percent(killed + slow, all)}), ${slow} of them by never ending; ${seconds} s`,
  )
  for (const { line, kind, from, to } of survivors) {
    console.log(`  survived  ${module}:${line}  ${kind}: ${short(from)} → ${short(to)}`)
  }
  for (const { mutant, why } of equal) {
    const { line, kind, from, to } = mutant
    console.log(`  cannot matter  ${module}:${line}  ${kind}: ${short(from)} → ${short(to)}  (${why})`)
  }
  for (const one of wrong) console.log(`  mutation-equal.json  ${one}`)
}

/** @param {Score[]} all @returns {boolean} */
function summarise(all) {
  const sum = (/** @type {(score: Score) => number} */ of) => all.reduce((total, score) => total + of(score), 0)
  const noticed = sum(({ killed, slow }) => killed + slow)
  const total = noticed + sum(({ survivors }) => survivors.length)
  console.log('\nmodule                                              noticed   of    share  cannot matter    time')
  for (const { module, killed, slow, survivors, equal, ms } of all) {
    const made = killed + slow + survivors.length
    const cells = [
      String(killed + slow).padStart(7),
      String(made).padStart(4),
      percent(killed + slow, made).padStart(8),
      String(equal.length).padStart(13),
      `${Math.round(ms / 1000)} s`.padStart(8),
    ]
    console.log(`${module.padEnd(52)}${cells.join(' ')}`)
  }
  console.log(
    `\n${noticed} of ${total} mutants noticed: ${percent(noticed, total)} in ${Math.round(sum(({ ms }) => ms) / 60_000)} min (at least ${ENOUGH} % of each module are asked for)`,
  )
  const below = all.filter(({ killed, slow, survivors }) => {
    const made = killed + slow + survivors.length
    return made === 0 || ((killed + slow) * 100) / made < ENOUGH
  })
  for (const { module } of below) console.log(`below the mark: ${module}`)
  return below.length === 0 && all.every(({ wrong }) => wrong.length === 0)
}

/** @param {Score[]} all @param {boolean} good */
function record(all, good) {
  const noticed = (/** @type {Score} */ { killed, slow }) => killed + slow
  const made = (/** @type {Score} */ score) => noticed(score) + score.survivors.length
  const sum = (/** @type {(score: Score) => number} */ of) => all.reduce((total, score) => total + of(score), 0)
  const share = percent(sum(noticed), sum(made))
  recordFigures?.('mutate', {
    command: commandLine?.('mutate', { sample: values.sample, tests: values.tests }),
    faults: good ? [] : [`only ${share} of the planted faults were noticed`],
    figures: [
      { name: 'planted faults', value: sum(made) },
      { name: 'noticed', value: share, bar: `${ENOUGH} % or more`, met: good },
      ...all.map((score) => ({
        group: 'By module',
        name: score.module,
        value: `${noticed(score)} of ${made(score)} (${percent(noticed(score), made(score))})`,
      })),
    ],
  })
}

/** @param {number} part @param {number} whole */
function percent(part, whole) {
  return whole === 0 ? '–' : `${((part * 100) / whole).toFixed(1)} %`
}

/** @param {string} text */
function short(text) {
  const line = text.replace(/\s+/g, ' ')
  return line.length > 60 ? `${line.slice(0, 59)}…` : line
}
