// npm test: runs every check, starting from a fresh clone. The totals are only on the last line. `npm test -- changed` runs the
// checks and what a change touches, `npm test -- --only check|unit|postgres|walk|browser` one stage, `npm test -- --engine
// postgres` every test of a store and every walk on PostgreSQL.
import './node-version.mjs'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const { explain, ROOT, setUp } = await import('./setup.mjs')

/** Time limit for all stages together, once the packages are installed. */
const WHOLE_MS = 45 * 60_000
const STAGES = /** @type {const} */ (['check', 'unit', 'postgres', 'walk', 'browser'])
const ONE_FAILURE = { passed: 0, failed: 1, skipped: 0 }

const { CHECKS, runCheck, runTests, sentenceOf, slowestTen, sumOf } = await import('./stages.mjs')
/** What opens a store on every `npm test` a second time: its own tests, and the engines. */
const OFTEN_ON_POSTGRES = ['db/sql/', 'app/boot/delivery-engine', 'app/boot/automation-engine']
const { only, whole, changed } = wishes(process.argv.slice(2))
/**
 * Whether each check passed: checks only need the packages, so they run during the build.
 * @type {boolean[]}
 */
let checked = []
const runChecks = async () => {
  checked = await Promise.all(CHECKS.map(runCheck))
}
try {
  await setUp({
    build: !changed && (whole || only === null || only === 'walk' || only === 'browser'),
    ...(!whole && (only === null || only === 'check') ? { meanwhile: runChecks } : {}),
  })
} catch (error) {
  explain(error)
  console.log('\n0 passed, 1 failed')
  process.exit(1)
}

const deadline = performance.now() + WHOLE_MS
/** @type {(import('./stages.mjs').Counts & { timed?: import('./stages.mjs').Timed[] })[]} */
const counts = []
for (const stage of stages()) counts.push(...(await runStage(stage)))
const total = sumOf(counts)
process.exitCode = total.failed === 0 && (total.passed > 0 || only === 'check' || changed) ? 0 : 1
const slowest = slowestTen(counts.flatMap(({ timed }) => timed ?? []))
if (slowest) console.log(`\nThe slowest:\n${slowest}`)
console.log(`\n${sentenceOf(total)}`)

function stages() {
  if (whole) return /** @type {const} */ (['postgres'])
  if (changed) return /** @type {const} */ (['check', 'unit'])
  return only ? [only] : STAGES
}

/**
 * A failed check counts as one failure; a passed check is no test and does not count.
 *
 * @param {(typeof STAGES)[number]} stage
 */
async function runStage(stage) {
  if (stage === 'check') return checked.filter((passed) => !passed).map(() => ONE_FAILURE)
  const own = withoutSettings(process.env)
  if (stage === 'postgres') return runOnPostgres(own)
  if (changed) return [await runTests('unit', { env: own, timeoutMs: timeLeft(), ...touchedByChange() })]
  const env = stage === 'unit' ? own : await withPages(own, stage)
  return [env ? await runTests(stage, { env, timeoutMs: timeLeft() }) : ONE_FAILURE]
}

/** What is not committed, or else the last commit. Tests are found through their imports. */
function touchedByChange() {
  const asked = execFileSync('git', ['status', '--porcelain'], { cwd: ROOT, encoding: 'utf8' })
  const since = asked.trim() === '' ? 'HEAD~1' : 'HEAD'
  console.log(`\nTests of what ${since === 'HEAD' ? 'is not committed' : 'the last commit changed'}:`)
  return { more: ['--changed', since, '--passWithNoTests'], mayBeNone: true }
}

function timeLeft() {
  return Math.max(deadline - performance.now(), 1_000)
}

/**
 * Tests that open a store once more, on a real PostgreSQL: brought from the registry, this machine's, or TEST_DATABASE_URL.
 * Where none can be had, they are left out with the reason.
 *
 * @param {import('./children.mjs').Environment} env
 */
async function runOnPostgres(env) {
  const { openPostgres } = await import('./postgres.mjs')
  // The product that a walk starts refuses a server that does not keep what it commits.
  const server = await openPostgres({ durable: whole, say: (line) => console.log(line) }).catch((error) => {
    console.log(`\nTests on PostgreSQL are left out. ${error.message}`)
    return null
  })
  if (!server) return whole ? [ONE_FAILURE] : []
  const { storeTests } = await import('./store-tests.mjs')
  try {
    const asked = { ...env, TEST_DATABASE: 'postgres', TEST_DATABASE_URL: server.url() }
    const run = (/** @type {'postgres' | 'walk'} */ name, /** @type {string[]} */ files) =>
      runTests(name, { env: asked, timeoutMs: timeLeft(), files })
    if (whole) return [await run('postgres', storeTests('unit')), await run('walk', storeTests('walk'))]
    const often = storeTests('unit').filter((file) => OFTEN_ON_POSTGRES.some((folder) => file.startsWith(folder)))
    return [await run('postgres', often)]
  } finally {
    await server.stop()
  }
}

/**
 * Walks and browser tests run the built product; browser tests also need a browser.
 *
 * @param {import('./children.mjs').Environment} env
 * @param {'walk' | 'browser'} stage
 * @returns {Promise<import('./children.mjs').Environment | null>} null when one of them is not available
 */
async function withPages(env, stage) {
  try {
    await setUp({ build: true })
  } catch (error) {
    explain(error)
    return null
  }
  return stage === 'walk' ? env : withBrowser(env)
}

/** @param {string[]} args @returns {{ only: typeof STAGES[number] | null, whole: boolean, changed: boolean }} */
function wishes(args) {
  const all = { only: null, whole: false, changed: false }
  if (args.length === 0) return all
  if (args.length === 1 && args[0] === 'changed') return { ...all, changed: true }
  const stage = STAGES.find((name) => name === args[1])
  if (args.length === 2 && args[0] === '--only' && stage) return { ...all, only: stage }
  if (args.length === 2 && args[0] === '--engine' && args[1] === 'postgres') return { ...all, whole: true }
  console.error(`Usage: npm test -- changed, npm test -- --only ${STAGES.join('|')}, or npm test -- --engine postgres`)
  process.exit(2)
}

/**
 * The user's own settings of the product must not reach its tests: removes every name in .env.example, and NODE_ENV.
 * @param {import('./children.mjs').Environment} env
 */
function withoutSettings(env) {
  const names = readFileSync(join(ROOT, '.env.example'), 'utf8').matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gm)
  const settings = new Set(['NODE_ENV', ...[...names].map(([, name]) => name)])
  return Object.fromEntries(Object.entries(env).filter(([name]) => !settings.has(name)))
}

/** @param {import('./children.mjs').Environment} env @returns {Promise<import('./children.mjs').Environment | null>} null when no browser works here */
async function withBrowser(env) {
  const { findBrowser, tellWhatWasTried } = await import('./browser.mjs')
  console.log('\nLooking for a browser …')
  const { found, tried } = await findBrowser()
  if (!found) {
    console.log(tellWhatWasTried(tried))
    return null
  }
  console.log(`Browser: ${found.name}, ${found.version}`)
  return { ...env, E2E_BROWSER: found.path, E2E_BROWSER_ENV: JSON.stringify(found.env) }
}
