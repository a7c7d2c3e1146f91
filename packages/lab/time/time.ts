// 72 simulated hours of everything that can happen, seed after seed. Exits with 1 when the model disagrees once.
import { type ChildProcess, fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { commandLine, type Figure, recordFigures } from '../report/figures.ts'
import { keepFigures } from '../report/kept-figures.ts'
import { describeMachine } from '../report/machine.server.ts'
import { type RunResult, runSeed } from './run.server.ts'
import { SABOTAGES } from './sabotage.ts'

interface Task {
  seed: number
  hours: number
  auditEvery: number
  sabotage: string | null
}

/** A planted fault must be found within this many seeds. */
const SEEDS_PER_SABOTAGE = 10

/** This many seeds meet every possible situation. */
const SEEDS_THAT_MEET_ALL = 50
const MUST_BE_MET = [
  ...['delivered', 'failed', 'gone', 'hopeless', 'maintenance', 'overloaded', 'rate_limited'].map(
    (says) => `answer: ${says}`,
  ),
  ...['regular', 'probe', 'by_hand', 'test'].map((kind) => `attempt: ${kind}`),
  'attempt in flight at a hand-over',
  'deadline moved by a return',
  'ended with its replay',
  'event recognised as a repeat',
  'event refused: too much waits',
  'given up while held',
  'last try at the deadline',
  'overdue retry spread after a take-over',
  'settled by the success of another',
  'take-over',
]

const { figures, group, keep } = keepFigures()

const USAGE = 'Usage: prove:time [--seeds 100] [--from 1] [--seed 17] [--hours 72] [--jobs 2]'
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    hours: { type: 'string', default: '72' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    worker: { type: 'boolean', default: false },
  },
})

if (values.worker) work()
else await main()

/** A worker process that runs one seed after the other for its parent. */
function work(): void {
  process.on('message', async (task: Task) => {
    process.send?.(await run(task))
  })
  process.on('disconnect', () => process.exit())
}

function run({ sabotage, ...task }: Task): Promise<RunResult> {
  const fault = sabotage === null ? undefined : SABOTAGES[sabotage]
  return runSeed({ ...task, ...(fault && { sabotage: fault }) })
}

async function main(): Promise<void> {
  const one = values.seed === undefined ? null : wholeNumber(values.seed)
  const first = one ?? wholeNumber(values.from)
  const count = one === null ? wholeNumber(values.seeds) : 1
  const hours = wholeNumber(values.hours)
  const jobs = Math.min(wholeNumber(values.jobs), count)

  console.log(`Three days in pretend time, against a model\n${describeMachine()}`)
  console.log(`${count} seeds from ${first}, ${hours} h each, ${jobs} at a time`)
  const started = performance.now()
  const workers = Array.from({ length: jobs }, () => fork(process.argv[1] ?? '', ['--worker']))
  try {
    const faults: string[] = []
    // A single seed is audited at every step.
    const plan = { hours, auditEvery: one === null ? 20 : 1, sabotage: null }
    const seeds = Array.from({ length: count }, (_, n) => ({ ...plan, seed: first + n }))
    const results = await runAll(
      workers,
      seeds,
      ({ violations }) => violations.length > 0,
      (done) => {
        if (done % 20 === 0) line(`… ${done} seeds`, `${secondsSince(started)} s`)
      },
    )
    tellFigures(results)
    if (count >= SEEDS_THAT_MEET_ALL) faults.push(...neverMet(results))
    for (const result of results) {
      if (result.violations.length === 0) continue
      faults.push(`seed ${result.seed}: ${result.violations[0]}`)
      tellFailure(result, hours)
    }
    if (one === null && faults.length === 0) faults.push(...(await runSabotages(workers, { ...plan, seed: first })))
    console.log(`\n${faults.length === 0 ? 'PASSED' : 'FAILED'} in ${secondsSince(started)} s`)
    for (const fault of faults) console.log(`  ${fault}`)
    process.exitCode = faults.length === 0 ? 0 : 1
    const options = one === null ? { seeds: count, from: first, hours } : { seed: one, hours }
    recordFigures('time', { command: commandLine('prove:time', options), figures, faults })
  } finally {
    for (const worker of workers) worker.disconnect()
  }
}

function wholeNumber(text: string): number {
  const number = Number(text)
  if (Number.isInteger(number) && number > 0) return number
  console.error(USAGE)
  process.exit(2)
}

