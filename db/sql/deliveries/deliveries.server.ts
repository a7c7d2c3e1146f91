import type { Clock } from '#app/lib/clock.ts'
import type { DeliveryStore } from '../../store/deliveries.ts'
import type { Client } from '../../sqlite/client.server.ts'
import { dueDeliveryStore } from '../hot/claim.server.ts'
import { settleStore } from '../hot/settle.server.ts'
import { tallies } from '../hot/tally.server.ts'
import { heldDeliveryStore } from './held-deliveries.server.ts'
import { replayStore } from './replays.server.ts'

type ByHand = Pick<DeliveryStore, 'retryDelivery' | 'pauseEndpoint' | 'resumeEndpoint'>

/** Deliveries, from due to settled. Hot paths use prepared statements. */
export function deliveryStore(client: Client, _clock: Clock): DeliveryStore {
  return {
    ...dueDeliveryStore(client),
    ...settleStore(client),
    ...heldDeliveryStore(client),
    ...replayStore(client),
    ...byHand(client),
  }
}

interface DeliveryToRetry {
  eventSeq: number
  endpointId: number
  objectUuid: string
  url: string
  endpointState: string
  bytes: number | null
}

/** Actions of a person: resend, pause, resume. */
function byHand({ sql }: Client): ByHand {
  const newTally = tallies(sql)
  const findDelivery = sql.prepare<{ deliveryId: number; accountUuid: string }, DeliveryToRetry>(
    `SELECT d.event_seq AS eventSeq, d.endpoint_id AS endpointId, d.object_uuid AS objectUuid, p.url,
       p.state AS endpointState, length(b.body) AS bytes
     FROM delivery d JOIN endpoint p ON p.id = d.endpoint_id LEFT JOIN event_body b ON b.seq = d.event_seq
     WHERE d.id = @deliveryId AND d.account_uuid = @accountUuid`,
  )
  const findUntried = sql
    .prepare<{ eventSeq: number; endpointId: number }, number>(
      `SELECT id FROM delivery
       WHERE event_seq = @eventSeq AND endpoint_id = @endpointId AND cause = 'retry' AND state = 'pending' AND attempts = 0`,
    )
    .pluck()
  const insertRetry = sql.prepare(
    `INSERT INTO delivery (event_seq, endpoint_id, account_uuid, object_uuid, cause, cause_no, state, due_at, deadline_at,
       attempts, steps, created_at)
     SELECT @eventSeq, @endpointId, @accountUuid, @objectUuid, 'retry', coalesce(max(cause_no), 0) + 1, 'pending', @now,
       @deadlineAt, 0, 0, @now
     FROM delivery WHERE event_seq = @eventSeq AND endpoint_id = @endpointId AND cause = 'retry'`,
  )
  const retry = sql.transaction(
    (
      accountUuid: string,
      deliveryId: number,
      now: number,
      retryFor: number,
    ): Awaited<ReturnType<ByHand['retryDelivery']>> => {
      const found = findDelivery.get({ deliveryId, accountUuid })
      if (!found) return { outcome: 'not_found' }
      const { eventSeq, endpointId, objectUuid, bytes } = found
      if (found.endpointState === 'deleted' || found.url === '') return { outcome: 'no_address' }
      if (bytes === null) return { outcome: 'body_gone' }
      // A second request before the first was sent: one delivery serves both.
      const untried = findUntried.get({ eventSeq, endpointId })
      if (untried !== undefined) return { outcome: 'created', deliveryId: untried, endpointId }
      const { lastInsertRowid } = insertRetry.run({
        eventSeq,
        endpointId,
        accountUuid,
        objectUuid,
        now,
        deadlineAt: now + retryFor,
      })
      const tally = newTally()
      tally.waiting(accountUuid, endpointId, 1, bytes)
      tally.write()
      return { outcome: 'created', deliveryId: Number(lastInsertRowid), endpointId }
    },
  )
  const pause = sql.prepare(
    `UPDATE endpoint SET state = 'paused', state_reason = NULL,
       state_since = CASE state WHEN 'paused' THEN state_since ELSE @now END
     WHERE id = @endpointId AND account_uuid = @accountUuid AND state <> 'deleted'`,
  )
  const resume = sql.prepare(
    `UPDATE endpoint SET state = 'active', state_reason = NULL,
       state_since = CASE state WHEN 'active' THEN state_since ELSE @now END,
       hold_until = NULL, hold_reason = NULL, hold_since = NULL, breaker = 'closed', breaker_probes = 0, next_probe_at = NULL,
       failing_since = NULL, failure_streak = 0, failure_events = '[]', redirect_streak = 0
     WHERE id = @endpointId AND account_uuid = @accountUuid AND state <> 'deleted'`,
  )
  // All get the same due time, so ids (their age) decide the order.
  const makeDue = sql.prepare(
    "UPDATE delivery SET due_at = @now WHERE endpoint_id = @endpointId AND state = 'pending' AND cause <> 'test'",
  )
  const startAgain = sql.transaction((accountUuid: string, endpointId: number, now: number): boolean => {
    if (resume.run({ now, endpointId, accountUuid }).changes === 0) return false
    makeDue.run({ now, endpointId })
    return true
  })
  return {
    async retryDelivery(accountUuid, deliveryId, now, retryFor) {
      return retry.immediate(accountUuid, deliveryId, now, retryFor)
    },
    async pauseEndpoint(accountUuid, endpointId, now) {
      return pause.run({ now, endpointId, accountUuid }).changes === 1
    },
    async resumeEndpoint(accountUuid, endpointId, now) {
      return startAgain.immediate(accountUuid, endpointId, now)
    },
  }
}
