// Prints the results of killing a run's process at every boundary. Exits with 1 when a figure misses its bar.
import { percentile, readProofArguments } from '../report/arguments.ts'
import { none, proofReport } from '../report/report.ts'
import { killAtEveryBoundary, RESUMED_WITHIN, withoutCare } from './boundaries.server.ts'
import { NOTHING_FOUND, type RunFinding } from './judge.server.ts'
import { storm } from './storm.server.ts'

/** Figures that are summed over all storms. */
const COUNTS = [
  'unknown',
  'unknownAndSent',
  'repeatedMessages',
  'repeatedRecords',
  'repeatedNotifications',
  'lostRuns',
  'runs',
  'deaths',
  'exchanges',
  'faults',
] as const

const { rounds, seed } = readProofArguments({ rounds: 1000, rate: 1 })
const { section, line, must, end } = proofReport(
  'Automation runs',
  { runs: rounds, seed },
  { name: 'automation', script: 'prove:automation', options: { rounds, seed } },
)

section('the process ended before and after every commit and every exchange with the outside')
const began = performance.now()
let told = 0
const found = await killAtEveryBoundary({
  seed,
  runs: rounds,
  onProgress(killed) {
    if (killed < told + 100) return
    told = killed - (killed % 100)
    line(`… ${told} runs`, `${((performance.now() - began) / 1000).toFixed(0)} s`)
  },
})
line('runs whose process was ended', found.killed, { bar: `${rounds} or more`, met: found.killed >= rounds })
line('ends of a process', found.deaths)
line('rules gone through at every boundary', found.rules)
for (const [place, count] of [...found.places].sort(([a], [b]) => (a < b ? -1 : 1))) line(`  ended ${place}`, count)
const slowest = Math.max(...found.resumedAfter)
line('at work again: p50 / max', `${percentile(found.resumedAfter, 0.5).toFixed(1)} s / ${slowest.toFixed(1)} s`, {
  bar: `at most ${RESUMED_WITHIN} s`,
  met: slowest <= RESUMED_WITHIN,
})
tell(found)
judge('every boundary', found)
must(found.killed >= rounds, `only ${found.killed} runs were ended`)
must(slowest <= RESUMED_WITHIN, `a run was at work again only after ${slowest} s`)

section('many runs at once, processes ended at random, a platform that fails')
const storms = Math.max(1, Math.round(rounds / 100))
const inStorms = { ...NOTHING_FOUND, runs: 0, deaths: 0, exchanges: 0, faults: 0, wrong: [] as string[] }
for (let number = 0; number < storms; number++) {
  const one = await storm({ seed: seed + number, runs: 30, deaths: 20 })
  for (const name of COUNTS) inStorms[name] += one[name]
  inStorms.wrong.push(...one.wrong)
}
line('storms / runs / ends of a process', `${storms} / ${inStorms.runs} / ${inStorms.deaths}`)
line('exchanges with the platform / failed', `${inStorms.exchanges} / ${inStorms.faults}`)
tell(inStorms)
judge('storms', inStorms)

section('control: messages to customers treated as if they could be repeated')
const control = await killAtEveryBoundary({ seed, runs: 40, sabotage: withoutCare })
line('messages that reached a customer twice', control.repeatedMessages, {
  bar: 'more than 0',
  met: control.repeatedMessages > 0,
})
must(control.repeatedMessages > 0, 'the control shows no repeated message, so the proof would not see one')

end()

function tell(it: RunFinding): void {
  line(
    'messages that may have been sent, left to a person',
    `${it.unknown}, of which ${it.unknownAndSent} had gone out`,
  )
  line('messages that reached a customer twice', it.repeatedMessages, none(it.repeatedMessages))
  line('records made twice', it.repeatedRecords, none(it.repeatedRecords))
  line('notifications under a second key', it.repeatedNotifications, none(it.repeatedNotifications))
  line('runs lost', it.lostRuns, none(it.lostRuns))
  for (const sentence of it.wrong.slice(0, 20)) line('  WRONG', sentence)
}

function judge(where: string, it: RunFinding): void {
  must(it.unknown > 0, `${where}: no message was on its way when a process ended, so nothing is shown`)
  must(it.repeatedMessages === 0, `${where}: ${it.repeatedMessages} messages reached a customer twice`)
  must(it.repeatedRecords === 0, `${where}: ${it.repeatedRecords} records were made twice`)
  must(it.repeatedNotifications === 0, `${where}: ${it.repeatedNotifications} notifications came under a second key`)
  must(it.lostRuns === 0, `${where}: ${it.lostRuns} runs are lost`)
  must(it.wrong.length === 0, `${where}: ${it.wrong.length} findings`)
}
