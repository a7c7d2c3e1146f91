import { desc, eq } from 'drizzle-orm'
import type { Clock, Millis } from '#app/lib/clock.ts'
import { apiActivity, event } from '../../schema.ts'
import type { ActivityStore, ApiActivityRow, DeliveryLogRow, EventLogQuery, EventLogRow } from '../../store/activity.ts'
import type { Client } from '../../sqlite/client.server.ts'
import { tallies } from '../hot/tally.server.ts'
import type { Sql } from '../../sqlite/sql.ts'
import { CLOCK_SLACK, walkBack } from '../walk-back.server.ts'
import { redactActivity } from './redact-activity.ts'

/** Events scanned between two turns of the event loop while a filtered log is searched. */
const WINDOW = 1000

/** Reads use the read-only connection; the one write masks its data, and counts it if it is a call of ours. */
export function activityStore(client: Client, clock: Clock): ActivityStore {
  const { db, reader, readerSql, sql } = client
  const newTally = tallies(sql)
  const forgetOldest = sql.prepare(
    `DELETE FROM api_activity WHERE account_uuid = @accountUuid AND id <=
       (SELECT id FROM api_activity WHERE account_uuid = @accountUuid ORDER BY id DESC LIMIT 1 OFFSET @kept)`,
  )
  return {
    async listEventLog(accountUuid, query) {
      const hits = await searchEvents(readerSql, accountUuid, query)
      return withDeliveries(readerSql, hits, query)
    },

    async knowsObject(accountUuid, object) {
      const row = readerSql
        .prepare(
          `SELECT EXISTS (SELECT 1 FROM event WHERE account_uuid = @accountUuid AND object = @object)
               OR EXISTS (SELECT 1 FROM webhook WHERE account_uuid = @accountUuid AND object_type = @object)
               OR EXISTS (SELECT 1 FROM forwarding_rule WHERE account_uuid = @accountUuid AND object_type = @object) AS known`,
        )
        .get({ accountUuid, object }) as { known: number }
      return row.known === 1
    },

    async lastEventAt(accountUuid) {
      const row = reader
        .select({ receivedAt: event.receivedAt })
        .from(event)
        .where(eq(event.accountUuid, accountUuid))
        .orderBy(desc(event.seq))
        .limit(1)
        .get()
      return row?.receivedAt ?? null
    },

    async listApiActivity(accountUuid, limit) {
      const rows: ApiActivityRow[] = reader
        .select()
        .from(apiActivity)
        .where(eq(apiActivity.accountUuid, accountUuid))
        .orderBy(desc(apiActivity.id))
        .limit(limit)
        .all()
      return rows
    },

    async recentApiCalls(accountUuid, { since, day }) {
      const calls = readerSql
        .prepare(
          `SELECT created_at AS at FROM (
             SELECT created_at, activity_type FROM api_activity WHERE account_uuid = @accountUuid ORDER BY id DESC LIMIT 400
           ) WHERE activity_type = 'api_call' AND created_at > @since`,
        )
        .all({ accountUuid, since }) as { at: Millis }[]
      const used = readerSql
        .prepare(
          `SELECT sum(count) AS count FROM usage_day
           WHERE account_uuid = @accountUuid AND day = @day AND kind IN ('api_call', 'free_call')`,
        )
        .get({ accountUuid, day }) as { count: number | null }
      return { at: calls.map((call) => call.at), inDay: used.count ?? 0 }
    },

    async recordApiActivity(activity) {
      const at = clock.now()
      const { counts = false, ...shown } = activity
      const row = redactActivity(shown)
      db.transaction(
        (tx) => {
          const { id } = tx
            .insert(apiActivity)
            .values({ ...row, createdAt: at })
            .returning({ id: apiActivity.id })
            .get()
          if (id % TIDY_EVERY === 0) forgetOldest.run({ accountUuid: row.accountUuid, kept: KEPT_PER_ACCOUNT })
          if (row.activityType !== 'api_call') return
          const tally = newTally()
          tally.usage(row.accountUuid, at, counts ? 'api_call' : 'free_call')
          tally.write()
        },
        { behavior: 'immediate' },
      )
    },
  }
}

/** Calls kept per account: ten times what the page shows. Enforced now and then. */
const KEPT_PER_ACCOUNT = 1000
const TIDY_EVERY = 50

interface EventHit {
  seq: number
  id: string
  object: string
  objectUuid: string
  changedFields: string
  receivedAt: Millis
  body: string | null
  hit: 0 | 1
}

/** An event's deliveries, limited to one endpoint if one is given. */
const OF_EVENT = `SELECT 1 FROM delivery d
  WHERE d.event_seq = e.seq AND (@endpointId IS NULL OR d.endpoint_id = @endpointId)`

