import { and, desc, eq, ne } from 'drizzle-orm'
import type { Clock, Millis } from '#app/lib/clock.ts'
import type { Database } from '../../database.ts'
import { many, one } from '../../orm.ts'
import { apiActivity, event } from '../../schema.ts'
import type { ActivityStore, DeliveryLogRow, EventLogQuery, EventLogRow, NewApiActivity } from '../../store/activity.ts'
import type { Connections } from '../connections.ts'
import { tallies } from '../hot/tally.server.ts'
import { CLOCK_SLACK, walkBack } from '../walk-back.server.ts'
import { redactActivity } from './redact-activity.ts'
import { DELIVERY_COLUMNS, type DeliveryRow, toDelivery } from './search.server.ts'

/** Events scanned between two turns of the event loop while a filtered log is searched. */
const WINDOW = 1000

/** Reads use the read-only connection; the one write masks its data, and counts it if it is a call of ours. */
export function activityStore({ db, orm, reader, readerOrm }: Connections, clock: Clock): ActivityStore {
  const newTally = tallies(db)
  const withDeliveries = deliveriesOf(reader)
  const known = reader
    .prepare<{ accountUuid: string; object: string }, 0 | 1>(
      `SELECT EXISTS (SELECT 1 FROM event WHERE account_uuid = @accountUuid AND object = @object)
           OR EXISTS (SELECT 1 FROM webhook WHERE account_uuid = @accountUuid AND object_type = @object)
           OR EXISTS (SELECT 1 FROM forwarding_rule WHERE account_uuid = @accountUuid AND object_type = @object)`,
    )
    .pluck()
  const latestCalls = reader
    .prepare<{ accountUuid: string; since: Millis }, Millis>(
      `SELECT created_at FROM (
         SELECT created_at, activity_type FROM api_activity WHERE account_uuid = @accountUuid ORDER BY id DESC LIMIT 400
       ) AS latest WHERE activity_type = 'api_call' AND created_at > @since`,
    )
    .pluck()
  const callsOfDay = reader
    .prepare<{ accountUuid: string; day: number }, number>(
      `SELECT coalesce(sum(count), 0) FROM usage_day
       WHERE account_uuid = @accountUuid AND day = @day AND kind IN ('api_call', 'free_call')`,
    )
    .pluck()
  const forgetOldest = db.prepare(
    `DELETE FROM api_activity WHERE account_uuid = @accountUuid AND id <=
       (SELECT id FROM api_activity WHERE account_uuid = @accountUuid ORDER BY id DESC LIMIT 1 OFFSET @kept)`,
  )
  const record = db.write(function* (row: NewApiActivity, counts: boolean, at: Millis) {
    const insert = orm.insert(apiActivity).values({ ...row, createdAt: at })
    const { id } = yield* one(insert.returning({ id: apiActivity.id }))
    if (id % TIDY_EVERY === 0) yield* forgetOldest.run({ accountUuid: row.accountUuid, kept: KEPT_PER_ACCOUNT })
    if (row.activityType !== 'api_call') return
    const tally = newTally()
    tally.usage(row.accountUuid, at, counts ? 'api_call' : 'free_call')
    yield* tally.write()
  })

  return {
    async listEventLog(accountUuid, query) {
      return withDeliveries(await searchEvents(reader, accountUuid, query), query)
    },

    knowsObject: reader.read(function* (accountUuid, object) {
      return (yield* known.get({ accountUuid, object })) === 1
    }),

    lastEventAt: reader.read(function* (accountUuid) {
      const row = yield* one(
        readerOrm
          .select({ receivedAt: event.receivedAt })
          .from(event)
          .where(and(eq(event.accountUuid, accountUuid), ne(event.source, 'test')))
          .orderBy(desc(event.seq))
          .limit(1),
      )
      return row?.receivedAt ?? null
    }),

    listApiActivity: reader.read((accountUuid, limit) =>
      many(
        readerOrm
          .select()
          .from(apiActivity)
          .where(eq(apiActivity.accountUuid, accountUuid))
          .orderBy(desc(apiActivity.id))
          .limit(limit),
      ),
    ),

    recentApiCalls: reader.read(function* (accountUuid, { since, day }) {
      const at = yield* latestCalls.all({ accountUuid, since })
      return { at, inDay: (yield* callsOfDay.get({ accountUuid, day })) ?? 0 }
    }),

    async recordApiActivity({ counts = false, ...shown }) {
      await record(redactActivity(shown), counts, clock.now())
    },
  }
}

/** Calls kept per account: ten times what the page shows. Enforced now and then. */
const KEPT_PER_ACCOUNT = 1000
const TIDY_EVERY = 50

interface EventHit extends Omit<EventLogRow, 'changedFields' | 'deliveries'> {
  changedFields: string
  hit: 0 | 1
}

/** An event's deliveries, limited to one endpoint if one is given. */
const OF_EVENT = `SELECT 1 FROM delivery d
  WHERE d.event_seq = e.seq AND (CAST(@endpointId AS bigint) IS NULL OR d.endpoint_id = @endpointId)`

