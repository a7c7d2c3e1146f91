import type { Clock } from '#app/lib/clock.ts'
import type { DeliveryStore } from '../../store/deliveries.ts'
import type { Connections } from '../connections.ts'
import { dueDeliveryStore } from '../hot/claim.server.ts'
import { settleStore } from '../hot/settle.server.ts'
import { tallies } from '../hot/tally.server.ts'
import { heldDeliveryStore } from './held-deliveries.server.ts'
import { type InsertDelivery, replayStore } from './replays.server.ts'

/** Deliveries, from due to settled. Hot paths use prepared statements. */
export function deliveryStore(connections: Connections, _clock: Clock): DeliveryStore {
  return {
    ...dueDeliveryStore(connections),
    ...settleStore(connections),
    ...heldDeliveryStore(connections),
    ...replayStore(connections),
    ...byHand(connections),
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

type InsertRetry = Omit<InsertDelivery, 'seq' | 'replayId'> & { eventSeq: number }

/** Actions of a person: resend, pause, resume. */
function byHand({ db, patient }: Connections) {
  const newTally = tallies(db)
  const findDelivery = db.prepare<{ deliveryId: number; accountUuid: string }, DeliveryToRetry>(
    `SELECT d.event_seq AS eventSeq, d.endpoint_id AS endpointId, d.object_uuid AS objectUuid, p.url,
       p.state AS endpointState, length(b.body) AS bytes
     FROM delivery d JOIN endpoint p ON p.id = d.endpoint_id LEFT JOIN event_body b ON b.seq = d.event_seq
     WHERE d.id = @deliveryId AND d.account_uuid = @accountUuid`,
  )
  const findUntried = db
    .prepare<{ eventSeq: number; endpointId: number }, number>(
      `SELECT id FROM delivery
       WHERE event_seq = @eventSeq AND endpoint_id = @endpointId AND cause = 'retry' AND state = 'pending' AND attempts = 0`,
    )
    .pluck()
  const insertRetry = db
    .prepare<InsertRetry, number>(
      `INSERT INTO delivery (event_seq, endpoint_id, account_uuid, object_uuid, cause, cause_no, state, due_at, deadline_at,
         attempts, steps, created_at)
       SELECT CAST(@eventSeq AS bigint), CAST(@endpointId AS bigint), CAST(@accountUuid AS text), CAST(@objectUuid AS text),
         'retry', coalesce(max(cause_no), 0) + 1, 'pending', CAST(@now AS bigint), CAST(@deadlineAt AS bigint), 0, 0,
         CAST(@now AS bigint)
       FROM delivery WHERE event_seq = @eventSeq AND endpoint_id = @endpointId AND cause = 'retry' RETURNING id`,
    )
    .pluck()
  const resume = db.prepare(
    `UPDATE endpoint SET state = 'active', state_reason = NULL,
       state_since = CASE state WHEN 'active' THEN state_since ELSE @now END,
       hold_until = NULL, hold_reason = NULL, hold_since = NULL, breaker = 'closed', breaker_probes = 0, next_probe_at = NULL,
       failing_since = NULL, failure_streak = 0, failure_events = '[]', redirect_streak = 0
     WHERE id = @endpointId AND account_uuid = @accountUuid AND state <> 'deleted'`,
  )
  // All get the same due time, so ids (their age) decide the order.
  const makeDue = db.prepare(
    "UPDATE delivery SET due_at = @now WHERE endpoint_id = @endpointId AND state = 'pending' AND cause <> 'test'",
  )
  return {
    retryDelivery: db.write(function* (accountUuid, deliveryId, now, retryFor) {
      const found = yield* findDelivery.get({ deliveryId, accountUuid })
      if (!found) return { outcome: 'not_found' }
      const { eventSeq, endpointId, objectUuid, bytes } = found
      if (found.endpointState === 'deleted' || found.url === '') return { outcome: 'no_address' }
      if (bytes === null) return { outcome: 'body_gone' }
      const untried = yield* findUntried.get({ eventSeq, endpointId })
      if (untried !== undefined) return { outcome: 'waiting', deliveryId: untried, endpointId }
      const deadlineAt = now + retryFor
      const id = yield* insertRetry.get({ eventSeq, endpointId, accountUuid, objectUuid, now, deadlineAt })
      if (id === undefined) throw new Error('the delivery was not stored')
      const tally = newTally()
      tally.waiting(accountUuid, endpointId, 1, bytes)
      yield* tally.write()
      return { outcome: 'created', deliveryId: id, endpointId }
    }),
    // Its first statement locks the endpoint.
    resumeEndpoint: patient.write(function* (accountUuid, endpointId, now) {
      if ((yield* resume.run({ now, endpointId, accountUuid })).changes === 0) return false
      yield* makeDue.run({ now, endpointId })
      return true
    }),
  } satisfies Partial<DeliveryStore>
}
