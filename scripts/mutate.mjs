// `npm run mutate`: tests the tests of modules that guard other people's businesses. Stryker plants one small fault at
// a time in a copy of the project and runs the tests that reach it. Exits with 1 if under 85 % of a module's are
// noticed.
//   npm run mutate -- --only app/adapters/outbound/ip-address.ts    one module (may be given more than once)
//   npm run mutate -- --changed                            keeps the last run's results; only tries what changed since
//   npm run mutate -- --at-once 4                          copies in parallel (default: number of cores, less one)
import './node-version.mjs'
import './record-flag.mjs'
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { MODULES, REPORT } from '../stryker.config.mjs'

const { setUp, ROOT } = await import('./setup.mjs')

const ENOUGH = 85

/**
 * @typedef {{ module: string, noticed: number, planted: number }} Score
 * @typedef {'Killed' | 'Timeout' | 'Survived' | 'NoCoverage' | 'Ignored' | 'CompileError' | 'RuntimeError' | 'Pending'} Status
 * @typedef {{ files: Record<string, { mutants: { status: Status }[] }> }} Report as Stryker writes it
 */

const { explainOption, runTs } = await import('./run-ts.mjs')

const { values } = (() => {
  try {
    return parseArgs({
      options: {
        only: { type: 'string', multiple: true },
        changed: { type: 'boolean', default: false },
        'at-once': { type: 'string' },
      },
    })
  } catch (error) {
    return explainOption(error)
  }
})()
await setUp({ build: false })
const { commandLine, recordFigures } = /** @type {Record<string, Function>} */ (
  await runTs('packages/lab/report/figures.ts')
)

const modules = values.only ?? Object.values(MODULES).flat()
rmSync(join(ROOT, REPORT), { force: true })
const ended = spawnSync(
  process.execPath,
  [
    join(ROOT, 'node_modules/@stryker-mutator/core/bin/stryker.js'),
    'run',
    'stryker.config.mjs',
    '--mutate',
    modules.join(','),
    ...(values.changed ? ['--incremental'] : []),
    ...(values['at-once'] ? ['--concurrency', values['at-once']] : []),
  ],
  { cwd: ROOT, stdio: 'inherit' },
)
if (ended.status !== 0) process.exit(ended.status ?? 1)

const scores = scoresOf(JSON.parse(readFileSync(join(ROOT, REPORT), 'utf8')))
const below = scores.filter(({ noticed, planted }) => planted === 0 || (noticed * 100) / planted < ENOUGH)
const missing = modules.filter((module) => !scores.some((score) => score.module === module))
const sum = (/** @type {'noticed' | 'planted'} */ key) => scores.reduce((total, score) => total + score[key], 0)
const share = percent(sum('noticed'), sum('planted'))
for (const { module, noticed, planted } of scores)
  console.log(`${module.padEnd(60)}${noticed} of ${planted} (${percent(noticed, planted)})`)
console.log(`${sum('noticed')} of ${sum('planted')} faults noticed: ${share} (at least ${ENOUGH} % of each module)`)
for (const { module } of below) console.log(`below the mark: ${module}`)
for (const module of missing) console.log(`nothing was planted in ${module}`)
const good = below.length === 0 && missing.length === 0
recordFigures?.('mutate', {
  command: commandLine?.('mutate'),
  faults: good ? [] : [`only ${share} of the planted faults were noticed`],
  figures: [
    { name: 'planted faults', value: sum('planted') },
    { name: 'noticed', value: share, bar: `${ENOUGH} % or more of each module`, met: good },
    ...scores.map(({ module, noticed, planted }) => ({
      group: 'By module',
      name: module,
      value: `${noticed} of ${planted} (${percent(noticed, planted)})`,
    })),
  ],
})
process.exit(good ? 0 : 1)

/**
 * A fault that makes a test hang counts as noticed; one that no test reaches does not.
 * @param {Report} report @returns {Score[]}
 */
function scoresOf({ files }) {
  return Object.entries(files).map(([module, { mutants }]) => {
    const count = (/** @type {Status[]} */ ...statuses) =>
      mutants.filter(({ status }) => statuses.includes(status)).length
    return {
      module,
      noticed: count('Killed', 'Timeout'),
      planted: count('Killed', 'Timeout', 'Survived', 'NoCoverage'),
    }
  })
}

/** @param {number} part @param {number} whole */
function percent(part, whole) {
  return whole === 0 ? '–' : `${Math.round((part * 100) / whole)} %`
}
