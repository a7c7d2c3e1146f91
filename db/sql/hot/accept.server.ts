// Stores incoming events: all rows of an event, and of all events of a batch, in one transaction.
import { v7 as timeOrderedUuid } from 'uuid'
import type { AcceptLimits, EventRows, PlannedEvent } from '../../acts.ts'
import type { Database, Step } from '../../database.ts'
import { isStorageFailure } from '../../storage-failure.ts'
import type { AcceptedEvent, FanOutEndpoint, IncomingEvent } from '../../store/events.ts'
import type { Connections } from '../connections.ts'
import { type Tally, tallies } from './tally.server.ts'
import { CREATED_MARK, type Touch, touchedRows, type Watching } from './touched-rows.server.ts'
import type { Turn } from './write-turn.server.ts'

/** A test event is sent by its requester at once; this only limits how long its row may look pending. */
const TEST_WAITS_MS = 60_000

interface Load {
  deliveries: number
  bytes: number
}

/** State shared by the events of one transaction: loads are read once per account. */
interface Batch {
  tally: Tally
  /** Does a rule of the account watch this object? */
  watched: Map<string, Watching>
  loads: Map<string, Load>
}

export function newBatch(tally: Tally): Batch {
  return { tally, watched: new Map(), loads: new Map() }
}

type Sample = Pick<IncomingEvent, 'accountUuid' | 'object' | 'objectUuid' | 'changedFields' | 'receivedAt' | 'body'>

export function eventWriter({ db }: Connections) {
  const newTally = tallies(db)
  const insert = eventInsert(db)
  const deliveries = deliveryInsert(db)
  const rules = touchedRows(db)
  const endpointsOf = db.prepare<[string, string], FanOutEndpoint>(
    `SELECT id, object_type AS objectType, field_filter AS fieldFilter, url, state FROM endpoint
     WHERE account_uuid = ? AND object_type = ? AND state <> 'deleted'`,
  )
  const findLoad = db.prepare<[string], Load>(
    'SELECT pending_count AS deliveries, pending_bytes AS bytes FROM account_load WHERE account_uuid = ?',
  )
  const findDuplicate = db
    .prepare<[string, string], number>('SELECT seq FROM event WHERE account_uuid = ? AND dedupe = ?')
    .pluck()

  /** Reads endpoints once per account and object. */
  function* endpointsFor(events: readonly IncomingEvent[]): Generator<unknown, FanOutEndpoint[][]> {
    const known = new Map<string, FanOutEndpoint[]>()
    const found: FanOutEndpoint[][] = []
    for (const { accountUuid, object } of events) {
      const key = `${object}|${accountUuid}`
      found.push(known.get(key) ?? (yield* kept(known, key, endpointsOf.all(accountUuid, object))))
    }
    return found
  }

  function* accept({ event, to }: PlannedEvent, batch: Batch, limits: AcceptLimits): Generator<unknown, AcceptedEvent> {
    const { accountUuid, object, dedupe } = event
    const waiting = to.filter((endpoint) => endpoint.state !== 'stopped').length
    if (waiting > 0 && (yield* isOverLimit(event, waiting, batch, limits))) {
      // A stored event still gets 200: refusing it would only make the platform repeat it.
      const seq = yield* findDuplicate.get(accountUuid, dedupe)
      return seq === undefined ? { outcome: 'over_limit' } : duplicate(event, seq, batch)
    }
    const seq = yield* insert(event)
    if (seq === undefined) return duplicate(event, (yield* findDuplicate.get(accountUuid, dedupe)) ?? 0, batch)
    const made = yield* deliveries.fanOut(event, seq, to, batch.tally, limits)
    batch.tally.usage(accountUuid, event.receivedAt, 'webhook_received')
    const key = `${object}|${accountUuid}`
    const watched = batch.watched.get(key) ?? (yield* kept(batch.watched, key, rules.watching(accountUuid, object)))
    if (watched === 'no') return { outcome: 'stored', seq, deliveries: made }
    yield* rules.touch(touchOf(event, seq, watched))
    return { outcome: 'stored', seq, deliveries: made, touched: true }
  }

  function* isOverLimit(
    { accountUuid, body }: IncomingEvent,
    deliveries: number,
    { loads, tally }: Batch,
    { limit }: AcceptLimits,
  ): Generator<unknown, boolean> {
    const before = loads.get(accountUuid) ?? (yield* kept(loads, accountUuid, loadOf(accountUuid)))
    const added = tally.addedTo(accountUuid)
    return (
      before.deliveries + added.deliveries + deliveries > limit.deliveries ||
      before.bytes + added.bytes + deliveries * body.length > limit.bytes
    )
  }

  function* loadOf(accountUuid: string): Generator<unknown, Load> {
    return (yield* findLoad.get(accountUuid)) ?? { deliveries: 0, bytes: 0 }
  }

  /** Accepts one event in isolation, so its failure does not affect the others. */
  function* acceptApart(planned: PlannedEvent, tally: Tally, limits: AcceptLimits): Generator<unknown, AcceptedEvent> {
    const own = newTally(tally)
    try {
      const answer = yield* db.savepoint(() => accept(planned, newBatch(own), limits))
      tally.absorb(own)
      return answer
    } catch (error) {
      if (isStorageFailure(error)) throw error
      return { outcome: 'rejected', message: error instanceof Error ? error.message : String(error) }
    }
  }

  return {
    /** Call inside a transaction; all its events share one batch. */
    accept,
    rows: ({ tally, apart }: Turn): EventRows => ({
      endpointsFor,
      *insertEvents(planned, limits) {
        const batch = newBatch(tally)
        const accepted: AcceptedEvent[] = []
        for (const one of planned) {
          accepted.push(yield* apart ? acceptApart(one, tally, limits) : accept(one, batch, limits))
        }
        return accepted
      },
    }),
    /** Creates an event for this endpoint only. Call inside a transaction. */
    *sample(given: Sample, endpoint: FanOutEndpoint, tally: Tally): Generator<unknown, number> {
      const dedupe = `test:${timeOrderedUuid({ msecs: given.receivedAt })}`
      const event: IncomingEvent = { ...given, subscriptionId: null, source: 'test', dedupe }
      const seq = yield* insert(event)
      if (seq === undefined) throw new Error('a sample met its own double')
      return yield* deliveries.pending(event, seq, endpoint.id, 'test', TEST_WAITS_MS, tally)
    },
  }
}

