// Prints the effect of disk trouble on acknowledged events. Exits with 1 when a figure misses its bar.
import { readProofArguments } from '../report/arguments.ts'
import { none, proofReport } from '../report/report.ts'
import { buildShim } from '../stage/shim.ts'
import {
  fileSizeLimit,
  fullDisk,
  onSlowDisk,
  refusingDisk,
  type SlownessFindings,
  slowDisk,
  type Trouble,
  throughTrouble,
} from './trouble.ts'

const SMALL_DISK_MB = 32
/** How long the trouble lasts after the first refusal. */
const TROUBLE_MS = 3_000
const BACK_WITHIN_MS = 15_000
const SLOW_FOR_MS = 15_000
/** Maximum ms that a slow disk may add to the p99 of acknowledgements. */
const SLOW_ADDS_MS = 500

const asked = readProofArguments({ rounds: 1, rate: 200 })
const { section, line, must, end } = proofReport('Disk in trouble', asked, { name: 'disk', script: 'prove:disk' })
const shim = buildShim()

for (let round = 1; round <= asked.rounds; round++) {
  const seed = asked.seed + round - 1
  const full = fullDisk(SMALL_DISK_MB)
  if (full.outcome === 'possible') {
    await reportTrouble(`full disk: a file system of ${SMALL_DISK_MB} MB`, full.trouble, seed)
    const again = fullDisk(SMALL_DISK_MB)
    if (again.outcome === 'possible')
      await reportTrouble('full disk, and kill -9 while it is full', again.trouble, seed, true)
  }
  const limited = fileSizeLimit()
  if (limited.outcome === 'possible')
    await reportTrouble('full disk: files may not grow (RLIMIT_FSIZE)', limited.trouble, seed)
  if (full.outcome === 'not_possible') {
    section('full disk: a file system of its own')
    line('not possible here', full.sentence)
    must(limited.outcome === 'possible', `A full disk could not be shown. ${full.sentence}`)
  }
  if (shim.outcome === 'built') {
    await reportTrouble('read-only disk (every write answers EROFS)', refusingDisk(shim.library, 'read-only'), seed)
    await reportTrouble('failing disk (every sync answers EIO)', refusingDisk(shim.library, 'sync fails'), seed)
    for (const connections of ['kept', 'new'] as const) {
      const usual = await tellSlow(0, connections, seed)
      const slow = await tellSlow(5, connections, seed)
      line('p99 beside the same disk as it is', `${(slow - usual).toFixed(0)} ms more`, {
        bar: `under ${SLOW_ADDS_MS} ms more`,
        met: slow - usual < SLOW_ADDS_MS,
      })
      must(usual < SLOW_ADDS_MS, `p99 is ${usual.toFixed(0)} ms on the disk as it is; this machine is too busy to tell`)
      must(slow - usual < SLOW_ADDS_MS, `5 ms more for each sync add ${(slow - usual).toFixed(0)} ms to the p99`)
      await tellSlow(50, connections, seed)
    }
  } else {
    section('read-only, failing and slow disk')
    line('not possible here', shim.sentence)
    must(false, `A read-only, a failing and a slow disk could not be shown. ${shim.sentence}`)
  }
}
end()