/** SQL conditions over the alias `e`: does an event belong in a filtered log? */
const FORWARDING: Record<EventLogQuery['forwarding'], string> = {
  all: '1',
  forwarded: `EXISTS (${OF_EVENT} AND d.attempts > 0)`,
  not_forwarded: `NOT EXISTS (${OF_EVENT} AND d.attempts > 0)`,
  success: `EXISTS (${OF_EVENT} AND d.state = 'delivered')`,
  failed: `EXISTS (${OF_EVENT} AND d.attempts > 0 AND d.state <> 'delivered')`,
}

function searchEvents(sql: Sql, accountUuid: string, query: EventLogQuery): Promise<EventHit[]> {
  const endpointId = query.endpointId ?? null
  const everything = query.forwarding === 'all' && query.since === null && endpointId === null
  const window = everything ? query.limit : WINDOW
  const statement = sql.prepare<object, EventHit>(`
    SELECT e.seq, e.id, e.object, e.object_uuid AS objectUuid, e.changed_fields AS changedFields,
      e.received_at AS receivedAt,
      ${query.withBody ? '(SELECT body FROM event_body b WHERE b.seq = e.seq)' : 'NULL'} AS body,
      e.received_at >= @since AND (@endpointId IS NULL OR EXISTS (${OF_EVENT})) AND ${FORWARDING[query.forwarding]} AS hit
    FROM (
      SELECT * FROM event
      WHERE account_uuid = @accountUuid ${query.object === null ? '' : 'AND object = @object'} AND seq < @before
      ORDER BY seq DESC LIMIT @window
    ) e
    ORDER BY e.seq DESC`)
  const since = query.since ?? 0
  return walkBack({
    ...{ before: query.before, window, limit: query.limit },
    read: (before) => statement.all({ accountUuid, object: query.object, endpointId, since, before, window }),
    idOf: ({ seq }) => seq,
    isTooOld: ({ receivedAt }) => receivedAt < since - CLOCK_SLACK,
  })
}

interface DeliveryHit extends Omit<DeliveryLogRow, 'attempts'> {
  eventSeq: number
}

type AttemptHit = DeliveryLogRow['attempts'][number]

function withDeliveries(
  sql: Sql,
  events: EventHit[],
  { withResponses, endpointId = null }: Pick<EventLogQuery, 'withResponses' | 'endpointId'>,
): EventLogRow[] {
  const deliveries = sql
    .prepare(
      `SELECT d.id, d.event_seq AS eventSeq, p.url, r.name AS rule, d.state, d.state_reason AS stateReason,
         d.due_at AS dueAt, d.settled_at AS settledAt
       FROM delivery d JOIN endpoint p ON p.id = d.endpoint_id LEFT JOIN forwarding_rule r ON r.id = p.forwarding_rule_id
       WHERE d.event_seq IN (SELECT value FROM json_each(@seqs)) AND (@endpointId IS NULL OR d.endpoint_id = @endpointId)
       ORDER BY d.id`,
    )
    .all({ seqs: JSON.stringify(events.map((one) => one.seq)), endpointId }) as DeliveryHit[]
  const attempts = sql
    .prepare(
      `SELECT delivery_id AS deliveryId, number, url, at, duration_ms AS durationMs, dns_ms AS dnsMs,
         connect_ms AS connectMs, tls_ms AS tlsMs, first_byte_ms AS firstByteMs, outcome,
         status_code AS statusCode, sentence, ${withResponses ? 'response_body' : 'NULL'} AS responseBody
       FROM attempt WHERE delivery_id IN (SELECT value FROM json_each(@deliveryIds)) ORDER BY delivery_id, number, id`,
    )
    .all({ deliveryIds: JSON.stringify(deliveries.map((one) => one.id)) }) as AttemptHit[]
  const attemptsOf = grouped(attempts, (one) => one.deliveryId)
  const deliveriesOf = grouped(deliveries, (one) => one.eventSeq)
  return events.map(({ hit: _hit, changedFields, ...row }) => ({
    ...row,
    changedFields: JSON.parse(changedFields) as string[],
    deliveries: (deliveriesOf.get(row.seq) ?? []).map(({ eventSeq: _seq, ...delivery }) => ({
      ...delivery,
      attempts: attemptsOf.get(delivery.id) ?? [],
    })),
  }))
}

function grouped<Row>(rows: Row[], keyOf: (row: Row) => number): Map<number, Row[]> {
  const groups = new Map<number, Row[]>()
  for (const row of rows) {
    const group = groups.get(keyOf(row))
    if (group) group.push(row)
    else groups.set(keyOf(row), [row])
  }
  return groups
}
