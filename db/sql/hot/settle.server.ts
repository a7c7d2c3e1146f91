// Stores the results of attempts: rows, due times, endpoints and counters in one transaction, so they always agree.
import type { EndpointHealth, NextStep } from '#app/domain/deliveries/delivery.ts'
import { type DecidedReport, type PresentAddress, type SettleRows, settleAttempts } from '../../acts.ts'
import type { Database, Step } from '../../database.ts'
import type { AttemptReport, DeliveryStore, SettledAttempt, SettleOptions } from '../../store/deliveries.ts'
import type { Connections } from '../connections.ts'
import { waitingEnder } from '../deliveries/waiting.server.ts'
import { HEALTH, healthFrom } from '../endpoints/endpoint-rows.server.ts'
import type { Tally } from './tally.server.ts'

/** Ended together with the 410 that stopped the endpoint; the rest follows in steps. */
export const STOP_AT_ONCE = 200

type Reasons = SettleOptions['reasons']

interface Batch {
  tally: Tally
  /** Is any replay or retry pending? If not, no success can end one. */
  siblingsPossible: boolean
  endpoints: Map<number, EndpointState>
  reasons: Reasons
}

/** An endpoint's state after the attempts of a batch, written once. */
export interface EndpointState {
  health: EndpointHealth
  lastAttemptAt: number
  lastCode: number | null
  lastSentence: string
  /** The breaker closed, or the endpoint was switched on again: its pending deliveries skip the remaining backoff. */
  recovered: boolean
  /** Only the time of the last success changed. */
  onlySuccess: boolean
}

export type Sent = Extract<AttemptReport['result'], { kind: 'sent' }>

export function settleStore(connections: Connections): Pick<DeliveryStore, 'settleAttempts'> {
  const { db, turn } = connections
  const findAddress = db
    .prepare<[number], unknown[]>(`SELECT ${HEALTH.columns}, p.url FROM endpoint p WHERE p.id = ?`)
    .raw()
  const anyAgain = db
    .prepare<[], 0 | 1>(
      `SELECT EXISTS (SELECT 1 FROM delivery INDEXED BY due_again_of_an_endpoint WHERE state = 'pending' AND cause <> 'live')`,
    )
    .pluck()
  const dueAfter = storedReports(db)
  const writeReport = reportWriter(connections)
  const writeEndpoint = endpointWriter(connections)

  function* addressesOf(endpointIds: readonly number[]): Generator<unknown, Map<number, PresentAddress>> {
    const known = new Map<number, PresentAddress>()
    for (const id of endpointIds) {
      if (known.has(id)) continue
      const values = yield* findAddress.get(id)
      if (!values) throw new Error(`endpoint ${id} has deliveries but no row`)
      known.set(id, { url: values.at(-1) as string, health: healthFrom(HEALTH.rowOf(values)) })
    }
    return known
  }

  function* settle(
    decided: readonly DecidedReport[],
    reasons: Reasons,
    tally: Tally,
  ): Generator<unknown, SettledAttempt[]> {
    const siblingsPossible = (yield* anyAgain.get()) === 1
    const batch: Batch = { tally, siblingsPossible, endpoints: new Map(), reasons }
    const settled: SettledAttempt[] = []
    for (const one of decided) settled.push(yield* writeReport(one, batch))
    for (const [endpointId, endpoint] of batch.endpoints) yield* writeEndpoint(endpointId, endpoint, batch)
    return settled
  }

  return {
    settleAttempts: (reports, options) =>
      turn.run(({ tally }) => {
        const rows = {
          addressesOf,
          dueAfter,
          settle: (decided: readonly DecidedReport[], reasons: Reasons) => settle(decided, reasons, tally),
        }
        return settleAttempts(rows, reports, options)
      }),
  }
}

/** Finds the attempt of a report by its start; what was not sent can be written twice. */
export function storedReports(db: Database): SettleRows['dueAfter'] {
  const find = db
    .prepare<[number, number, number], number>(
      `SELECT CASE WHEN d.state = 'pending' THEN d.due_at END FROM attempt a JOIN delivery d ON d.id = a.delivery_id
       WHERE a.delivery_id = ? AND a.number = ? AND a.at = ?`,
    )
    .pluck()
  return ({ job, startedAt }) => find.get(job.id, job.attempts + 1, startedAt)
}

