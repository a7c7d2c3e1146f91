// Stores the results of attempts with two round trips, four when a receiver ended its address. Rows are locked as in
// `intake.server.ts`: endpoints first, each table in the order of its keys.
import { type DecidedReport, type PresentAddress, type SettleRows, settleAttempts } from '../acts.ts'
import type { Database, Step } from '../database.ts'
import { HEALTH, healthFrom } from '../sql/endpoints/endpoint-rows.server.ts'
import { noteEndpoint, type Sent, storedReports } from '../sql/hot/settle.server.ts'
import { type Tally, tallies } from '../sql/hot/tally.server.ts'
import type { AttemptReport, DeliveryStore, SettleOptions } from '../store/deliveries.ts'
import type { PostgresConnections } from './client.server.ts'
import { together } from './database.server.ts'
import {
  type AttemptRow,
  countReplay,
  type DeliveryRow,
  type SettledBatch,
  settledWriter,
} from './settled-rows.server.ts'

interface Look {
  addresses: Map<number, PresentAddress>
  deliveries: Map<number, DeliveryRow>
}

/** Answers as `settleAttempts` of `db/sql` does; a report that cannot be stored breaks the whole batch here too. */
export function settleSet({ locked: db }: PostgresConnections): Pick<DeliveryStore, 'settleAttempts'> {
  const lookAt = looker(db)
  const dueAfter = storedReports(db)
  const write = settledWriter(db)
  const newTally = tallies(db)

  function rowsOf(reports: readonly AttemptReport[]): SettleRows {
    let look: Look
    return {
      *addressesOf(endpointIds) {
        look = yield* lookAt(endpointIds, reports)
        return look.addresses
      },
      dueAfter,
      settle: (decided, reasons) => write(follow(decided, look, reasons, newTally()), reasons),
    }
  }
  return { settleAttempts: db.write((reports, options) => settleAttempts(rowsOf(reports), reports, options)) }
}

function looker(db: Database): (endpointIds: readonly number[], reports: readonly AttemptReport[]) => Step<Look> {
  const addressesOf = db
    .prepare<object, unknown[]>(
      `SELECT p.id, p.url, ${HEALTH.columns} FROM endpoint p WHERE p.id = ANY(@ids::bigint[]) ORDER BY p.id
       FOR NO KEY UPDATE`,
    )
    .raw()
  // Those reported, and the others of their events to their endpoints: a success ends them too. Asking for pending ones
  // only would offer the index of an endpoint's pending ones, which is full of dead entries.
  const deliveriesOf = db.prepare<object, DeliveryRow>(
    `SELECT id, event_seq AS eventSeq, endpoint_id AS endpointId, account_uuid AS accountUuid, cause, cause_no AS causeNo,
       state, state_reason AS stateReason, due_at AS dueAt, attempts, steps, last_code AS lastCode, settled_at AS settledAt
     FROM delivery WHERE id IN (
       SELECT unnest(@ids::bigint[])
       UNION SELECT s.id FROM unnest(@seqs::bigint[], @endpoints::bigint[]) AS g(seq, endpoint_id)
         JOIN delivery s ON s.event_seq = g.seq AND s.endpoint_id = g.endpoint_id)
     ORDER BY id FOR NO KEY UPDATE`,
  )
  return function* (endpointIds, reports) {
    const jobs = reports.map(({ job }) => job)
    const [endpoints, deliveries] = yield* together([
      addressesOf.all({ ids: [...new Set(endpointIds)] }),
      deliveriesOf.all({
        ids: jobs.map(({ id }) => id),
        seqs: jobs.map(({ eventSeq }) => eventSeq),
        endpoints: jobs.map(({ endpointId }) => endpointId),
      }),
    ])
    const look: Look = { addresses: new Map(), deliveries: new Map() }
    for (const [id, url, ...values] of endpoints) {
      look.addresses.set(id as number, { url: url as string, health: healthFrom(HEALTH.rowOf(values)) })
    }
    for (const row of deliveries) look.deliveries.set(row.id, row)
    return look
  }
}