async function reportTrouble(title: string, trouble: Trouble, seed: number, killed = false): Promise<void> {
  section(title)
  const found = await throughTrouble(trouble, { rate: asked.rate, seed, ms: TROUBLE_MS, killed })
  line('while in trouble: answered 200 / 503', `${found.taken} / ${found.refused}`)
  line('while in trouble: answered otherwise', found.otherAnswers.join(', ') || 'none', {
    bar: 'none',
    met: found.otherAnswers.length === 0,
  })
  line('while in trouble: answered 200 and not in the file', found.falselyAcknowledged, none(found.falselyAcknowledged))
  line('while in trouble: healthz / readyz', `${found.health} / ${found.readiness}`)
  if (found.startsInTrouble !== null) {
    line('killed while in trouble: starts again before it is over', found.startsInTrouble ? 'yes' : 'NO')
    must(found.startsInTrouble, `${title}: it does not start while the disk is full`)
  }
  line(
    'takes events in again after',
    found.backAfter === null ? 'NEVER' : `${Math.round(found.backAfter)} ms, with no help`,
    { bar: `at most ${BACK_WITHIN_MS / 1000} s`, met: found.backAfter !== null && found.backAfter <= BACK_WITHIN_MS },
  )
  must(found.refused > 0, `${title}: nothing was refused, so nothing is shown`)
  must(found.otherAnswers.length === 0, `${title}: answers other than 200 and 503: ${found.otherAnswers.join(', ')}`)
  must(
    found.falselyAcknowledged === 0,
    `${title}: ${found.falselyAcknowledged} events were acknowledged and not stored`,
  )
  must(found.health === 200, `${title}: healthz answered ${found.health}`)
  must(found.backAfter !== null && found.backAfter <= BACK_WITHIN_MS, `${title}: it did not recover by itself in time`)
  tellEnd(title, found)
}

/** Resolves with the p99 of acknowledgements, ms. */
async function tellSlow(ms: number, connections: 'kept' | 'new', seed: number): Promise<number> {
  const how = connections === 'kept' ? 'connections kept' : 'a new connection for each event'
  const title = ms === 0 ? `the disk as it is, ${how}` : `slow disk: every sync takes ${ms} ms longer, ${how}`
  section(title)
  if (shim.outcome !== 'built') return Number.NaN
  const found = await onSlowDisk(slowDisk(shim.library, ms), { rate: asked.rate, seed, ms: SLOW_FOR_MS, connections })
  line('acknowledged per second', found.perSecond.toFixed(0))
  line(
    'acknowledged after, p50 / p99 / max',
    [found.p50, found.p99, found.max].map((one) => `${one.toFixed(0)} ms`).join(' / '),
  )
  if (found.syncs !== null) line('acknowledged per sync of the disk', (found.meanwhile / found.syncs).toFixed(1))
  line('answered otherwise', found.otherAnswers.join(', ') || 'none')
  must(found.otherAnswers.length === 0, `${title}: answers other than 200: ${found.otherAnswers.join(', ')}`)
  tellEnd(title, found)
  return found.p99
}

function tellEnd(
  title: string,
  {
    acknowledged,
    file,
    neverAnswered,
    neverArrived,
    drained,
  }: Pick<SlownessFindings, 'acknowledged' | 'file' | 'neverAnswered' | 'neverArrived' | 'drained'>,
): void {
  line('acknowledged in all', acknowledged)
  line('acknowledged and lost', file.missing.length, none(file.missing.length))
  const undelivered = file.undelivered.length + neverArrived
  line('acknowledged and not delivered', undelivered, none(undelivered))
  line('file', `${file.integrity}, ${file.events} events, ${file.waiting} waiting`)
  for (const sentence of file.wrongCounters) line('counter', sentence)
  must(neverAnswered === 0, `${title}: ${neverAnswered} events could not be handed in even afterwards`)
  must(neverArrived === 0, `${title}: ${neverArrived} acknowledged events never arrived`)
  must(file.missing.length === 0, `${title}: ${file.missing.length} acknowledged events are lost`)
  must(file.undelivered.length === 0, `${title}: ${file.undelivered.length} acknowledged events are not delivered`)
  must(file.waiting === 0, `${title}: ${file.waiting} deliveries are stuck`)
  must(file.storedTwice === 0, `${title}: ${file.storedTwice} events are stored twice`)
  must(file.integrity === 'ok', `${title}: the file is damaged: ${file.integrity}`)
  must(file.wrongCounters.length === 0, `${title}: ${file.wrongCounters.length} counters are wrong`)
  must(drained, `${title}: the server did not drain`)
}
