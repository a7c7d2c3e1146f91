// Compares a run's journal with what arrived: each message at most once, each record once, and never a wrong text.
import type { RunRecord } from '#app/domain/automations/run-record.ts'
import { settleUnknown } from '#app/features/automations/history/run-again.server.ts'
import type { AutomationWorld } from '#tests/support/automation-world.server.ts'
import { NOTIFIED } from './rules.ts'

export interface RunFinding {
  /** Messages that may have been sent, and were left for a person. */
  unknown: number
  /** How many of those had really been sent. */
  unknownAndSent: number
  repeatedMessages: number
  repeatedRecords: number
  repeatedNotifications: number
  lostRuns: number
  /** Sentences, each naming its run. */
  wrong: string[]
}

export const NOTHING_FOUND: Omit<RunFinding, 'wrong'> = {
  unknown: 0,
  unknownAndSent: 0,
  repeatedMessages: 0,
  repeatedRecords: 0,
  repeatedNotifications: 0,
  lostRuns: 0,
}

export interface JudgedRun {
  name: string
  account: string
  runId: number
}

/** A person checks every message that may have been sent, and settles it correctly. Returns how many. */
export async function settleByHand(
  world: AutomationWorld,
  finding: RunFinding,
  { name, account, runId }: JudgedRun,
  wake: () => void,
): Promise<number> {
  const open = (await world.run(runId, account)).journal.filter(({ state }) => state === 'unknown')
  for (const row of open) {
    const arrived = arrivals(world, account, row)
    finding.unknown++
    finding.unknownAndSent += Math.min(1, arrived)
    if (row.effect.class !== 'customer') {
      finding.wrong.push(`${name}: ${row.stepId} is left unclear though it can be looked for`)
    }
    await settleUnknown({ ...world.app, wakeRuns: wake }, account, runId, row, arrived > 0 ? 'went_out' : 'send')
  }
  return open.length
}

/** Call this when nothing is in flight any more. */
export async function judgeRun(world: AutomationWorld, finding: RunFinding, judged: JudgedRun): Promise<void> {
  const { name, account, runId } = judged
  const run = await world.run(runId, account)
  if (run.state !== 'done') {
    finding.lostRuns++
    finding.wrong.push(`${name}: the run is ${run.state} (${run.reason ?? ''})`)
  } else if (run.outcome !== 'success') {
    finding.wrong.push(`${name}: it ended as ${String(run.outcome)} (${run.reason ?? ''})`)
  }
  for (const row of run.journal) {
    if (row.effect.kind === 'send_sms' || row.effect.kind === 'send_email') judgeMessage(world, finding, judged, row)
    if (row.effect.kind === 'create_record' || row.effect.kind === 'produce_document') {
      judgeRecord(world, finding, judged, row)
    }
  }
  judgeNotifications(world, finding, judged, run)
}

function judgeMessage(world: AutomationWorld, finding: RunFinding, { name, account }: JudgedRun, row: Row): void {
  const arrived = arrivals(world, account, row)
  if (arrived > 1) {
    finding.repeatedMessages += arrived - 1
    finding.wrong.push(`${name}: ${row.stepId}/${row.itemKey} arrived ${arrived} times`)
  }
  if (row.state === 'sent' && arrived === 0) {
    finding.wrong.push(`${name}: ${row.stepId} is said to be sent and never arrived`)
  }
  if (row.state !== 'sent' && arrived > 0) finding.wrong.push(`${name}: ${row.stepId} arrived and is ${row.state}`)
}

function judgeRecord(world: AutomationWorld, finding: RunFinding, { name, account }: JudgedRun, row: Row): void {
  const made = world.platform.made.filter((one) => one.account === account && one.uuid === row.clientUuid).length
  if (row.state === 'sent' && made === 0)
    finding.wrong.push(`${name}: ${row.stepId} is said to be made and is not there`)
}

/** A record created under an id that no journal knows is a duplicate. */
export function judgeRecords(world: AutomationWorld, finding: RunFinding): void {
  const known = new Set(world.rows('SELECT client_uuid AS uuid FROM run_step').map(({ uuid }) => String(uuid)))
  const seen = new Set<string>()
  for (const { object, uuid } of world.platform.made) {
    if (known.has(uuid) && !seen.has(uuid)) seen.add(uuid)
    else {
      finding.repeatedRecords++
      finding.wrong.push(`a ${object} was made that no journal knows`)
    }
  }
}

function judgeNotifications(world: AutomationWorld, finding: RunFinding, { name }: JudgedRun, run: RunRecord): void {
  for (const { effect, clientUuid } of run.journal) {
    if (effect.kind !== 'post_webhook') continue
    const same = world.outbound.sentTo(NOTIFIED).filter(({ body }) => body === effect.body)
    if (same.every(({ headers }) => headers['idempotency-key'] === clientUuid)) continue
    finding.repeatedNotifications++
    finding.wrong.push(`${name}: a notification came under a second key`)
  }
}

type Row = RunRecord['journal'][number]

function arrivals({ platform }: AutomationWorld, account: string, { effect }: Row): number {
  const own = platform.messages.filter((one) => one.account === account)
  if (effect.kind === 'send_sms') return own.filter((one) => one.to === effect.to && one.text === effect.message).length
  if (effect.kind === 'send_email') {
    return own.filter((one) => one.to === effect.to && one.subject === effect.subject).length
  }
  return 0
}
