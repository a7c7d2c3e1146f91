// Takes in a batch of events with two round trips, three when rules watch some of them. Tables are taken in one order
// by every act here: endpoints, loads of accounts, events, deliveries, counters, queued records; rows in the order of
// their keys.
import { v7 as timeOrderedUuid } from 'uuid'
import { type AcceptLimits, acceptEvents, type EventRows, type PlannedEvent } from '../acts.ts'
import type { Database, Step } from '../database.ts'
import { type Tally, tallies } from '../sql/hot/tally.server.ts'
import { type Watching, watchingOf } from '../sql/hot/touched-rows.server.ts'
import type { News } from '../sql/hot/write-turn.server.ts'
import type { AcceptedEvent, AcceptOptions, EventStore, FanOutEndpoint, IncomingEvent } from '../store/events.ts'
import type { PostgresConnections } from './client.server.ts'
import { together } from './database.server.ts'
import { rowsAsLists } from './rows-as-lists.ts'
import type { DeliveryRow as StoredRow } from './settled-rows.server.ts'
import { compare, tallyWriter } from './tally.server.ts'
import { pairOf, recordQueue, type Stored } from './touched.server.ts'

/** What is known before anything is decided. Endpoints and loads are locked: nobody changes them before we commit. */
interface Look {
  /** By account and object. */
  endpoints: Map<string, FanOutEndpoint[]>
  watched: Map<string, Watching>
  loads: Map<string, { deliveries: number; bytes: number }>
  /** By place in the batch: the number of the same event, stored before. */
  seen: Map<number, number>
  /** A number for each event of the batch. Those that are not used are lost. */
  seqs: number[]
}

interface EventRow extends Omit<IncomingEvent, 'changedFields' | 'body'> {
  seq: number
  id: string
  changedFields: string
}
const EVENT = rowsAsLists<EventRow>({
  seq: 'bigint',
  id: 'text',
  accountUuid: 'text',
  subscriptionId: 'bigint',
  source: 'text',
  object: 'text',
  objectUuid: 'text',
  changedFields: 'text',
  receivedAt: 'bigint',
  dedupe: 'text',
})

const BODY = rowsAsLists<{ seq: number; body: string }>({ seq: 'bigint', body: 'text' })

interface DeliveryRow
  extends Pick<StoredRow, 'eventSeq' | 'endpointId' | 'accountUuid' | 'stateReason' | 'dueAt' | 'settledAt'> {
  objectUuid: string
  state: 'pending' | 'stopped'
  deadlineAt: number
  createdAt: number
}
const DELIVERY = rowsAsLists<DeliveryRow>({
  eventSeq: 'bigint',
  endpointId: 'bigint',
  accountUuid: 'text',
  objectUuid: 'text',
  state: 'text',
  stateReason: 'text',
  dueAt: 'bigint',
  deadlineAt: 'bigint',
  createdAt: 'bigint',
  settledAt: 'bigint',
})

/** Answers as `acceptEvents` of `db/sql` does; an event that cannot be stored breaks the whole batch here. */
export function intakeSet({ locked: db, news }: PostgresConnections): Pick<EventStore, 'acceptEvents'> {
  const newTally = tallies(db)
  const lookAt = looker(db)
  const write = batchWriter(db, news)

  function rowsOfBatch(): EventRows & { told: boolean } {
    let look: Look
    return {
      told: false,
      *endpointsFor(events) {
        look = yield* lookAt(events)
        return events.map((event) => look.endpoints.get(pairOf(event)) ?? [])
      },
      *insertEvents(planned, limits) {
        const batch = decide(planned, look, limits, newTally())
        const { answers, told } = yield* write(batch, look)
        this.told = told
        return answers
      },
    }
  }
  const accept = db.write(function* (events: readonly IncomingEvent[], options: AcceptOptions) {
    const rows = rowsOfBatch()
    return { answers: yield* acceptEvents(rows, events, options), told: rows.told }
  })
  return {
    async acceptEvents(events, options) {
      const { answers, told } = await accept(events, options)
      if (told) news?.told()
      return answers
    },
  }
}