/** Queues the record for evaluation. */
export function touchOf(event: IncomingEvent, seq: number, watching: Watching): Touch {
  const { accountUuid, object, objectUuid: recordUuid, changedFields, receivedAt: at } = event
  return {
    accountUuid,
    object,
    recordUuid,
    changedFields,
    created: changedFields.includes(CREATED_MARK),
    eventSeq: seq,
    at,
    atOnce: watching === 'at_once',
  }
}

function duplicate(event: IncomingEvent, seq: number, { tally }: Batch): AcceptedEvent {
  tally.usage(event.accountUuid, event.receivedAt, 'duplicate')
  return { outcome: 'duplicate', seq }
}

/** Returns the seq; undefined = already stored. */
function eventInsert(db: Database): (event: IncomingEvent) => Step<number | undefined> {
  const insertEvent = db
    .prepare<unknown[], number>(
      `INSERT INTO event (id, account_uuid, subscription_id, source, object, object_uuid, changed_fields, received_at, dedupe)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (account_uuid, dedupe) DO NOTHING RETURNING seq`,
    )
    .pluck()
  const insertBody = db.prepare('INSERT INTO event_body (seq, body) VALUES (?, ?)')
  return function* (event) {
    const seq = yield* insertEvent.get(
      timeOrderedUuid({ msecs: event.receivedAt }),
      event.accountUuid,
      event.subscriptionId,
      event.source,
      event.object,
      event.objectUuid,
      JSON.stringify(event.changedFields),
      event.receivedAt,
      event.dedupe,
    )
    if (seq !== undefined) yield* insertBody.run(seq, event.body)
    return seq
  }
}

/** `fanOut` answers the pending ones; a delivery to a stopped endpoint is stored as "stopped". */
function deliveryInsert(db: Database) {
  const insertDelivery = db
    .prepare<unknown[], number>(
      `INSERT INTO delivery (event_seq, endpoint_id, account_uuid, object_uuid, cause, cause_no, state, state_reason, due_at,
         deadline_at, attempts, steps, created_at, settled_at)
       VALUES (?, ?, ?, ?, ?, 0, ?, ?, ?, ?, 0, 0, ?, ?) RETURNING id`,
    )
    .pluck()
  const insertNote = db.prepare(
    `INSERT INTO attempt (delivery_id, account_uuid, endpoint_id, url, number, at, duration_ms, outcome, sentence)
     VALUES (?, ?, ?, ?, 1, ?, 0, 'stopped', ?)`,
  )

  function* pending(
    { accountUuid, objectUuid, receivedAt, body }: IncomingEvent,
    seq: number,
    endpointId: number,
    cause: 'live' | 'test',
    waitsMs: number,
    tally: Tally,
  ): Generator<unknown, number> {
    const until = receivedAt + waitsMs
    const id = yield* insertDelivery.get(
      seq,
      endpointId,
      accountUuid,
      objectUuid,
      cause,
      'pending',
      null,
      receivedAt,
      until,
      receivedAt,
      null,
    )
    tally.waiting(accountUuid, endpointId, 1, body.length)
    return id ?? 0
  }

  function* stopped(
    event: IncomingEvent,
    seq: number,
    { id: endpointId, url }: FanOutEndpoint,
    limits: AcceptLimits,
  ): Generator<unknown, void> {
    const { accountUuid, objectUuid, receivedAt } = event
    const { stoppedReason: reason } = limits
    const until = receivedAt + limits.retryFor
    const id = yield* insertDelivery.get(
      seq,
      endpointId,
      accountUuid,
      objectUuid,
      'live',
      'stopped',
      reason,
      receivedAt,
      until,
      receivedAt,
      receivedAt,
    )
    yield* insertNote.run(id, accountUuid, endpointId, url, receivedAt, reason)
  }

  function* fanOut(
    event: IncomingEvent,
    seq: number,
    to: readonly FanOutEndpoint[],
    tally: Tally,
    limits: AcceptLimits,
  ): Generator<unknown, { id: number; endpointId: number }[]> {
    const made: { id: number; endpointId: number }[] = []
    for (const endpoint of to) {
      tally.hour(endpoint.id, event.receivedAt, { events: 1 })
      if (endpoint.state === 'stopped') {
        yield* stopped(event, seq, endpoint, limits)
        continue
      }
      const id = yield* pending(event, seq, endpoint.id, 'live', limits.retryFor, tally)
      made.push({ id, endpointId: endpoint.id })
    }
    return made
  }
  return { fanOut, pending }
}

/** Takes the step and keeps its result for the next time. */
function* kept<Value>(map: Map<string, Value>, key: string, step: Step<Value>): Generator<unknown, Value> {
  const value = yield* step
  map.set(key, value)
  return value
}
