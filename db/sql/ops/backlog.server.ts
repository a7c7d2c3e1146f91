// Overdue and pending work. Metrics are scraped every few seconds, so every part is an index seek or a sum of counters:
// nothing here grows with the number of events.

import type { Backlog, BacklogStore, ByLane } from '../../store/backlog.ts'
import type { Connections } from '../connections.ts'

/** An endpoint that receives nothing at present; one with an open breaker gets only probes. */
const QUARANTINED = `(p.state <> 'active' OR p.url = '' OR own.id IS NOT NULL OR coalesce(p.hold_until, 0) > @now OR p.breaker = 'open')`
/** What waits there for its retry is held, too: the operator's page says "Retrying". */
const HELD = `(${QUARANTINED} OR p.failing_since IS NOT NULL)`
const HELD_FROM_PEOPLE = "(p.url = '' OR own.id IS NOT NULL)"
const ENDPOINTS = `endpoint p LEFT JOIN plan own ON own.account_uuid = p.account_uuid AND own.held_since IS NOT NULL`

/** A formerly held delivery counts from the time it may be sent again. */
const OLDEST_DUE = `
  SELECT min(max(due, coalesce(hold_until, 0), state_since)) FROM (
    SELECT p.hold_until, p.state_since,
      (SELECT d.due_at FROM delivery d INDEXED BY due_deliveries_of_an_endpoint
       WHERE d.endpoint_id = p.id AND d.state = 'pending' AND d.due_at <= @now
         AND d.id NOT IN (SELECT CAST(value AS bigint) FROM json_each(@inFlight))
       ORDER BY d.due_at, d.id LIMIT 1) AS due
    FROM ${ENDPOINTS} WHERE p.state = 'active' AND NOT ${QUARANTINED}) AS firsts
  WHERE due IS NOT NULL`

const WAITING = `SELECT ${HELD} AS held, sum(p.pending_count) AS count FROM ${ENDPOINTS} WHERE p.pending_count > 0 GROUP BY held`

/** This index has few rows: replays are built in small steps. */
const AGAIN = `
  SELECT d.cause, ${HELD} AS held, ${HELD_FROM_PEOPLE} AS heldFromPeople, count(*) AS count
  FROM delivery d INDEXED BY due_again_of_an_endpoint CROSS JOIN ${ENDPOINTS}
  WHERE d.state = 'pending' AND d.cause <> 'live' AND p.id = d.endpoint_id
  GROUP BY d.cause, held, heldFromPeople`

const OLDEST_RUN = `
  SELECT r.wake_at FROM run r INDEXED BY runs_to_do
  WHERE r.state IN ('queued', 'running', 'waiting') AND r.wake_at <= @now AND r.state <> 'running'
    AND NOT EXISTS (SELECT 1 FROM plan own WHERE own.account_uuid = r.account_uuid AND own.held_since IS NOT NULL)
  ORDER BY r.wake_at LIMIT 1`

const OLDEST_SCHEDULE = `
  SELECT rule.next_run_at FROM automation rule INDEXED BY automations_due
  WHERE rule.active = 1 AND rule.deleted_at IS NULL AND rule.next_run_at <= @now AND rule.paused_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM plan own WHERE own.account_uuid = rule.account_uuid AND own.held_since IS NOT NULL)
  ORDER BY rule.next_run_at LIMIT 1`

/** For the test that each query uses its index. */
export const BACKLOG_QUERIES = { OLDEST_DUE, WAITING, AGAIN, OLDEST_RUN, OLDEST_SCHEDULE } as const

export function backlogStore({ reader }: Pick<Connections, 'reader'>): BacklogStore {
  type Now = { now: number }
  const moment = <Given extends object>(query: string) => reader.prepare<[Given], number | null>(query).pluck()
  const oldestDue = moment<Now & { inFlight: string }>(OLDEST_DUE)
  const oldestRun = moment<Now>(OLDEST_RUN)
  const oldestSchedule = moment<Now>(OLDEST_SCHEDULE)
  const waiting = reader.prepare<Now, Waiting>(WAITING)
  const again = reader.prepare<Now, Again>(AGAIN)

  return {
    readBacklog: reader.snapshot(function* (now, inFlight) {
      const lanes = countedByLane(yield* waiting.all({ now }), yield* again.all({ now }))
      return {
        oldestDueSince: (yield* oldestDue.get({ now, inFlight: JSON.stringify(inFlight) })) ?? null,
        ...lanes,
        oldestRunDueSince: (yield* oldestRun.get({ now })) ?? null,
        oldestScheduleDueSince: (yield* oldestSchedule.get({ now })) ?? null,
      }
    }),
  }
}

interface Waiting {
  held: 0 | 1
  count: number
}

interface Again extends Waiting {
  cause: string
  heldFromPeople: 0 | 1
}

/** `again`: the pending deliveries that are resends. */
function countedByLane(all: readonly Waiting[], again: readonly Again[]): Pick<Backlog, 'pending' | 'held'> {
  const pending: ByLane = { live: 0, replay: 0, by_hand: 0 }
  const held: ByLane = { live: 0, replay: 0, by_hand: 0 }
  for (const row of all) (row.held ? held : pending).live += row.count
  for (const { cause, held: heldToo, heldFromPeople, count } of again) {
    const counted = heldToo ? held : pending
    counted.live = Math.max(0, counted.live - count)
    if (cause === 'replay') counted.replay += count
    else (heldFromPeople ? held : pending).by_hand += count
  }
  return { pending, held }
}
