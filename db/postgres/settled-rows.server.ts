// Writes the results of a batch of attempts: each table with one statement.
import type { EndpointHealth } from '#app/domain/deliveries/delivery.ts'
import type { StoredAttempt } from '#app/domain/deliveries/stored-delivery.ts'
import type { WaitingRow } from '../acts.ts'
import type { Database, Step } from '../database.ts'
import { type EndpointState, STOP_AT_ONCE } from '../sql/hot/settle.server.ts'
import type { Tally } from '../sql/hot/tally.server.ts'
import type { SettledAttempt, SettleOptions } from '../store/deliveries.ts'
import { together } from './database.server.ts'
import { rowsAsLists } from './rows-as-lists.ts'
import { tallyWriter } from './tally.server.ts'

/** A delivery as it is, and then as the batch leaves it. */
export interface DeliveryRow extends Omit<WaitingRow, 'bytes'> {
  eventSeq: number
  state: string
  stateReason: string | null
  dueAt: number
  attempts: number
  steps: number
  lastCode: number | null
  settledAt: number | null
}

type Progress = Omit<DeliveryRow, 'eventSeq' | 'endpointId' | 'accountUuid' | 'cause' | 'causeNo'>
const PROGRESS = rowsAsLists<Progress>({
  id: 'bigint',
  state: 'text',
  stateReason: 'text',
  dueAt: 'bigint',
  attempts: 'bigint',
  steps: 'bigint',
  lastCode: 'bigint',
  settledAt: 'bigint',
})

export interface AttemptRow extends StoredAttempt {
  deliveryId: number
  accountUuid: string
  endpointId: number
  retryAfterMs: number | null
}
const ATTEMPT = rowsAsLists<AttemptRow>({
  deliveryId: 'bigint',
  accountUuid: 'text',
  endpointId: 'bigint',
  url: 'text',
  number: 'bigint',
  at: 'bigint',
  durationMs: 'bigint',
  dnsMs: 'bigint',
  connectMs: 'bigint',
  tlsMs: 'bigint',
  firstByteMs: 'bigint',
  outcome: 'text',
  statusCode: 'bigint',
  sentence: 'text',
  peerIp: 'text',
  responseBody: 'text',
  retryAfterMs: 'bigint',
})

type HealthRow = Omit<EndpointHealth, 'failureEvents'> & {
  id: number
  failureEvents: string
  lastAttemptAt: number
  lastCode: number | null
  lastSentence: string
  /** Added to the pending ones. */
  waiting: number
}
const HEALTHS = rowsAsLists<HealthRow>({
  id: 'bigint',
  state: 'text',
  stateReason: 'text',
  stateSince: 'bigint',
  holdUntil: 'bigint',
  holdReason: 'text',
  holdSince: 'bigint',
  breaker: 'text',
  breakerProbes: 'bigint',
  nextProbeAt: 'bigint',
  failingSince: 'bigint',
  failureStreak: 'bigint',
  failureEvents: 'text',
  redirectStreak: 'bigint',
  lastSuccessAt: 'bigint',
  lastAttemptAt: 'bigint',
  lastCode: 'bigint',
  lastSentence: 'text',
  waiting: 'bigint',
})

/** What becomes of a batch, nothing of it written. */
export interface SettledBatch {
  settled: SettledAttempt[]
  attempts: AttemptRow[]
  changed: Set<DeliveryRow>
  endpoints: Map<number, EndpointState>
  replays: Map<number, { delivered: number; undelivered: number }>
  tally: Tally
}

/** A delivery of the replay has ended. */
export function countReplay(replays: SettledBatch['replays'], id: number, delivered: boolean): void {
  const counts = replays.get(id) ?? { delivered: 0, undelivered: 0 }
  counts[delivered ? 'delivered' : 'undelivered']++
  replays.set(id, counts)
}

