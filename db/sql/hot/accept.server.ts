// Stores incoming events: all rows of an event, and of all events of a batch, in one transaction.
import { v7 as timeOrderedUuid } from 'uuid'
import type { AcceptLimits, EventRows, PlannedEvent } from '../../acts.ts'
import type { AcceptedEvent, FanOutEndpoint, IncomingEvent } from '../../store/events.ts'
import type { Client } from '../../sqlite/client.server.ts'
import { isStorageFailure } from '../../storage-failure.ts'
import { done } from './step.server.ts'
import { type Tally, tallies } from './tally.server.ts'
import { CREATED_MARK, touchedRows } from './touched-rows.server.ts'
import type { Turn } from './write-turn.server.ts'

/** A test event is sent by its requester at once; this only limits how long its row may look pending. */
const TEST_WAITS_MS = 60_000

/** State shared by the events of one transaction: loads are read once per account. */
interface Batch {
  tally: Tally
  /** Does a rule of the account watch this object? */
  watched: Map<string, boolean>
  loads: Map<string, { deliveries: number; bytes: number }>
}

export function newBatch(tally: Tally): Batch {
  return { tally, watched: new Map(), loads: new Map() }
}

type Sample = Pick<IncomingEvent, 'accountUuid' | 'object' | 'objectUuid' | 'changedFields' | 'receivedAt' | 'body'>

interface EventWriter {
  rows(turn: Turn): EventRows
  /** Call inside a transaction; all its events share one batch. */
  accept(planned: PlannedEvent, batch: Batch, limits: AcceptLimits): AcceptedEvent
  /** Creates an event for this endpoint only. Call inside a transaction. */
  sample(given: Sample, endpoint: FanOutEndpoint, tally: Tally): number
}

export function eventWriter({ sql }: Client): EventWriter {
  const newTally = tallies(sql)
  const insert = eventInsert(sql)
  const deliveries = deliveryInsert(sql)
  const rules = touchedRows(sql)
  const endpointsOf = sql.prepare<[string, string], FanOutEndpoint>(
    `SELECT id, object_type AS objectType, field_filter AS fieldFilter, url, state FROM endpoint
     WHERE account_uuid = ? AND object_type = ? AND state <> 'deleted'`,
  )
  const loadOf = sql.prepare<[string], { deliveries: number; bytes: number }>(
    'SELECT pending_count AS deliveries, pending_bytes AS bytes FROM account_load WHERE account_uuid = ?',
  )
  const findDuplicate = sql
    .prepare<[string, string], number>('SELECT seq FROM event WHERE account_uuid = ? AND dedupe = ?')
    .pluck()

  /** Reads endpoints once per account and object. */
  function endpointsFor(events: readonly IncomingEvent[]): FanOutEndpoint[][] {
    const known = new Map<string, FanOutEndpoint[]>()
    return events.map(({ accountUuid, object }) =>
      cached(known, `${object}|${accountUuid}`, () => endpointsOf.all(accountUuid, object)),
    )
  }

  function accept({ event, to }: PlannedEvent, batch: Batch, limits: AcceptLimits): AcceptedEvent {
    const waiting = to.filter((endpoint) => endpoint.state !== 'stopped').length
    if (waiting > 0 && isOverLimit(event, waiting, batch, limits)) {
      // A stored event still gets 200: refusing it would only make the platform repeat it.
      const seq = findDuplicate.get(event.accountUuid, event.dedupe)
      return seq === undefined ? { outcome: 'over_limit' } : duplicate(event, seq, batch)
    }
    const seq = insert(event)
    if (seq === null) return duplicate(event, findDuplicate.get(event.accountUuid, event.dedupe) ?? 0, batch)
    const made = deliveries(event, seq, to, batch.tally, limits)
    batch.tally.usage(event.accountUuid, event.receivedAt, 'webhook_received')
    return touch(event, seq, batch)
      ? { outcome: 'stored', seq, deliveries: made, touched: true }
      : { outcome: 'stored', seq, deliveries: made }
  }

  /** True = a rule watches the object: queues the record for evaluation. */
  function touch(event: IncomingEvent, seq: number, { watched }: Batch): boolean {
    const { accountUuid, object, changedFields } = event
    if (!cached(watched, `${object}|${accountUuid}`, () => rules.isWatched(accountUuid, object))) return false
    rules.touch({
      accountUuid,
      object,
      recordUuid: event.objectUuid,
      changedFields,
      created: changedFields.includes(CREATED_MARK),
      eventSeq: seq,
      at: event.receivedAt,
    })
    return true
  }

  function isOverLimit(event: IncomingEvent, deliveries: number, batch: Batch, { limit }: AcceptLimits): boolean {
    const { accountUuid } = event
    const before = cached(batch.loads, accountUuid, () => loadOf.get(accountUuid) ?? { deliveries: 0, bytes: 0 })
    const added = batch.tally.addedTo(accountUuid)
    return (
      before.deliveries + added.deliveries + deliveries > limit.deliveries ||
      before.bytes + added.bytes + deliveries * event.body.length > limit.bytes
    )
  }

  function duplicate(event: IncomingEvent, seq: number, { tally }: Batch): AcceptedEvent {
    tally.usage(event.accountUuid, event.receivedAt, 'duplicate')
    return { outcome: 'duplicate', seq }
  }

  const inSavepoint = sql.transaction((planned: PlannedEvent, tally: Tally, limits: AcceptLimits) =>
    accept(planned, newBatch(tally), limits),
  )
  /** Accepts one event in isolation, so its failure does not affect the others. */
  function acceptApart(planned: PlannedEvent, tally: Tally, limits: AcceptLimits): AcceptedEvent {
    const own = newTally(tally)
    try {
      const answer = inSavepoint(planned, own, limits)
      tally.absorb(own)
      return answer
    } catch (error) {
      if (isStorageFailure(error)) throw error
      return { outcome: 'rejected', message: error instanceof Error ? error.message : String(error) }
    }
  }

  return {
    accept,
    rows: ({ tally, apart }) => ({
      endpointsFor: (events) => done(endpointsFor(events)),
      insertEvents(planned, limits) {
        const batch = newBatch(tally)
        return done(planned.map((one) => (apart ? acceptApart(one, tally, limits) : accept(one, batch, limits))))
      },
    }),
    sample(given, endpoint, tally) {
      const dedupe = `test:${timeOrderedUuid({ msecs: given.receivedAt })}`
      const event: IncomingEvent = { ...given, subscriptionId: null, source: 'test', dedupe }
      const seq = insert(event)
      if (seq === null) throw new Error('a sample met its own double')
      return deliveries.pending(event, seq, endpoint.id, 'test', TEST_WAITS_MS, tally)
    },
  }
}

