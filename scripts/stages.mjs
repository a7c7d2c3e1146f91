// The stages of `npm run check` and `npm test`, in sequence, and how their reports are counted.
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { run } from './children.mjs'
import { ROOT } from './setup.mjs'

const tool = (/** @type {string} */ path) => join(ROOT, 'node_modules', path)
const REPORTS = join(ROOT, '.cache/reports')
// Compilers and runners are megabytes of JavaScript: each process of theirs finds them compiled.
process.env.NODE_COMPILE_CACHE ??= join(ROOT, '.cache/compiled')

/**
 * @typedef {{ name: string, command: string[], env?: import('./children.mjs').Environment }} Stage `command` runs with this Node
 * @typedef {{ passed: number, failed: number, skipped: number }} Counts
 * @typedef {'unit' | 'postgres' | 'walk' | 'browser'} Runner
 * @typedef {{ name: string, seconds: number }} Timed a test, with its file
 */

/** Types, lint and format, import law, unused code, house rules. @type {Stage[]} */
export const CHECKS = [
  { name: 'types', command: [tool('typescript/bin/tsc'), '-p', '.', '--noEmit', '--pretty', 'false'] },
  { name: 'lint and format', command: [tool('@biomejs/biome/bin/biome'), 'check', '--error-on-warnings', '.'] },
  { name: 'import law', command: [join(ROOT, 'scripts/import-law.mjs')] },
  { name: 'nothing unused', command: [tool('knip/bin/knip.js'), '--no-progress', '--no-config-hints'] },
  { name: 'house rules', command: [join(ROOT, 'scripts/house-rules.mjs')] },
]

/**
 * Runs one check: prints a line with its duration, and its whole output when it failed.
 *
 * @param {Stage} stage
 * @returns {Promise<boolean>}
 */