/** Writes the attempt and its delivery's next step; collects the endpoint's changes in the batch. */
function reportWriter(connections: Connections): (decided: DecidedReport, batch: Batch) => Step<SettledAttempt> {
  const { db } = connections
  const ender = waitingEnder(connections)
  const writeAttempt = attemptWriter(db)
  const tryAgain = db.prepare(
    `UPDATE delivery SET attempts = attempts + 1, last_code = ?, due_at = ?, steps = ? WHERE id = ? AND state = 'pending'`,
  )
  const end = db.prepare(
    `UPDATE delivery SET attempts = attempts + 1, last_code = ?, state = ?, state_reason = ?, settled_at = ?
     WHERE id = ? AND state = 'pending'`,
  )
  const countAttempt = db.prepare('UPDATE delivery SET attempts = attempts + 1, last_code = ? WHERE id = ?')
  const endUntried = db.prepare(
    "UPDATE delivery SET state = 'expired', state_reason = ?, settled_at = ? WHERE id = ? AND state = 'pending'",
  )
  const endSiblings = db.prepare<[string, number, number, number], { cause: string; causeNo: number }>(
    `UPDATE delivery SET state = 'delivered', state_reason = ?, settled_at = ?
     WHERE event_seq = ? AND endpoint_id = ? AND state = 'pending' RETURNING cause, cause_no AS causeNo`,
  )

  /** Takes an ended delivery off the pending counters. */
  function* ended(
    { tally }: Batch,
    { job }: AttemptReport,
    cause: string,
    causeNo: number,
    delivered: boolean,
  ): Generator<unknown, void> {
    tally.waiting(job.accountUuid, job.endpointId, -1, -(job.body?.length ?? 0))
    if (cause === 'replay') yield* ender.countReplay(causeNo, delivered, 1)
  }

  /** When it is due again; null = never. A delivery settled meanwhile keeps its state: only the attempt counts. */
  function* follow(
    report: AttemptReport,
    { verdict }: Sent,
    step: NextStep,
    batch: Batch,
  ): Generator<unknown, number | null> {
    const { job, endedAt } = report
    const { statusCode } = verdict
    if (step.step === 'retry') {
      if ((yield* tryAgain.run(statusCode, step.at, step.steps, job.id)).changes === 1) return step.at
      yield* countAttempt.run(statusCode, job.id)
      return null
    }
    const delivered = step.step === 'done'
    const [state, reason] = delivered ? ['delivered', null] : [step.step, step.reason]
    if ((yield* end.run(statusCode, state, reason, endedAt, job.id)).changes === 1) {
      yield* ended(batch, report, job.cause, job.causeNo, delivered)
      if (delivered && job.cause !== 'test') batch.tally.usage(job.accountUuid, endedAt, 'webhook_forwarded')
    } else {
      yield* countAttempt.run(statusCode, job.id)
    }
    if (delivered && (batch.siblingsPossible || job.cause !== 'live')) yield* deliverSiblings(report, batch)
    return null
  }

  /** Marks other pending deliveries of the event to the endpoint as delivered. */
  function* deliverSiblings(report: AttemptReport, batch: Batch): Generator<unknown, void> {
    const { job, endedAt } = report
    const siblings = yield* endSiblings.all(batch.reasons.deliveredByAnother, endedAt, job.eventSeq, job.endpointId)
    for (const { cause, causeNo } of siblings) yield* ended(batch, report, cause, causeNo, true)
  }

  function* endWithoutAttempt(report: AttemptReport, reason: string, batch: Batch): Generator<unknown, void> {
    const { job, endedAt } = report
    if ((yield* endUntried.run(reason, endedAt, job.id)).changes === 0) return
    yield* ender.note(job.id, 'expired', reason, endedAt)
    yield* ended(batch, report, job.cause, job.causeNo, false)
  }

  return function* ({ report, before, moved, settlement }, batch) {
    const { job, result, endedAt } = report
    const { id: deliveryId, endpointId } = job
    if (result.kind !== 'sent' || settlement === null) {
      if (result.kind !== 'sent') yield* endWithoutAttempt(report, result.reason, batch)
      return { deliveryId, endpointId, dueAt: null, outcome: null, moved, endpoint: before }
    }
    yield* writeAttempt(report, result)
    if (!moved) noteEndpoint(batch.endpoints, report, result, before, settlement.endpoint)
    const { outcome } = result.verdict
    const delivered = { delivered: 1, durationMs: result.durationMs }
    batch.tally.hour(endpointId, endedAt, outcome === 'delivered' ? delivered : { failed: 1 })
    const dueAt = yield* follow(report, result, settlement.delivery, batch)
    return { deliveryId, endpointId, dueAt, outcome, moved, endpoint: settlement.endpoint }
  }
}