/** Writes what a batch of reports leads to, and commits. Its endpoints and deliveries are locked. */
export function settledWriter(
  db: Database,
): (batch: SettledBatch, reasons: SettleOptions['reasons']) => Step<SettledAttempt[]> {
  const insertAttempts = db.prepare<object>(`INSERT INTO attempt (${ATTEMPT.columns}) SELECT * FROM ${ATTEMPT.rows}`)
  const updateDeliveries = db.prepare<object>(
    `UPDATE delivery d SET state = g.state, state_reason = g.state_reason, due_at = g.due_at, attempts = g.attempts,
       steps = g.steps, last_code = g.last_code, settled_at = g.settled_at
     FROM ${PROGRESS.rows} WHERE d.id = g.id`,
  )
  const makeDue = db.prepare<object>(
    `UPDATE delivery d SET due_at = g.at FROM unnest(@ids::bigint[], @ats::bigint[]) AS g(id, at)
     WHERE d.endpoint_id = g.id AND d.state = 'pending' AND d.due_at > g.at AND d.cause <> 'test'`,
  )
  const stopWaiting = db.prepare<object, Omit<WaitingRow, 'id'>>(
    `WITH waiting AS (
       SELECT w.*, g.at FROM unnest(@ids::bigint[], @ats::bigint[]) AS g(id, at) CROSS JOIN LATERAL (
         SELECT d.id AS delivery_id, d.due_at, coalesce(length(b.body), 0) AS bytes
         FROM delivery d LEFT JOIN event_body b ON b.seq = d.event_seq
         WHERE d.endpoint_id = g.id AND d.state = 'pending'
           AND (d.cause IN ('live', 'replay') OR d.cause = 'retry' AND d.attempts > 0)
         ORDER BY d.due_at, d.id LIMIT ${STOP_AT_ONCE}) w
     ), stopped AS (
       UPDATE delivery d SET state = 'stopped', state_reason = CAST(@reason AS text), settled_at = w.at
       FROM waiting w WHERE d.id = w.delivery_id AND d.state = 'pending'
       RETURNING d.id, d.account_uuid, d.endpoint_id, d.cause, d.cause_no, d.attempts, w.bytes, w.at
     ), notes AS (
       INSERT INTO attempt (delivery_id, account_uuid, endpoint_id, url, number, at, duration_ms, outcome, sentence)
       SELECT s.id, s.account_uuid, s.endpoint_id, p.url, s.attempts + 1, s.at, 0, 'stopped', CAST(@reason AS text)
       FROM stopped s JOIN endpoint p ON p.id = s.endpoint_id ORDER BY s.id
     )
     SELECT account_uuid AS accountUuid, endpoint_id AS endpointId, cause, cause_no AS causeNo, bytes FROM stopped`,
  )
  const updateHealth = db.prepare<object>(
    `UPDATE endpoint p SET state = g.state, state_reason = g.state_reason, state_since = g.state_since,
       hold_until = g.hold_until, hold_reason = g.hold_reason, hold_since = g.hold_since, breaker = g.breaker,
       breaker_probes = g.breaker_probes, next_probe_at = g.next_probe_at, failing_since = g.failing_since,
       failure_streak = g.failure_streak, failure_events = g.failure_events, redirect_streak = g.redirect_streak,
       last_success_at = g.last_success_at, last_attempt_at = g.last_attempt_at, last_code = g.last_code,
       last_sentence = g.last_sentence, pending_count = max(0, p.pending_count + g.waiting)
     FROM ${HEALTHS.rows} WHERE p.id = g.id`,
  )
  const addToReplays = db.prepare<object>(
    `UPDATE replay r SET delivered = r.delivered + g.delivered, undelivered = r.undelivered + g.undelivered
     FROM unnest(@ids::bigint[], @delivered::bigint[], @undelivered::bigint[]) AS g(id, delivered, undelivered)
     WHERE r.id = g.id`,
  )
  const tallyWrites = tallyWriter(db)

  function progress({ attempts, changed, endpoints }: SettledBatch): Step<unknown>[] {
    const recovered = [...endpoints].filter(([, { onlySuccess, recovered }]) => recovered && !onlySuccess)
    return [
      ...(attempts.length > 0 ? [insertAttempts.run(ATTEMPT.of(attempts))] : []),
      ...(changed.size > 0 ? [updateDeliveries.run(PROGRESS.of([...changed]))] : []),
      ...(recovered.length > 0 ? [makeDue.run(endpointTimes(recovered))] : []),
    ]
  }

  /** After everything that is ended: it writes how many still wait. */
  function counters({ endpoints, replays, tally }: SettledBatch): Step<unknown>[] {
    const healths = [...endpoints].map(([id, { health, lastAttemptAt, lastCode, lastSentence }]) => ({
      ...health,
      ...{ id, lastAttemptAt, lastCode, lastSentence },
      failureEvents: JSON.stringify(health.failureEvents),
      waiting: tally.takeWaiting(id),
    }))
    const counts = [...replays.values()]
    return [
      ...(counts.length > 0
        ? [
            addToReplays.run({
              ids: [...replays.keys()],
              delivered: counts.map(({ delivered }) => delivered),
              undelivered: counts.map(({ undelivered }) => undelivered),
            }),
          ]
        : []),
      ...(healths.length > 0 ? [updateHealth.run(HEALTHS.of(healths))] : []),
      ...tallyWrites(tally.gathered()),
    ]
  }

  return function* (batch, { stopped: reason }) {
    const { endpoints, replays, tally } = batch
    const stopped = [...endpoints].filter(([, { health, onlySuccess }]) => health.state === 'stopped' && !onlySuccess)
    const written = progress(batch)
    if (stopped.length > 0) {
      yield* together(written.splice(0))
      for (const { accountUuid, endpointId, cause, causeNo, bytes } of yield* stopWaiting.all({
        ...endpointTimes(stopped),
        reason,
      })) {
        tally.waiting(accountUuid, endpointId, -1, -bytes)
        if (cause === 'replay') countReplay(replays, causeNo, false)
      }
    }
    yield* together([...written, ...counters(batch)], 'commit')
    return batch.settled
  }
}

function endpointTimes(endpoints: readonly (readonly [number, EndpointState])[]): { ids: number[]; ats: number[] } {
  return { ids: endpoints.map(([id]) => id), ats: endpoints.map(([, { lastAttemptAt }]) => lastAttemptAt) }
}
