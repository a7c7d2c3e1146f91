// Prints the losses of a power cut. Exits with 1 when a figure misses its bar.
import { readProofArguments } from '../report/arguments.ts'
import { type Bar, none, proofReport } from '../report/report.ts'
import { buildShim } from '../stage/shim.ts'
import { cutPower, type PowerOutcome } from './cut.ts'

/** The control shows its loss at the first cut; a few more show that this is no accident. */
const CONTROL_ROUNDS = 4

const asked = readProofArguments({ rounds: 12, rate: 600 })
const { section, line, must, end } = proofReport('Power cut', asked, { name: 'power', script: 'prove:power' })
const shim = buildShim()

if (shim.outcome === 'built') {
  section('synced as the server does it')
  const found = await cutPower(shim.library, asked, 'as it is')
  tell(found, none(found.lost))
  must(found.lost === 0, `${found.lost} acknowledged events were lost`)
  must(found.neverArrived === 0, `${found.neverArrived} acknowledged events never arrived`)
  must(found.file.missing.length === 0, `${found.file.missing.length} acknowledged events are not stored at the end`)
  must(found.file.undelivered.length === 0, `${found.file.undelivered.length} acknowledged events are not delivered`)
  must(found.file.waiting === 0, `${found.file.waiting} deliveries are stuck`)
  must(found.file.storedTwice === 0, `${found.file.storedTwice} events are stored twice`)
  must(found.file.wrongCounters.length === 0, `counters are wrong: ${found.file.wrongCounters.join('; ')}`)
  must(found.differentIds === 0, `${found.differentIds} events came under two webhook-ids`)

  section('control: the same server, whose log is never synced')
  const control = await cutPower(shim.library, { ...asked, rounds: Math.min(asked.rounds, CONTROL_ROUNDS) }, 'never')
  tell(control, { bar: 'more than 0', met: control.lost > 0 })
  must(control.lost > 0, 'the control lost nothing, so this proof could not have found a loss: it is broken')
} else {
  line('not possible', shim.sentence)
  must(false, `What a power cut takes with it could not be shown. ${shim.sentence}`)
}
end()

function tell(found: PowerOutcome, loss: Bar): void {
  line('cuts / disks looked at', `${found.cuts} / ${found.disks}`)
  line('acknowledged', found.acknowledged)
  line('syncs of the database and its log', found.syncs)
  line('acknowledged and lost', `${found.lost}, after ${found.lossyCuts} of ${found.cuts} cuts`, loss)
  line('delivered twice, in all', found.repeats)
  line('files damaged', found.damage.length === 0 ? 'none' : found.damage.join('; '), {
    bar: 'none',
    met: found.damage.length === 0,
  })
  line('file at the end', `${found.file.integrity}, ${found.file.events} events, ${found.file.waiting} waiting`)
  must(found.acknowledged > 0, 'nothing was acknowledged, so nothing is shown')
  must(found.damage.length === 0, `a file was damaged: ${found.damage.join('; ')}`)
  must(found.file.integrity === 'ok', `the file is damaged at the end: ${found.file.integrity}`)
}