function follow(
  decided: readonly DecidedReport[],
  look: Look,
  reasons: SettleOptions['reasons'],
  tally: Tally,
): SettledBatch {
  const batch: SettledBatch = {
    settled: [],
    attempts: [],
    changed: new Set(),
    endpoints: new Map(),
    replays: new Map(),
    tally,
  }
  for (const { report, before, moved, settlement } of decided) {
    const { job, result, endedAt } = report
    const { id: deliveryId, endpointId } = job
    if (result.kind !== 'sent' || settlement === null) {
      if (result.kind !== 'sent') endUntried(report, result.reason, look, batch)
      batch.settled.push({ deliveryId, endpointId, dueAt: null, outcome: null, moved, endpoint: before })
      continue
    }
    const { outcome } = result.verdict
    batch.attempts.push(attemptOf(report, result))
    if (!moved) noteEndpoint(batch.endpoints, report, result, before, settlement.endpoint)
    const delivered = { delivered: 1, durationMs: result.durationMs }
    tally.hour(endpointId, endedAt, outcome === 'delivered' ? delivered : { failed: 1 })
    const dueAt = next(report, result, settlement.delivery, look, batch, reasons.deliveredByAnother)
    batch.settled.push({ deliveryId, endpointId, dueAt, outcome, moved, endpoint: settlement.endpoint })
  }
  return batch
}

/** When it is due again; null = never. A delivery settled meanwhile keeps its state: only the attempt counts. */
function next(
  report: AttemptReport,
  { verdict }: Sent,
  step: NonNullable<DecidedReport['settlement']>['delivery'],
  { deliveries }: Look,
  batch: SettledBatch,
  deliveredByAnother: string,
): number | null {
  const { job, endedAt } = report
  const row = deliveries.get(job.id)
  const isPending = row?.state === 'pending'
  if (row) {
    row.attempts++
    row.lastCode = verdict.statusCode
    batch.changed.add(row)
  }
  if (step.step === 'retry') {
    if (!row || !isPending) return null
    row.dueAt = step.at
    row.steps = step.steps
    return step.at
  }
  const isDelivered = step.step === 'done'
  if (row && isPending) {
    Object.assign(row, {
      state: step.step === 'done' ? 'delivered' : step.step,
      stateReason: step.step === 'done' ? null : step.reason,
      settledAt: endedAt,
    })
    ended(batch, report, job.cause, job.causeNo, isDelivered)
    if (isDelivered && job.cause !== 'test') batch.tally.usage(job.accountUuid, endedAt, 'webhook_forwarded')
  }
  if (isDelivered) endOthers(report, deliveries, batch, deliveredByAnother)
  return null
}

/** A success ends what else is pending of the event to the endpoint. */
function endOthers(
  report: AttemptReport,
  deliveries: Look['deliveries'],
  batch: SettledBatch,
  deliveredByAnother: string,
): void {
  const { job, endedAt } = report
  for (const other of deliveries.values()) {
    if (other.eventSeq !== job.eventSeq || other.endpointId !== job.endpointId || other.state !== 'pending') continue
    Object.assign(other, { state: 'delivered', stateReason: deliveredByAnother, settledAt: endedAt })
    batch.changed.add(other)
    ended(batch, report, other.cause, other.causeNo, true)
  }
}

function endUntried(report: AttemptReport, reason: string, { deliveries, addresses }: Look, batch: SettledBatch): void {
  const { job, endedAt } = report
  const row = deliveries.get(job.id)
  if (row?.state !== 'pending') return
  Object.assign(row, { state: 'expired', stateReason: reason, settledAt: endedAt })
  batch.changed.add(row)
  batch.attempts.push({
    ...NOT_SENT,
    deliveryId: row.id,
    accountUuid: row.accountUuid,
    endpointId: row.endpointId,
    url: addresses.get(row.endpointId)?.url ?? job.url,
    number: row.attempts + 1,
    at: endedAt,
    outcome: 'expired',
    sentence: reason,
  })
  ended(batch, report, job.cause, job.causeNo, false)
}

/** Takes an ended delivery off the pending counters. */
function ended(
  { tally, replays }: SettledBatch,
  { job }: AttemptReport,
  cause: string,
  causeNo: number,
  delivered: boolean,
) {
  tally.waiting(job.accountUuid, job.endpointId, -1, -(job.body?.length ?? 0))
  if (cause === 'replay') countReplay(replays, causeNo, delivered)
}

const NOT_SENT = {
  durationMs: 0,
  dnsMs: null,
  connectMs: null,
  tlsMs: null,
  firstByteMs: null,
  statusCode: null,
  peerIp: null,
  responseBody: null,
  retryAfterMs: null,
}

function attemptOf({ job, startedAt }: AttemptReport, { verdict, kind: _kind, ...timing }: Sent): AttemptRow {
  const { id: deliveryId, accountUuid, endpointId, url, attempts } = job
  return { ...timing, ...verdict, deliveryId, accountUuid, endpointId, url, number: attempts + 1, at: startedAt }
}
