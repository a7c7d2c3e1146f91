// Housekeeping of pending deliveries: after a restart, for ended endpoints, and past the deadline of held ones.
import { expireHeldStep, type HeldRows } from '../../acts.ts'
import type { DeliveryStore } from '../../store/deliveries.ts'
import type { Client } from '../../sqlite/client.server.ts'
import { ENDPOINT_AND_PLAN, HEALTH_COLUMNS, type HealthRow, healthOf } from '../endpoints/endpoint-rows.server.ts'
import { done, finish } from '../hot/step.server.ts'
import { type Tally, tallies } from '../hot/tally.server.ts'
import { WAITING_COLUMNS, type WaitingRow, waitingEnder } from './waiting.server.ts'

/** Rows scanned in one step: about a millisecond. */
const STRETCH = 500

type HeldStore = Pick<DeliveryStore, 'tidyAfterRestart' | 'endStoppedStep' | 'expireHeldStep'>

export function heldDeliveryStore(client: Client): HeldStore {
  const { sql } = client
  const newTally = tallies(sql)
  const ender = waitingEnder(client)

  const recountEndpoints = sql.prepare(
    `UPDATE endpoint SET pending_count = coalesce(w.waiting, 0)
     FROM endpoint AS p LEFT JOIN
       (SELECT endpoint_id, count(*) AS waiting FROM delivery WHERE state = 'pending' GROUP BY endpoint_id) AS w
       ON w.endpoint_id = p.id
     WHERE endpoint.id = p.id AND endpoint.pending_count <> coalesce(w.waiting, 0)`,
  )
  const forgetLoads = sql.prepare('DELETE FROM account_load')
  const recountLoads = sql.prepare(
    `INSERT INTO account_load (account_uuid, pending_count, pending_bytes)
     SELECT d.account_uuid, count(*), coalesce(sum(length(b.body)), 0)
     FROM delivery d INDEXED BY due_deliveries_of_an_endpoint LEFT JOIN event_body b ON b.seq = d.event_seq
     WHERE d.state = 'pending' GROUP BY d.account_uuid`,
  )
  const spreadOverdue = sql.prepare(
    `UPDATE delivery SET due_at = min(deadline_at, @now + @from + abs(random() % @width))
     WHERE id IN (SELECT id FROM delivery INDEXED BY due_deliveries_of_an_endpoint WHERE state = 'pending' AND due_at < @now)
       AND attempts > 0 AND deadline_at > @now`,
  )
  const forgiveUntried = sql.prepare(
    `UPDATE delivery SET deadline_at = @until
     WHERE id IN (SELECT id FROM delivery INDEXED BY due_deliveries_of_an_endpoint WHERE state = 'pending')
       AND attempts = 0 AND deadline_at < @until AND cause <> 'test'`,
  )
  const leftSamples = sql.prepare<[], WaitingRow>(
    `SELECT ${WAITING_COLUMNS}
     FROM delivery d INDEXED BY due_again_of_an_endpoint LEFT JOIN event_body b ON b.seq = d.event_seq
     WHERE d.state = 'pending' AND d.cause <> 'live' AND d.cause = 'test'`,
  )
  const tidy = sql.transaction((now: number, options: Parameters<HeldStore['tidyAfterRestart']>[1]) => {
    const { spreadMs, graceMs, sampleReason } = options
    ender.end(leftSamples.all(), 'expired', sampleReason, now, newTally())
    recountEndpoints.run()
    forgetLoads.run()
    recountLoads.run()
    forgiveUntried.run({ until: now + graceMs })
    return {
      spread: spreadOverdue.run({ now, from: spreadMs.from, width: Math.max(1, spreadMs.to - spreadMs.from) }).changes,
    }
  })

  const endedEndpoints = sql.prepare<[], { id: number; state: 'stopped' | 'deleted'; ruleId: number | null }>(
    `SELECT p.id, p.state, p.forwarding_rule_id AS ruleId FROM endpoint p WHERE p.state IN ('stopped', 'deleted')
       AND EXISTS (SELECT 1 FROM delivery d WHERE d.endpoint_id = p.id AND d.state = 'pending')`,
  )
  const cancelledReplays = sql.prepare<[], { id: number; endpointId: number }>(
    "SELECT id, endpoint_id AS endpointId FROM replay WHERE state = 'cancelled' AND made > delivered + undelivered",
  )
  const ofReplay = sql.prepare<{ endpointId: number; replayId: number; limit: number }, WaitingRow>(
    `SELECT ${WAITING_COLUMNS}
     FROM delivery d INDEXED BY due_again_of_an_endpoint LEFT JOIN event_body b ON b.seq = d.event_seq
     WHERE d.endpoint_id = @endpointId AND d.state = 'pending' AND d.cause <> 'live' AND d.cause = 'replay'
       AND d.cause_no = @replayId LIMIT @limit`,
  )
  const endStopped = sql.transaction(
    (now: number, limit: number, reasons: Parameters<HeldStore['endStoppedStep']>[2]): number => {
      const tally = newTally()
      let ended = 0
      for (const { id, state, ruleId } of endedEndpoints.all()) {
        if (ended >= limit) break
        const reason = state === 'deleted' && ruleId !== null ? reasons.ruleDeleted : reasons[state]
        ended += ender.endOfEndpoint(id, state, reason, now, limit - ended, tally)
      }
      for (const { id, endpointId } of cancelledReplays.all()) {
        if (ended >= limit) break
        const rows = ofReplay.all({ endpointId, replayId: id, limit: limit - ended })
        ender.end(rows, 'stopped', reasons.cancelled, now, tally)
        ended += rows.length
      }
      tally.write()
      return ended
    },
  )

  const heldEndpoint = sql.prepare<{ fromId: number; now: number }, HealthRow>(
    `SELECT ${HEALTH_COLUMNS} FROM ${ENDPOINT_AND_PLAN}
     WHERE p.id >= @fromId AND (p.state IN ('paused', 'failing', 'stopped') OR p.breaker = 'open' OR p.hold_until > @now
         OR own.id IS NOT NULL)
       AND EXISTS (SELECT 1 FROM delivery d WHERE d.endpoint_id = p.id AND d.state = 'pending')
     ORDER BY p.id LIMIT 1`,
  )
  const stretch = sql.prepare<
    { endpointId: number; dueAt: number; id: number; limit: number },
    WaitingRow & { dueAt: number; deadlineAt: number; createdAt: number }
  >(
    `SELECT ${WAITING_COLUMNS}, d.due_at AS dueAt, d.deadline_at AS deadlineAt, d.created_at AS createdAt
     FROM delivery d INDEXED BY due_deliveries_of_an_endpoint LEFT JOIN event_body b ON b.seq = d.event_seq
     WHERE d.endpoint_id = @endpointId AND d.state = 'pending' AND (d.due_at, d.id) > (@dueAt, @id)
     ORDER BY d.due_at, d.id LIMIT @limit`,
  )
  const rowsOf = (tally: Tally): HeldRows => ({
    heldStretch(now, cursor) {
      const row = heldEndpoint.get({ fromId: cursor?.endpointId ?? 0, now })
      if (!row) return done(null)
      const { endpointId, accountHold } = row
      const goesOn = cursor?.endpointId === endpointId
      const waiting = stretch.all({
        endpointId,
        dueAt: goesOn ? cursor.dueAt : -1,
        id: goesOn ? cursor.id : -1,
        limit: STRETCH,
      })
      const last = waiting.at(-1)
      const next =
        waiting.length === STRETCH && last
          ? { endpointId, dueAt: last.dueAt, id: last.id }
          : { endpointId: endpointId + 1, dueAt: -1, id: -1 }
      return done({ health: healthOf(row), accountHold, waiting, next })
    },
    expire: (waiting, reason, now) => done(ender.end(waiting, 'expired', reason, now, tally)),
  })
  const expireHeld = sql.transaction((...given: Parameters<HeldStore['expireHeldStep']>) => {
    const tally = newTally()
    const step = finish(expireHeldStep(rowsOf(tally), ...given))
    tally.write()
    return step
  })

  return {
    async tidyAfterRestart(now, options) {
      return tidy.immediate(now, options)
    },
    async endStoppedStep(now, limit, reasons) {
      return endStopped.immediate(now, limit, reasons)
    },
    async expireHeldStep(now, cursor, options) {
      return expireHeld.immediate(now, cursor, options)
    },
  }
}
