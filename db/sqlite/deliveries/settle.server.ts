// What became of attempts: rows, due times, endpoints and counters in one transaction, so that they can never disagree.
import type { EndpointHealth } from '#app/domain/deliveries/delivery.ts'
import type { AttemptReport, DeliveryStore, SettledAttempt, SettleOptions } from '../../store/deliveries.ts'
import type { Client } from '../client.server.ts'
import { HEALTH, healthFrom } from '../endpoints/endpoint-rows.server.ts'
import type { Tally } from '../tally.server.ts'
import { writeTurnOf } from '../write-turn.server.ts'
import { waitingEnder } from './waiting.server.ts'

/** Ended together with the 410 that stopped the endpoint; the rest follows in steps. */
const STOP_AT_ONCE = 200

interface Batch {
  tally: Tally
  /** Does any replay or retry wait at all? If not, no success can end one. */
  siblingsPossible: boolean
  endpoints: Map<number, EndpointState>
  options: SettleOptions
}

interface EndpointState {
  health: EndpointHealth
  changed: boolean
  lastAttemptAt: number
  lastCode: number | null
  lastSentence: string
  /** The breaker closed, or it was switched on again: what waits need not wait for the pace of its failures. */
  recovered: boolean
  /** Nothing but the time of the last success is different. */
  onlySuccess: boolean
}

type Sent = Extract<AttemptReport['result'], { kind: 'sent' }>

