// `npm run mutate`: are the tests of the modules that guard other people's businesses worth anything? Plants one small fault after
// the other in a copy of the project and looks whether the tests notice. Ends with 1 when fewer than 85 % are noticed.
//   npm run mutate -- --only app/adapters/ip-address.ts    one module (may be given more than once)
//   npm run mutate -- --sample 20                          at most so many of each module, spread evenly
//   npm run mutate -- --tests 30                           at most so many test files for each, the nearest first (12)
import './node-version.mjs'
import { fork } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const { setUp, ROOT } = await import('./setup.mjs')

/** What guards, what says who may, and what holds keys. */
const MODULES = {
  guard: [
    'app/adapters/ip-address.ts',
    'app/adapters/safe-address.ts',
    'app/adapters/outbound-resolver.server.ts',
    'app/adapters/outbound-dial.server.ts',
  ],
  rights: [
    'app/http/origin-check.ts',
    'app/http/guards.server.ts',
    'app/http/session.server.ts',
    'app/http/cookies.ts',
    'app/features/accounts/session.ts',
    'app/features/accounts/session.server.ts',
    'app/features/accounts/signed-opening.ts',
    'app/features/accounts/signed-opening.server.ts',
    'app/features/accounts/account-id.ts',
    'app/features/accounts/link.server.ts',
  ],
  tokens: [
    'app/lib/token.server.ts',
    'app/adapters/secret-box.ts',
    'app/adapters/secret-box.server.ts',
    'app/adapters/opened-keys.server.ts',
    'app/adapters/sealed-text.server.ts',
    'app/adapters/servicem8-signed.server.ts',
    'app/adapters/standard-webhooks.server.ts',
    'app/features/accounts/sealed-tokens.server.ts',
    'app/features/ops/rotate-keys.server.ts',
  ],
}
const ENOUGH = 85
/** What the tests need of the project. Everything else stays where it is. */
const COPIED = ['app', 'db', 'tests', 'scripts', 'package.json', 'tsconfig.json', 'vitest.config.ts', '.env.example']
/** Longer than this, whatever the tests took without a fault, is an endless loop. */
const LEAST_PATIENCE_MS = 20_000
/** Copies of a module that are tried in one run, and test files that are copied along for each. */
const AT_ONCE = 20
const MOST_COPIED_TESTS = 3

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    sample: { type: 'string' },
    tests: { type: 'string', default: '12' },
  },
})
const sample = values.sample === undefined ? Number.POSITIVE_INFINITY : Number(values.sample)
const mostTests = Number(values.tests)
if (!(sample > 0) || !(mostTests > 0)) {
  console.error('Usage: npm run mutate -- [--only file]… [--sample n] [--tests n]')
  process.exit(2)
}
await setUp({ build: false })
const { applyMutant, mutantsOf, sampleOf } = await import('./mutants.mjs')
const { importersOf, importingCopy, testsOf, withSuffix } = await import('./mutation-tests.mjs')

/**
 * @typedef {{ passed: boolean, failed: string[], ran: number, why: string }} Outcome
 * @typedef {{ module: string, killed: number, slow: number, survivors: import('./mutants.mjs').Mutant[], ms: number }} Score
 */

const modules = values.only ?? Object.values(MODULES).flat()
const root = copyOfProject()
process.on('exit', () => rmSync(root, { recursive: true, force: true }))
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.on(signal, () => process.exit(130))
const runner = testRunner(root)
const importers = importersOf(root)
/** @type {Score[]} */
const scores = []
for (const module of modules) {
  const score = await judge(module)
  scores.push(score)
  tell(score)
}
await runner.stop()
const good = summarise(scores)
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
  const score = { module, killed: 0, slow: 0, survivors: [], ms: 0 }
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

/** @param {Score} score */
function tell({ module, killed, slow, survivors, ms }) {
  const all = killed + slow + survivors.length
  const seconds = Math.round(ms / 1000)
  console.log(
    `  ${killed + slow} of ${all} noticed (${percent(killed + slow, all)}), ${slow} of them by never ending; ${seconds} s`,
  )
  for (const { line, kind, from, to } of survivors) {
    console.log(`  survived  ${module}:${line}  ${kind}: ${short(from)} → ${short(to)}`)
  }
}

/** @param {Score[]} all @returns {boolean} */
function summarise(all) {
  const sum = (/** @type {(score: Score) => number} */ of) => all.reduce((total, score) => total + of(score), 0)
  const noticed = sum(({ killed, slow }) => killed + slow)
  const total = noticed + sum(({ survivors }) => survivors.length)
  console.log('\nmodule                                              noticed   of    share')
  for (const { module, killed, slow, survivors } of all) {
    const made = killed + slow + survivors.length
    const cells = [
      String(killed + slow).padStart(7),
      String(made).padStart(4),
      percent(killed + slow, made).padStart(8),
    ]
    console.log(`${module.padEnd(52)}${cells.join(' ')}`)
  }
  console.log(
    `\n${noticed} of ${total} mutants noticed: ${percent(noticed, total)} (at least ${ENOUGH} % are asked for)`,
  )
  return total > 0 && (noticed * 100) / total >= ENOUGH
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

/**
 * A process that runs tests; ended and started again when a fault keeps it from answering.
 *
 * @param {string} folder
 */
function testRunner(folder) {
  /** @type {import('node:child_process').ChildProcess | null} */
  let child = null

  async function started() {
    if (child) return child
    const env = /** @type {NodeJS.ProcessEnv} */ ({ ...process.env, NODE_ENV: 'test', NO_COLOR: '1' })
    const fresh = fork(join(folder, 'scripts/mutation-runner.mjs'), [folder], {
      cwd: folder,
      env,
      // A fault may make Node itself complain at length.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      detached: process.platform !== 'win32',
    })
    child = fresh
    fresh.once('exit', () => {
      if (child === fresh) child = null
    })
    await new Promise((ready, failed) => {
      fresh.once('message', ready)
      fresh.once('exit', (code) => failed(new Error(`the test runner ended with ${code}`)))
    })
    return fresh
  }

  /** With all its workers. */
  function end() {
    const ending = child
    child = null
    if (!ending?.pid) return
    try {
      process.kill(process.platform === 'win32' ? ending.pid : -ending.pid, 'SIGKILL')
    } catch {
      // Already gone.
    }
  }

  process.on('exit', end)
  return {
    /** @param {string[]} changed @param {string[]} tests @param {number} patience @returns {Promise<Outcome | 'too slow'>} */
    async run(changed, tests, patience) {
      const asked = await started()
      return new Promise((answer) => {
        const done = (/** @type {Outcome | 'too slow'} */ outcome) => {
          clearTimeout(timer)
          asked.off('message', hear)
          asked.off('exit', gone)
          answer(outcome)
        }
        const hear = (/** @type {any} */ outcome) => done(outcome)
        // A fault may end the whole process: that is noticed too.
        const gone = () => done({ passed: false, failed: [], ran: 0, why: 'the runner ended' })
        const timer = setTimeout(() => {
          end()
          done('too slow')
        }, patience)
        asked.once('message', hear)
        asked.once('exit', gone)
        asked.send({ changed, tests })
      })
    },
    async stop() {
      end()
    },
  }
}