export async function runCheck({ name, command }) {
  const began = performance.now()
  const { code, output } = await run(process.execPath, command, { cwd: ROOT, timeoutMs: 5 * 60_000 })
  console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${secondsSince(began)})`)
  if (code !== 0) console.log(`\n${output.trimEnd()}\n`)
  return code === 0
}

/**
 * Runs one of the test runners with our own output, and reads the counts from its report.
 *
 * @param {Runner} name
 * @param {{ env: import('./children.mjs').Environment, timeoutMs: number, files?: string[], more?: string[], mayBeNone?: boolean }} options
 *   `files`: only these; `more`: arguments of the runner; `mayBeNone`: no test is no failure
 * @returns {Promise<Counts & { timed: Timed[] }>}
 */
export async function runTests(name, { env, timeoutMs, files = [], more = [], mayBeNone = false }) {
  const report = join(REPORTS, `${name}.json`)
  mkdirSync(dirname(report), { recursive: true })
  rmSync(report, { force: true })
  const began = performance.now()
  console.log(`\n── ${name} ──`)
  // Walks keep the disk that a product has.
  const memory = name === 'walk' ? null : folderInMemory()
  const { code, output, timedOut } = await run(process.execPath, [...testCommand(name, report, files), ...more], {
    cwd: ROOT,
    env: {
      ...env,
      ...(memory && { TMPDIR: memory }),
      ...(process.stdout.isTTY ? {} : { NO_COLOR: '1' }),
      PLAYWRIGHT_JSON_OUTPUT_FILE: report,
    },
    show: true,
    timeoutMs,
  }).finally(() => memory && rmSync(memory, { recursive: true, force: true }))
  if (output) console.log(output)
  if (timedOut) console.log(`The ${name} tests were ended: they took longer than ${Math.round(timeoutMs / 1000)} s.`)
  const found = readReport(report)
  const counts =
    mayBeNone && !found && code === 0 ? { passed: 0, failed: 0, skipped: 0 } : countReport(name, found, code)
  console.log(`${name}: ${sentenceOf(counts)} (${secondsSince(began)})`)
  const timed = timesIn(name, found)
  if (counts.passed + counts.failed > 0 || mayBeNone) return { ...counts, timed }
  console.log(`No ${name} test ran: that counts as a failure.`)
  return { ...counts, failed: 1, timed }
}

/** Bytes that must be free in memory: a stage takes less than a fifth of it. */
const ROOM = 2 ** 31

/**
 * For the files of tests: thousands open a database of their own, and would wait for the disk longer than they work.
 *
 * @returns {string | null} null where the system has no such place, or too little room
 */
function folderInMemory() {
  const place = '/dev/shm'
  try {
    const { bavail, bsize } = statfsSync(place)
    if (bavail * bsize < ROOM) return null
    const folder = mkdtempSync(join(place, 'fieldhook-tests-'))
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    // As /tmp: a PostgreSQL of the tests may run as another user.
    chmodSync(folder, 0o1777)
    return folder
  } catch {
    return null
  }
}

/** How long each test took. @param {Runner} runner @param {any} report null when there is none @returns {Timed[]} */
export function timesIn(runner, report) {
  if (!report) return []
  if (runner !== 'browser') {
    return report.testResults.flatMap((/** @type {any} */ file) =>
      file.assertionResults.map((/** @type {any} */ test) => ({
        name: `${relative(ROOT, file.name)}: ${test.title}`,
        seconds: (test.duration ?? 0) / 1000,
      })),
    )
  }
  /** @param {any} suite @returns {Timed[]} */
  const inSuite = (suite) => [
    ...(suite.suites ?? []).flatMap(inSuite),
    ...(suite.specs ?? []).map((/** @type {any} */ spec) => ({
      name: `tests/e2e/${suite.file}: ${spec.title}`,
      seconds: sum(spec.tests.flatMap((/** @type {any} */ test) => test.results.map(msOf))) / 1000,
    })),
  ]
  return report.suites.flatMap(inSuite)
}

const msOf = (/** @type {any} */ result) => result.duration ?? 0
const sum = (/** @type {number[]} */ numbers) => numbers.reduce((all, one) => all + one, 0)

/** The ten slowest, one a line. @param {Timed[]} timed */
export function slowestTen(timed) {
  const slowest = [...timed].sort((a, b) => b.seconds - a.seconds).slice(0, 10)
  return slowest.map(({ name, seconds }) => `${seconds.toFixed(1).padStart(6)} s  ${name}`).join('\n')
}

/** @type {Record<Exclude<Runner, 'browser'>, string[]>} */
const PROJECTS = { unit: ['unit', 'dom'], postgres: ['unit'], walk: ['walk', 'walk-alone'] }

/** @param {Runner} name @param {string} report @param {string[]} files */
function testCommand(name, report, files) {
  if (name === 'browser') return [tool('@playwright/test/cli.js'), 'test', '--reporter=list,json']
  return [
    tool('vitest/vitest.mjs'),
    'run',
    ...files,
    ...PROJECTS[name].flatMap((one) => ['--project', one]),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ]
}

/**
 * The true totals of a run. A failure outside of a test (a file that does not load, an uncaught error, a crashed
 * runner) counts as one failure, so that a bad run can never look like a good one.
 *
 * @param {Runner} name
 * @param {any} report the runner's JSON, null when there is none
 * @param {number} exitCode
 * @returns {Counts}
 */
export function countReport(name, report, exitCode) {
  if (!report) return { passed: 0, failed: 1, skipped: 0 }
  const counts = name === 'browser' ? countPlaywright(report) : countVitest(report)
  if (exitCode !== 0 && counts.failed === 0 && counts.passed > 0) counts.failed = 1
  return counts
}

/** @param {any} report @returns {Counts} */
function countVitest(report) {
  const files = /** @type {any[]} */ (report.testResults)
  const brokenFiles = files.filter(
    (file) =>
      file.status === 'failed' && !file.assertionResults.some((/** @type {any} */ test) => test.status === 'failed'),
  )
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + brokenFiles.length,
    skipped: report.numPendingTests + report.numTodoTests,
  }
}

/** @param {any} report @returns {Counts} */
function countPlaywright(report) {
  const { expected, unexpected, flaky, skipped } = report.stats
  // The runner reports an error outside of a test (such as no tests found) in `errors`.
  return { passed: expected, failed: unexpected + flaky + report.errors.length, skipped }
}

/** @param {Counts[]} all @returns {Counts} */
export function sumOf(all) {
  const add = (/** @type {keyof Counts} */ key) => all.reduce((sum, counts) => sum + counts[key], 0)
  return { passed: add('passed'), failed: add('failed'), skipped: add('skipped') }
}

/** `12 passed, 0 failed`, and the skipped tests only when there are any. @param {Counts} counts */
export function sentenceOf({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}

/** @param {string} file */
function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}

/** @param {number} began */
function secondsSince(began) {
  return `${((performance.now() - began) / 1000).toFixed(1)} s`
}