export function settleStore(client: Client): Pick<DeliveryStore, 'settleAttempts'> {
  const { sql } = client
  const turn = writeTurnOf(client)
  const ender = waitingEnder(client)
  const findHealth = sql.prepare<[number], unknown[]>(`SELECT ${HEALTH.columns} FROM endpoint p WHERE p.id = ?`).raw()
  const insertAttempt = sql.prepare(
    `INSERT INTO attempt (delivery_id, account_uuid, endpoint_id, url, number, at, duration_ms, dns_ms, connect_ms, tls_ms,
       first_byte_ms, outcome, status_code, sentence, peer_ip, response_body, retry_after_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const tryAgain = sql.prepare(
    `UPDATE delivery SET attempts = attempts + 1, last_code = ?, due_at = ?, steps = ? WHERE id = ? AND state = 'pending'`,
  )
  const end = sql.prepare(
    `UPDATE delivery SET attempts = attempts + 1, last_code = ?, state = ?, state_reason = ?, settled_at = ?
     WHERE id = ? AND state = 'pending'`,
  )
  const countAttempt = sql.prepare('UPDATE delivery SET attempts = attempts + 1, last_code = ? WHERE id = ?')
  const endUntried = sql.prepare(
    "UPDATE delivery SET state = 'expired', state_reason = ?, settled_at = ? WHERE id = ? AND state = 'pending'",
  )
  const endSiblings = sql.prepare<[string, number, number, number], { cause: string; causeNo: number }>(
    `UPDATE delivery SET state = 'delivered', state_reason = ?, settled_at = ?
     WHERE event_seq = ? AND endpoint_id = ? AND state = 'pending' RETURNING cause, cause_no AS causeNo`,
  )
  const anyAgain = sql
    .prepare<[], 0 | 1>(
      `SELECT EXISTS (SELECT 1 FROM delivery INDEXED BY due_again_of_an_endpoint WHERE state = 'pending' AND cause <> 'live')`,
    )
    .pluck()
  // One success after the other is what nearly always happens.
  const writeSuccess = sql.prepare(
    `UPDATE endpoint SET last_success_at = ?, last_attempt_at = ?, last_code = ?, last_sentence = ?,
       pending_count = max(0, pending_count + ?) WHERE id = ?`,
  )
  const writeHealth = sql.prepare(
    `UPDATE endpoint SET state = ?, state_reason = ?, state_since = ?, hold_until = ?, hold_reason = ?, hold_since = ?,
       breaker = ?, breaker_probes = ?, next_probe_at = ?, failing_since = ?, failure_streak = ?, failure_events = ?,
       redirect_streak = ?, last_success_at = ?, last_attempt_at = ?, last_code = ?, last_sentence = ?
     WHERE id = ?`,
  )

  const makeDue = sql.prepare(
    "UPDATE delivery SET due_at = ? WHERE endpoint_id = ? AND state = 'pending' AND due_at > ? AND cause <> 'test'",
  )

  function settleSent(report: AttemptReport, result: Sent, batch: Batch): SettledAttempt {
    const { job, endedAt } = report
    const { verdict } = result
    insertAttempt.run(
      job.id,
      job.accountUuid,
      job.endpointId,
      job.url,
      job.attempts + 1,
      report.startedAt,
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
    const endpoint = endpointIn(batch, job.endpointId)
    const next = batch.options.decide(report, verdict, endpoint.health)
    endpoint.recovered ||= isRecovery(endpoint.health, next.endpoint)
    endpoint.onlySuccess &&= isOnlySuccess(endpoint.health, next.endpoint)
    endpoint.health = next.endpoint
    const delivered = verdict.outcome === 'delivered'
    // A test that failed says nothing about the events: neither the state of the endpoint nor the reason it shows is its own.
    if (delivered || job.cause !== 'test') {
      endpoint.changed = true
      endpoint.lastAttemptAt = endedAt
      endpoint.lastCode = verdict.statusCode
      endpoint.lastSentence = verdict.sentence
    }
    batch.tally.hour(job.endpointId, endedAt, {
      ...(delivered ? { delivered: 1 } : { failed: 1 }),
      durationMs: result.durationMs,
    })

    let dueAt: number | null = null
    const step = next.delivery
    if (step.step === 'retry') {
      if (tryAgain.run(verdict.statusCode, step.at, step.steps, job.id).changes === 1) dueAt = step.at
      else countAttempt.run(verdict.statusCode, job.id)
    } else {
      const state = step.step === 'done' ? 'delivered' : step.step
      const reason = step.step === 'done' ? null : step.reason
      if (end.run(verdict.statusCode, state, reason, endedAt, job.id).changes === 1) {
        ended(batch, report, job.cause, job.causeNo, state === 'delivered')
        if (delivered && job.cause !== 'test') batch.tally.usage(job.accountUuid, endedAt, 'webhook_forwarded')
      } else {
        countAttempt.run(verdict.statusCode, job.id)
      }
      if (delivered && (batch.siblingsPossible || job.cause !== 'live')) {
        const { deliveredByAnother } = batch.options.reasons
        for (const sibling of endSiblings.all(deliveredByAnother, endedAt, job.eventSeq, job.endpointId)) {
          ended(batch, report, sibling.cause, sibling.causeNo, true)
        }
      }
    }
    return { deliveryId: job.id, endpointId: job.endpointId, dueAt, outcome: verdict.outcome, endpoint: next.endpoint }
  }

  function settleUntried(report: AttemptReport, reason: string, batch: Batch): SettledAttempt {
    const { job, endedAt } = report
    if (endUntried.run(reason, endedAt, job.id).changes === 1) {
      ender.note(job.id, 'expired', reason, endedAt)
      ended(batch, report, job.cause, job.causeNo, false)
    }
    const { health } = endpointIn(batch, job.endpointId)
    return { deliveryId: job.id, endpointId: job.endpointId, dueAt: null, outcome: null, endpoint: health }
  }

  /** One that waited waits no longer. */
  function ended(batch: Batch, { job }: AttemptReport, cause: string, causeNo: number, delivered: boolean): void {
    batch.tally.waiting(job.accountUuid, job.endpointId, -1, -(job.body?.length ?? 0))
    if (cause === 'replay') ender.countReplay(causeNo, delivered, 1)
  }

  function endpointIn(batch: Batch, endpointId: number): EndpointState {
    const known = batch.endpoints.get(endpointId)
    if (known) return known
    const values = findHealth.get(endpointId)
    if (!values) throw new Error(`endpoint ${endpointId} has deliveries but no row`)
    const state = {
      health: healthFrom(HEALTH.rowOf(values)),
      changed: false,
      lastAttemptAt: 0,
      lastCode: null,
      lastSentence: '',
      recovered: false,
      onlySuccess: true,
    }
    batch.endpoints.set(endpointId, state)
    return state
  }

  function settle(reports: AttemptReport[], options: SettleOptions, tally: Tally): SettledAttempt[] {
    const batch: Batch = { tally, siblingsPossible: anyAgain.get() === 1, endpoints: new Map(), options }
    const settled = reports.map((report) =>
      report.result.kind === 'sent'
        ? settleSent(report, report.result, batch)
        : settleUntried(report, report.result.reason, batch),
    )
    for (const [endpointId, endpoint] of batch.endpoints) {
      const { health, changed, lastAttemptAt, lastCode, lastSentence } = endpoint
      if (!changed) continue
      if (endpoint.onlySuccess) {
        const waiting = tally.takeWaiting(endpointId)
        writeSuccess.run(health.lastSuccessAt, lastAttemptAt, lastCode, lastSentence, waiting, endpointId)
        continue
      }
      if (endpoint.recovered) makeDue.run(lastAttemptAt, endpointId, lastAttemptAt)
      writeHealth.run(
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
        ender.endOfEndpoint(endpointId, 'stopped', options.reasons.stopped, lastAttemptAt, STOP_AT_ONCE, batch.tally)
      }
    }
    return settled
  }

  return {
    async settleAttempts(reports, options) {
      return turn.run((tally) => settle(reports, options, tally))
    },
  }
}

function isRecovery(before: EndpointHealth, after: EndpointHealth): boolean {
  return (
    (before.breaker === 'open' && after.breaker === 'closed') ||
    (before.state === 'failing' && after.state === 'active')
  )
}

/** Compares every field, so that a new one cannot be forgotten. */
function isOnlySuccess(before: EndpointHealth, after: EndpointHealth): boolean {
  for (const name of Object.keys(after) as (keyof EndpointHealth)[]) {
    if (name === 'lastSuccessAt' || before[name] === after[name]) continue
    if (name === 'failureEvents' && before.failureEvents.length === 0 && after.failureEvents.length === 0) continue
    return false
  }
  return true
}