function looker(db: Database): (events: readonly IncomingEvent[]) => Step<Look> {
  const PAIRS = 'unnest(@accounts::text[], @objects::text[]) WITH ORDINALITY AS g(account_uuid, object, n)'
  const endpointsOf = db.prepare<object, FanOutEndpoint & { n: number }>(
    `SELECT g.n, p.id, p.object_type AS objectType, p.field_filter AS fieldFilter, p.url, p.state
     FROM endpoint p JOIN ${PAIRS} ON p.account_uuid = g.account_uuid AND p.object_type = g.object
     WHERE p.state <> 'deleted' ORDER BY p.id FOR NO KEY UPDATE OF p`,
  )
  const loadsOf = db.prepare<object, { accountUuid: string; deliveries: number; bytes: number }>(
    `SELECT account_uuid AS accountUuid, pending_count AS deliveries, pending_bytes AS bytes FROM account_load
     WHERE account_uuid = ANY(@accounts::text[]) ORDER BY account_uuid FOR NO KEY UPDATE`,
  )
  const watchedOf = db.prepare<object, { n: number; atOnce: number }>(
    `SELECT g.n, min(a.at_once) AS atOnce FROM ${PAIRS} JOIN automation a
         ON a.account_uuid = g.account_uuid AND a.watched_object = g.object AND a.active = 1 AND a.deleted_at IS NULL
       GROUP BY g.n`,
  )
  const seenOf = db.prepare<object, { n: number; seq: number }>(
    `SELECT g.n, e.seq FROM unnest(@accounts::text[], @dedupes::text[]) WITH ORDINALITY AS g(account_uuid, dedupe, n)
       JOIN event e ON e.account_uuid = g.account_uuid AND e.dedupe = g.dedupe`,
  )
  const newSeqs = db
    .prepare<{ count: number }, number>(
      "SELECT nextval(pg_get_serial_sequence('event', 'seq')) FROM generate_series(1, CAST(@count AS bigint))",
    )
    .pluck()

  return function* (events) {
    const pairs = [...new Map(events.map((event) => [pairOf(event), event])).values()]
    const ofPairs = {
      accounts: pairs.map(({ accountUuid }) => accountUuid),
      objects: pairs.map(({ object }) => object),
    }
    const accounts = [...new Set(ofPairs.accounts)]
    const keys = { accounts: events.map(({ accountUuid }) => accountUuid), dedupes: events.map(({ dedupe }) => dedupe) }
    const [endpoints, loads, watched, seen, seqs] = yield* together([
      endpointsOf.all(ofPairs),
      loadsOf.all({ accounts }),
      watchedOf.all(ofPairs),
      seenOf.all(keys),
      newSeqs.all({ count: events.length }),
    ])
    const pairAt = (n: number) => {
      const pair = pairs[n - 1]
      return pair ? pairOf(pair) : ''
    }
    return {
      endpoints: Map.groupBy(endpoints, ({ n }) => pairAt(n)),
      watched: new Map(watched.map(({ n, atOnce }) => [pairAt(n), watchingOf(atOnce)])),
      loads: new Map(loads.map(({ accountUuid, ...load }) => [accountUuid, load])),
      seen: new Map(seen.map(({ n, seq }) => [n - 1, seq])),
      seqs,
    }
  }
}

/** What becomes of a batch, nothing of it written. */
interface Batch {
  answers: (AcceptedEvent | Stored)[]
  stored: Stored[]
  deliveries: DeliveryRow[]
  tally: Tally
}

function decide(planned: readonly PlannedEvent[], look: Look, limits: AcceptLimits, tally: Tally): Batch {
  const batch: Batch = { answers: [], stored: [], deliveries: [], tally }
  const ours = new Map<string, number>()
  for (const [place, { event, to }] of planned.entries()) {
    const { accountUuid, receivedAt } = event
    const key = `${event.dedupe}|${accountUuid}`
    const seen = look.seen.get(place) ?? ours.get(key)
    if (seen !== undefined) {
      tally.usage(accountUuid, receivedAt, 'duplicate')
      batch.answers.push({ outcome: 'duplicate', seq: seen })
    } else if (isOverLimit(event, to, look, limits, tally)) {
      batch.answers.push({ outcome: 'over_limit' })
    } else {
      const seq = look.seqs[place] ?? 0
      const stored = { event, seq }
      ours.set(key, seq)
      batch.answers.push(stored)
      batch.stored.push(stored)
      tally.usage(accountUuid, receivedAt, 'webhook_received')
      for (const endpoint of to) batch.deliveries.push(deliveryOf(stored, endpoint, limits, tally))
    }
  }
  return batch
}

function isOverLimit(
  { accountUuid, body }: IncomingEvent,
  to: readonly FanOutEndpoint[],
  { loads }: Look,
  { limit }: AcceptLimits,
  tally: Tally,
): boolean {
  const waiting = to.filter(({ state }) => state !== 'stopped').length
  if (waiting === 0) return false
  const before = loads.get(accountUuid)
  const added = tally.addedTo(accountUuid)
  return (
    (before?.deliveries ?? 0) + added.deliveries + waiting > limit.deliveries ||
    (before?.bytes ?? 0) + added.bytes + waiting * body.length > limit.bytes
  )
}