/** Returns the seq; null = already stored. */
function eventInsert(sql: Client['sql']): (event: IncomingEvent) => number | null {
  const insertEvent = sql.prepare(
    `INSERT INTO event (id, account_uuid, subscription_id, source, object, object_uuid, changed_fields, received_at, dedupe)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (account_uuid, dedupe) DO NOTHING`,
  )
  const insertBody = sql.prepare('INSERT INTO event_body (seq, body) VALUES (?, ?)')
  return (event) => {
    const { changes, lastInsertRowid } = insertEvent.run(
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
    if (changes === 0) return null
    const seq = Number(lastInsertRowid)
    insertBody.run(seq, event.body)
    return seq
  }
}

/** Inserts an event's deliveries. Returns the pending ones; a delivery to a stopped endpoint is stored as "stopped". */
function deliveryInsert(sql: Client['sql']) {
  const insertDelivery = sql.prepare(
    `INSERT INTO delivery (event_seq, endpoint_id, account_uuid, object_uuid, cause, cause_no, state, state_reason, due_at,
       deadline_at, attempts, steps, created_at, settled_at)
     VALUES (?, ?, ?, ?, ?, 0, ?, ?, ?, ?, 0, 0, ?, ?)`,
  )
  const insertNote = sql.prepare(
    `INSERT INTO attempt (delivery_id, account_uuid, endpoint_id, url, number, at, duration_ms, outcome, sentence)
     VALUES (?, ?, ?, ?, 1, ?, 0, 'stopped', ?)`,
  )

  function pending(
    { accountUuid, objectUuid, receivedAt, body }: IncomingEvent,
    seq: number,
    endpointId: number,
    cause: 'live' | 'test',
    waitsMs: number,
    tally: Tally,
  ): number {
    const until = receivedAt + waitsMs
    const { lastInsertRowid } = insertDelivery.run(
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
    return Number(lastInsertRowid)
  }

  function stopped(event: IncomingEvent, seq: number, { id, url }: FanOutEndpoint, limits: AcceptLimits): void {
    const { accountUuid, objectUuid, receivedAt } = event
    const { stoppedReason: reason } = limits
    const until = receivedAt + limits.retryFor
    const { lastInsertRowid } = insertDelivery.run(
      seq,
      id,
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
    insertNote.run(Number(lastInsertRowid), accountUuid, id, url, receivedAt, reason)
  }

  function all(
    event: IncomingEvent,
    seq: number,
    to: readonly FanOutEndpoint[],
    tally: Tally,
    limits: AcceptLimits,
  ): { id: number; endpointId: number }[] {
    const made: { id: number; endpointId: number }[] = []
    for (const endpoint of to) {
      tally.hour(endpoint.id, event.receivedAt, { events: 1 })
      if (endpoint.state === 'stopped') stopped(event, seq, endpoint, limits)
      else made.push({ id: pending(event, seq, endpoint.id, 'live', limits.retryFor, tally), endpointId: endpoint.id })
    }
    return made
  }
  return Object.assign(all, { pending })
}

function cached<Key, Value>(map: Map<Key, Value>, key: Key, load: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const value = load()
  map.set(key, value)
  return value
}
