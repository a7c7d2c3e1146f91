// Prints what a server loses when it is killed without warning. Exits with 1 when a figure misses its bar.
import { percentile, readProofArguments } from '../report/arguments.ts'
import { none, proofReport } from '../report/report.ts'
import { FAULT_PLACES, FAULT_POINTS } from './faults.ts'
import { type FaultFinding, killAtFaultPoints, killAtRandomMoments, killInMigration, SLOTS } from './kill.ts'

const asked = readProofArguments({ rounds: 200, rate: 600 })
const report = proofReport('Crash', asked, { name: 'crash', script: 'prove:crash' })
const { section, line, must } = report

section(`kill -9 at random moments, 50 to 800 ms into each round, at ${asked.rate} events/s`)
const began = performance.now()
const found = await killAtRandomMoments(asked, (done) => {
  if (done % 25 === 0) line(`… ${done} kills`, `${((performance.now() - began) / 1000).toFixed(0)} s`)
})
line('kills', found.kills)
line('events sent / answered 200', `${found.sent} / ${found.acknowledged}`)
line('acknowledged per second of load', found.perSecond.toFixed(0))
line('calls cut off by a kill, and sent again', found.cutOff)
line(
  'back after a kill, first event taken in: p50 / max',
  `${ms(percentile(found.backAfter, 0.5))} / ${ms(Math.max(...found.backAfter))}`,
)
line('acknowledged and lost', found.file.missing.length, none(found.file.missing.length))
const undelivered = found.file.undelivered.length + found.neverArrived
line('acknowledged and not delivered', undelivered, none(undelivered))
line('stored twice', found.file.storedTwice, none(found.file.storedTwice))
line('delivered twice, in all / most after one kill', `${found.repeats} / ${found.mostRepeatsOfOneKill}`, {
  bar: `at most ${SLOTS} after one kill`,
  met: found.mostRepeatsOfOneKill <= SLOTS,
})
line('delivered twice under another webhook-id', found.differentIds, none(found.differentIds))
line('still waiting at the end', found.file.waiting, none(found.file.waiting))
line('file', `${found.file.integrity}, ${found.file.events} events`)
for (const sentence of found.file.wrongCounters) line('counter', sentence)
judge('random moments', found)
must(
  found.mostRepeatsOfOneKill <= SLOTS,
  `${found.mostRepeatsOfOneKill} repeated after one kill, more than ${SLOTS} slots`,
)
must(found.repeats <= SLOTS * found.kills, `${found.repeats} repeated by ${found.kills} kills`)

section('killed at chosen statements')
const { faults, end } = await killAtFaultPoints(
  FAULT_PLACES.flatMap((place) => FAULT_POINTS.map((point) => ({ place, point }))),
  asked,
)
for (const fault of [...faults, ...(await killInMigration())]) tellFault(fault)
line('delivered again, the replays among them', end.repeats)
line('acknowledged and lost', end.file.missing.length, none(end.file.missing.length))
line('file at the end', `${end.file.integrity}, ${end.file.events} events, ${end.file.waiting} waiting`)
for (const sentence of end.file.wrongCounters) line('counter', sentence)
judge('chosen statements', end)

report.end()

function judge(
  where: string,
  it: Omit<typeof found, 'kills' | 'backAfter' | 'perSecond' | 'mostRepeatsOfOneKill'>,
): void {
  const { file } = it
  must(it.acknowledged > 0, `${where}: nothing was acknowledged, so nothing is shown`)
  must(it.neverAnswered === 0, `${where}: ${it.neverAnswered} events could not be handed in even afterwards`)
  must(file.missing.length === 0, `${where}: ${file.missing.length} acknowledged events are lost`)
  must(it.neverArrived === 0, `${where}: ${it.neverArrived} acknowledged events never arrived`)
  must(file.undelivered.length === 0, `${where}: ${file.undelivered.length} acknowledged events are not delivered`)
  must(file.waiting === 0, `${where}: ${file.waiting} deliveries are stuck`)
  must(file.storedTwice === 0, `${where}: ${file.storedTwice} events are stored twice`)
  must(it.differentIds === 0, `${where}: ${it.differentIds} events came under two webhook-ids`)
  must(file.integrity === 'ok', `${where}: the file is damaged: ${file.integrity}`)
  must(file.wrongCounters.length === 0, `${where}: ${file.wrongCounters.length} counters are wrong`)
  must(it.drained, `${where}: the server did not drain`)
}

function tellFault({ name, point, reached, wrong }: FaultFinding): void {
  line(`${name}, ${point}`, !reached ? 'NOT REACHED' : (wrong ?? 'nothing lost'), {
    bar: 'nothing lost',
    met: reached && wrong === null,
  })
  must(reached, `${name}, ${point}: the server did not come there, so nothing is shown`)
  must(wrong === null, `${name}, ${point}: ${wrong}`)
}

function ms(value: number): string {
  return `${Math.round(value)} ms`
}
