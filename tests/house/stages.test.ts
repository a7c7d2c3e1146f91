import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { findBrowser, tellWhatWasTried } from '../../scripts/browser.mjs'
import { countReport, sentenceOf, slowestTen, sumOf, timesIn } from '../../scripts/stages.mjs'
import { ROOT } from './planted-tree.ts'

/** What vitest writes, as far as it is read. */
function vitestReport(files: { status: string; tests: string[] }[], more = {}) {
  const tests = files.flatMap((file) => file.tests)
  const count = (status: string) => tests.filter((each) => each === status).length
  return {
    numPassedTests: count('passed'),
    numFailedTests: count('failed'),
    numPendingTests: count('pending'),
    numTodoTests: count('todo'),
    testResults: files.map(({ status, tests }) => ({
      status,
      assertionResults: tests.map((each) => ({ status: each })),
    })),
    ...more,
  }
}

test('passed, failed, skipped and planned tests are counted', () => {
  const report = vitestReport([{ status: 'failed', tests: ['passed', 'passed', 'failed', 'pending', 'todo'] }])
  expect(countReport('unit', report, 1)).toEqual({ passed: 2, failed: 1, skipped: 2 })
})

test('a file that does not load is a failure of its own', () => {
  const report = vitestReport([
    { status: 'passed', tests: ['passed'] },
    { status: 'failed', tests: [] },
  ])
  expect(countReport('unit', report, 1)).toEqual({ passed: 1, failed: 1, skipped: 0 })
})

test('an error outside of every test is a failure, although each test passed', () => {
  expect(countReport('walk', vitestReport([{ status: 'passed', tests: ['passed'] }]), 1).failed).toBe(1)
})

test('a runner that leaves no report has failed', () => {
  expect(countReport('browser', null, 0)).toEqual({ passed: 0, failed: 1, skipped: 0 })
})

test("the browser's report is counted, with flaky tests and errors outside of tests as failures", () => {
  const stats = { expected: 7, unexpected: 1, flaky: 1, skipped: 2 }
  expect(countReport('browser', { stats, errors: [{}] }, 1)).toEqual({ passed: 7, failed: 3, skipped: 2 })
})

test('the closing line names the skipped only when there are any', () => {
  const all = sumOf([
    { passed: 3, failed: 0, skipped: 0 },
    { passed: 4, failed: 1, skipped: 0 },
  ])
  expect(sentenceOf(all)).toBe('7 passed, 1 failed')
  expect(sentenceOf({ ...all, skipped: 2 })).toBe('7 passed, 1 failed, 2 skipped')
})

test('the ten slowest of all runners are listed, each with its file', () => {
  const assertionResults = Array.from({ length: 11 }, (_, index) => ({ title: `test ${index}`, duration: index * 100 }))
  const units = timesIn('unit', { testResults: [{ name: join(ROOT, 'app/a.test.ts'), assertionResults }] })
  const spec = { title: 'a journey', tests: [{ results: [{ duration: 2_000 }, { duration: 3_000 }] }] }
  const inner = { file: 'a.spec.ts', specs: [spec] }
  const journeys = timesIn('browser', { suites: [{ file: 'a.spec.ts', specs: [], suites: [inner] }] })
  const lines = slowestTen([...units, ...journeys, ...timesIn('walk', null)]).split('\n')
  expect(lines).toHaveLength(10)
  expect(lines[0]).toBe('   5.0 s  tests/e2e/a.spec.ts: a journey')
  expect(lines[9]).toBe('   0.2 s  app/a.test.ts: test 2')
})

test('when no browser works, every attempt is told with its reason', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fieldhook-browser-'))
  const broken = join(folder, 'chromium')
  writeFileSync(broken, '#!/bin/sh\necho "error while loading shared libraries: libnss3.so"\nexit 127\n')
  chmodSync(broken, 0o755)
  const { found, tried } = await findBrowser({
    ways: [
      { way: 'E2E_BROWSER', candidates: async () => 'is not set' },
      { way: 'on PATH', candidates: async () => [{ name: 'broken', path: broken }] },
      { way: 'nowhere', candidates: async () => [{ name: 'nowhere', path: join(folder, 'nowhere') }] },
      { way: 'download', candidates: () => Promise.reject(new Error('getaddrinfo ENOTFOUND')) },
    ],
  })
  rmSync(folder, { recursive: true })
  expect(found).toBe(null)
  expect(tellWhatWasTried(tried).split('\n')).toEqual([
    'No browser works on this machine, so the browser tests cannot run. Tried, in this order:',
    '  - E2E_BROWSER: is not set',
    `  - on PATH, ${broken}: error while loading shared libraries: libnss3.so`,
    `  - nowhere, ${folder}/nowhere: ${folder}/nowhere is not a program that can be run`,
    '  - download: getaddrinfo ENOTFOUND',
    'Install Chromium or Chrome, or set E2E_BROWSER to the path of one.',
  ])
})

test('noise fails a test, announced noise does not', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fieldhook-quiet-'))
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  mkdirSync(join(folder, 'support'))
  writeFileSync(join(folder, 'support/quiet.ts'), readFileSync(join(ROOT, 'tests/support/quiet.ts')))
  writeFileSync(join(folder, 'vitest.config.mjs'), "export default { test: { setupFiles: ['./support/quiet.ts'] } }\n")
  writeFileSync(
    join(folder, 'noise.test.ts'),
    `import { expect, test, vi } from 'vitest'
import { expectNoise } from './support/quiet.ts'
test('error', () => console.error('act(...) is missing'))
test('warn', () => console.warn('deprecated'))
test('announced', () => { expectNoise(/deprecated/); console.warn('deprecated') })
test('announced but silent', () => expectNoise(/deprecated/))
test('rejection', () => { void Promise.reject(new Error('nobody listens')) })
test('pretend timers', () => { vi.useFakeTimers() })
test('quiet', () => { console.log('fine'); expect(1).toBe(1) })
`,
  )
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
  const args = [vitest, 'run', '--root', folder, '--reporter=json', '--silent']
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder }).catch((error) => error)
  rmSync(folder, { recursive: true })
  const results = JSON.parse(stdout).testResults[0].assertionResults
  expect(
    Object.fromEntries(results.map((each: { title: string; status: string }) => [each.title, each.status])),
  ).toEqual({
    error: 'failed',
    warn: 'failed',
    announced: 'passed',
    'announced but silent': 'failed',
    rejection: 'failed',
    'pretend timers': 'passed',
    quiet: 'passed',
  })
})