function secondsSince(moment: number): string {
  return ((performance.now() - moment) / 1000).toFixed(1)
}

/** Situations that occurred on no seed: a proof that never met them shows nothing about them. */
function neverMet(results: RunResult[]): string[] {
  return MUST_BE_MET.filter((what) => results.every(({ seen }) => !seen[what])).map((what) => `never met: ${what}`)
}

/** Spreads tasks over the workers; starts no new one once `enough` holds for a result. */
async function runAll(
  workers: ChildProcess[],
  tasks: Task[],
  enough: (result: RunResult) => boolean,
  tell: (done: number) => void = () => {},
): Promise<RunResult[]> {
  const waiting = [...tasks]
  const results: RunResult[] = []
  await Promise.all(
    workers.map(async (worker) => {
      for (let task = waiting.shift(); task; task = waiting.shift()) {
        const result = await ask(worker, task)
        results.push(result)
        tell(results.length)
        if (enough(result)) waiting.length = 0
      }
    }),
  )
  return results.sort((a, b) => a.seed - b.seed)
}

function ask(worker: ChildProcess, task: Task): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`a worker ended with ${code} on seed ${task.seed}`))
    worker.once('exit', ended)
    worker.once('message', (result) => {
      worker.off('exit', ended)
      resolve(result as RunResult)
    })
    worker.send(task)
  })
}

/** Controls: with each planted fault, the model must disagree. */
async function runSabotages(workers: ChildProcess[], plan: Task): Promise<string[]> {
  group('Control: faults put in on purpose, and after how many seeds they are noticed')
  console.log('\nControl: faults put in on purpose, and after how many seeds they are noticed')
  const unnoticed: string[] = []
  for (const sabotage of Object.keys(SABOTAGES)) {
    const tasks = Array.from({ length: SEEDS_PER_SABOTAGE }, (_, n) => ({ ...plan, sabotage, seed: plan.seed + n }))
    const results = await runAll(workers, tasks, ({ violations }) => violations.length > 0)
    const noticed = results.find(({ violations }) => violations.length > 0)
    line(sabotage, noticed ? `${noticed.seed - plan.seed + 1}: ${noticed.violations[0]}` : 'NOT NOTICED', {
      bar: 'noticed',
      met: noticed !== undefined,
    })
    if (!noticed) unnoticed.push(`control: not noticed that ${sabotage}`)
  }
  return unnoticed
}

function line(label: string, value: string | number, bar?: Pick<Figure, 'bar' | 'met'>): void {
  if (!label.startsWith('…')) keep(label, value, bar)
  console.log(`  ${label.padEnd(52)}${value}`)
}

function tellFigures(results: RunResult[]): void {
  const sum = (pick: (result: RunResult) => number) => results.reduce((total, result) => total + pick(result), 0)
  console.log('')
  line('seeds run', results.length)
  line('pretend time, hours', Math.round(sum(({ lasted }) => lasted) / 3_600_000))
  line(
    'steps',
    sum(({ steps }) => steps),
  )
  line(
    'processes',
    sum(({ processes }) => processes),
  )
  line(
    'events',
    sum(({ events }) => events),
  )
  line(
    'deliveries',
    sum(({ deliveries }) => deliveries),
  )
  for (const end of ['delivered', 'expired', 'stopped'] as const)
    line(
      `  ${end}`,
      sum(({ ends }) => ends[end]),
    )
  line(
    'requests',
    sum(({ requests }) => requests),
  )
  const names = [...new Set(results.flatMap(({ seen }) => Object.keys(seen)))].sort()
  for (const name of names)
    line(
      `  ${name}`,
      sum(({ seen }) => seen[name] ?? 0),
    )
  const disagree = results.filter(({ violations }) => violations.length > 0).length
  line('seeds on which engine and model disagree', disagree, { bar: '0', met: disagree === 0 })
}

function tellFailure({ seed, violations, trail }: RunResult, hours: number): void {
  console.log(`\nSeed ${seed}, the last steps:`)
  for (const text of trail) console.log(text)
  console.log(`\nSeed ${seed} FAILED:`)
  for (const violation of violations.slice(0, 10)) console.log(`  ${violation}`)
  console.log(`Again: npm run prove:time -- --seed ${seed}${hours === 72 ? '' : ` --hours ${hours}`}`)
}