/** Counts it too. */
function deliveryOf(
  { event, seq }: Stored,
  { id: endpointId, state }: FanOutEndpoint,
  { retryFor, stoppedReason }: AcceptLimits,
  tally: Tally,
): DeliveryRow {
  const { accountUuid, objectUuid, receivedAt, body } = event
  const isStopped = state === 'stopped'
  tally.hour(endpointId, receivedAt, { events: 1 })
  if (!isStopped) tally.waiting(accountUuid, endpointId, 1, body.length)
  return {
    eventSeq: seq,
    endpointId,
    accountUuid,
    objectUuid,
    state: isStopped ? 'stopped' : 'pending',
    stateReason: isStopped ? stoppedReason : null,
    dueAt: receivedAt,
    deadlineAt: receivedAt + retryFor,
    createdAt: receivedAt,
    settledAt: isStopped ? receivedAt : null,
  }
}

type Made = Pick<StoredRow, 'id' | 'eventSeq' | 'endpointId' | 'state'>

interface Written {
  answers: AcceptedEvent[]
  /** News was left for another instance. */
  told: boolean
}

function batchWriter(db: Database, news: News | undefined): (batch: Batch, look: Look) => Step<Written> {
  // The same event, stored by another instance meanwhile, refuses this one: the batch runs again and finds it.
  const insertEvents = db.prepare<object>(`INSERT INTO event (${EVENT.columns}) SELECT * FROM ${EVENT.rows}`)
  const insertBodies = db.prepare<object>(`INSERT INTO event_body (${BODY.columns}) SELECT * FROM ${BODY.rows}`)
  const insertDeliveries = db.prepare<object, Made>(
    `WITH made AS (
       INSERT INTO delivery (${DELIVERY.columns}, cause, cause_no, attempts, steps)
       SELECT g.*, 'live', 0, 0, 0 FROM ${DELIVERY.rows}
       RETURNING id, event_seq, endpoint_id, account_uuid, state, state_reason, created_at
     ), notes AS (
       INSERT INTO attempt (delivery_id, account_uuid, endpoint_id, url, number, at, duration_ms, outcome, sentence)
       SELECT m.id, m.account_uuid, m.endpoint_id, p.url, 1, m.created_at, 0, 'stopped', m.state_reason
       FROM made m JOIN endpoint p ON p.id = m.endpoint_id WHERE m.state = 'stopped' ORDER BY m.id
     )
     SELECT id, event_seq AS eventSeq, endpoint_id AS endpointId, state FROM made`,
  )
  const queue = recordQueue(db)
  const tallyWrites = tallyWriter(db)

  return function* ({ answers, stored, deliveries, tally }, { watched }) {
    const touching = stored.flatMap((one) => {
      const watching = watched.get(pairOf(one.event))
      return watching ? [{ ...one, watching }] : []
    })
    const records = touching.length > 0 ? yield* queue.changedBy(touching) : { added: [], changed: [] }
    const inOrder = stored.toSorted(
      (a, b) => compare(a.event.accountUuid, b.event.accountUuid) || compare(a.event.dedupe, b.event.dedupe),
    )
    const [, , made, told] = yield* together(
      [
        stored.length > 0 ? insertEvents.run(EVENT.of(inOrder.map(eventRowOf))) : nothing(),
        stored.length > 0
          ? insertBodies.run(BODY.of(stored.map(({ event, seq }) => ({ seq, body: event.body }))))
          : nothing(),
        deliveries.length > 0 ? insertDeliveries.all(DELIVERY.of(deliveries)) : nothing<Made>(),
        news ? news.tell(tally.moreWaiting()) : nobody(),
        ...tallyWrites(tally.gathered()),
        ...queue.writes(records),
      ],
      'commit',
    )
    return { answers: answered(answers, made, watched), told }
  }
}

function answered(answers: Batch['answers'], made: readonly Made[], watched: Look['watched']): AcceptedEvent[] {
  const waiting = made.filter(({ state }) => state === 'pending')
  const pending = Map.groupBy(waiting, ({ eventSeq }) => eventSeq)
  return answers.map((answer): AcceptedEvent => {
    if ('outcome' in answer) return answer
    const { event, seq } = answer
    const own = {
      outcome: 'stored',
      seq,
      deliveries: (pending.get(seq) ?? []).map(({ id, endpointId }) => ({ id, endpointId })),
    } as const
    return watched.has(pairOf(event)) ? { ...own, touched: true } : own
  })
}

/** The step of a batch that has nothing for a table. */
function nothing<Row>(): Step<Row[]> {
  return { [Symbol.iterator]: () => ({ next: () => ({ done: true, value: [] }) }) }
}

function nobody(): Step<boolean> {
  return { [Symbol.iterator]: () => ({ next: () => ({ done: true, value: false }) }) }
}

function eventRowOf({ event, seq }: Stored): EventRow {
  const { body: _body, changedFields, ...columns } = event
  const id = timeOrderedUuid({ msecs: event.receivedAt })
  return { ...columns, seq, id, changedFields: JSON.stringify(changedFields) }
}