function attemptWriter(db: Database): (report: AttemptReport, sent: Sent) => Step<unknown> {
  const insertAttempt = db.prepare(
    `INSERT INTO attempt (delivery_id, account_uuid, endpoint_id, url, number, at, duration_ms, dns_ms, connect_ms, tls_ms,
       first_byte_ms, outcome, status_code, sentence, peer_ip, response_body, retry_after_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  return ({ job, startedAt }, result) => {
    const { verdict } = result
    return insertAttempt.run(
      job.id,
      job.accountUuid,
      job.endpointId,
      job.url,
      job.attempts + 1,
      startedAt,
      result.durationMs,
      result.dnsMs,
      result.connectMs,
      result.tlsMs,
      result.firstByteMs,
      verdict.outcome,
      verdict.statusCode,
      verdict.sentence,
      result.peerIp,
      result.responseBody,
      verdict.retryAfterMs,
    )
  }
}

/** A failed test says nothing about events, so it changes neither the endpoint's state nor its displayed reason. */
export function noteEndpoint(
  endpoints: Map<number, EndpointState>,
  { job, endedAt }: AttemptReport,
  { verdict }: Sent,
  before: EndpointHealth,
  health: EndpointHealth,
): void {
  if (verdict.outcome !== 'delivered' && job.cause === 'test') return
  const known = endpoints.get(job.endpointId)
  endpoints.set(job.endpointId, {
    health,
    lastAttemptAt: endedAt,
    lastCode: verdict.statusCode,
    lastSentence: verdict.sentence,
    recovered: known?.recovered === true || isRecovery(before, health),
    onlySuccess: known?.onlySuccess !== false && isOnlySuccess(before, health),
  })
}

function endpointWriter(
  connections: Connections,
): (endpointId: number, endpoint: EndpointState, batch: Batch) => Step<void> {
  const { db } = connections
  const ender = waitingEnder(connections)
  // The common case: one success after another.
  const writeSuccess = db.prepare(
    `UPDATE endpoint SET last_success_at = ?, last_attempt_at = ?, last_code = ?, last_sentence = ?,
       pending_count = max(0, pending_count + ?) WHERE id = ?`,
  )
  const writeHealth = db.prepare(
    `UPDATE endpoint SET state = ?, state_reason = ?, state_since = ?, hold_until = ?, hold_reason = ?, hold_since = ?,
       breaker = ?, breaker_probes = ?, next_probe_at = ?, failing_since = ?, failure_streak = ?, failure_events = ?,
       redirect_streak = ?, last_success_at = ?, last_attempt_at = ?, last_code = ?, last_sentence = ?
     WHERE id = ?`,
  )

  const makeDue = db.prepare(
    "UPDATE delivery SET due_at = ? WHERE endpoint_id = ? AND state = 'pending' AND due_at > ? AND cause <> 'test'",
  )

  return function* (endpointId, { health, lastAttemptAt, lastCode, lastSentence, onlySuccess, recovered }, batch) {
    if (onlySuccess) {
      const waiting = batch.tally.takeWaiting(endpointId)
      yield* writeSuccess.run(health.lastSuccessAt, lastAttemptAt, lastCode, lastSentence, waiting, endpointId)
      return
    }
    if (recovered) yield* makeDue.run(lastAttemptAt, endpointId, lastAttemptAt)
    yield* writeHealth.run(
      health.state,
      health.stateReason,
      health.stateSince,
      health.holdUntil,
      health.holdReason,
      health.holdSince,
      health.breaker,
      health.breakerProbes,
      health.nextProbeAt,
      health.failingSince,
      health.failureStreak,
      JSON.stringify(health.failureEvents),
      health.redirectStreak,
      health.lastSuccessAt,
      lastAttemptAt,
      lastCode,
      lastSentence,
      endpointId,
    )
    if (health.state === 'stopped') {
      const waiting = yield* ender.ofEndpoint(endpointId, 'stopped', STOP_AT_ONCE)
      yield* ender.end(waiting, 'stopped', batch.reasons.stopped, lastAttemptAt, batch.tally)
    }
  }
}

function isRecovery(before: EndpointHealth, after: EndpointHealth): boolean {
  return (
    (before.breaker === 'open' && after.breaker === 'closed') ||
    (before.state === 'failing' && after.state === 'active')
  )
}

/** Compares every field, so a new one cannot be forgotten. */
function isOnlySuccess(before: EndpointHealth, after: EndpointHealth): boolean {
  for (const name of Object.keys(after) as (keyof EndpointHealth)[]) {
    if (name === 'lastSuccessAt' || before[name] === after[name]) continue
    if (name === 'failureEvents' && before.failureEvents.length === 0 && after.failureEvents.length === 0) continue
    return false
  }
  return true
}