/** SQL conditions over the alias `e`: does an event belong in a filtered log? */
const FORWARDING: Record<EventLogQuery['forwarding'], string> = {
  all: 'TRUE',
  forwarded: `EXISTS (${OF_EVENT} AND d.attempts > 0)`,
  not_forwarded: `NOT EXISTS (${OF_EVENT} AND d.attempts > 0)`,
  success: `EXISTS (${OF_EVENT} AND d.state = 'delivered')`,
  failed: `EXISTS (${OF_EVENT} AND d.state <> 'delivered' AND (d.attempts > 0 OR d.state <> 'pending'))`,
}

function searchEvents(reader: Database, accountUuid: string, query: EventLogQuery): Promise<EventHit[]> {
  const endpointId = query.endpointId ?? null
  // The newest are those since a moment: only other filters leave out rows in between.
  const window = query.forwarding === 'all' && endpointId === null ? query.limit : WINDOW
  const statement = reader.prepare<object, EventHit>(`
    SELECT e.seq, e.id, e.object, e.object_uuid AS objectUuid, e.changed_fields AS changedFields,
      e.received_at AS receivedAt,
      ${query.withBody ? '(SELECT body FROM event_body b WHERE b.seq = e.seq)' : 'NULL'} AS body,
      e.received_at >= @since AND (CAST(@endpointId AS bigint) IS NULL OR EXISTS (${OF_EVENT})) AND ${FORWARDING[query.forwarding]} AS hit
    FROM (
      SELECT * FROM event
      WHERE account_uuid = @accountUuid ${query.object === null ? '' : 'AND object = @object'} AND seq < @before
      ORDER BY seq DESC LIMIT @window
    ) e
    ORDER BY e.seq DESC`)
  const since = query.since ?? 0
  return walkBack({
    ...{ before: query.before, window, limit: query.limit },
    read: reader.read((before) =>
      statement.all({ accountUuid, object: query.object, endpointId, since, before, window }),
    ),
    idOf: ({ seq }) => seq,
    isTooOld: ({ receivedAt }) => receivedAt < since - CLOCK_SLACK,
  })
}

interface DeliveryHit extends DeliveryRow {
  eventSeq: number
}

type AttemptHit = DeliveryLogRow['attempts'][number]

/** Adds to each event its deliveries, with their attempts. */
function deliveriesOf(reader: Database) {
  const findDeliveries = reader.prepare<{ seqs: string; endpointId: number | null }, DeliveryHit>(
    `SELECT d.event_seq AS eventSeq, ${DELIVERY_COLUMNS}
     FROM delivery d JOIN endpoint p ON p.id = d.endpoint_id
     WHERE d.event_seq IN (SELECT CAST(value AS bigint) FROM json_each(@seqs))
       AND (CAST(@endpointId AS bigint) IS NULL OR d.endpoint_id = @endpointId)
     ORDER BY d.id`,
  )
  const attemptFinder = (responseBody: string) =>
    reader.prepare<{ deliveryIds: string }, AttemptHit>(
      `SELECT delivery_id AS deliveryId, number, url, at, duration_ms AS durationMs, dns_ms AS dnsMs,
         connect_ms AS connectMs, tls_ms AS tlsMs, first_byte_ms AS firstByteMs, outcome,
         status_code AS statusCode, sentence, ${responseBody} AS responseBody
       FROM attempt WHERE delivery_id IN (SELECT CAST(value AS bigint) FROM json_each(@deliveryIds))
       ORDER BY delivery_id, number, id`,
    )
  const attemptsWithout = attemptFinder('NULL')
  const attemptsWith = attemptFinder('response_body')

  return reader.snapshot(function* (
    events: readonly EventHit[],
    { withResponses, endpointId = null }: Pick<EventLogQuery, 'withResponses' | 'endpointId'>,
  ): Generator<unknown, EventLogRow[]> {
    const seqs = JSON.stringify(events.map((one) => one.seq))
    const deliveries = yield* findDeliveries.all({ seqs, endpointId })
    const findAttempts = withResponses ? attemptsWith : attemptsWithout
    const deliveryIds = JSON.stringify(deliveries.map((one) => one.id))
    const attemptsOf = Map.groupBy(yield* findAttempts.all({ deliveryIds }), (one) => one.deliveryId)
    const byEvent = Map.groupBy(deliveries, (one) => one.eventSeq)
    return events.map(({ hit: _hit, changedFields, ...row }) => ({
      ...row,
      changedFields: JSON.parse(changedFields) as string[],
      deliveries: (byEvent.get(row.seq) ?? []).map((hit): DeliveryLogRow => {
        const { id, endpointId, url, rule, state, stateReason, dueAt, settledAt } = hit
        const attempts = attemptsOf.get(id) ?? []
        return { id, endpointId, url, rule, state, stateReason, dueAt, settledAt, attempts, standing: toDelivery(hit) }
      }),
    }))
  })
}
