// Taking events in: everything that belongs to an event, and to all events of a batch, in one transaction.
import { v7 as timeOrderedUuid } from 'uuid'
import type { Clock } from '#app/lib/clock.ts'
import type {
  AcceptedEvent,
  AcceptOptions,
  EventStore,
  FanOutEndpoint,
  IncomingEvent,
  Ingress,
} from '../../store/events.ts'
import type { Client } from '../client.server.ts'
import { knownIngress } from '../endpoints/known-ingress.server.ts'
import { isStorageFailure } from '../storage-failure.ts'
import { type Tally, tallies } from '../tally.server.ts'
import { writeTurnOf } from '../write-turn.server.ts'
import { CREATED_MARK, touchedRows } from './touched-rows.server.ts'

/** A sample is sent by whoever asked for it, at once; this is only how long its row may look as if it waited. */
const TEST_WAITS_MS = 60_000

export function eventStore(client: Client, clock: Clock): EventStore {
  const { sql } = client
  const newTally = tallies(sql)
  const writer = eventWriter(client)
  const ingressOf = sql.prepare<[string], Ingress>(
    `SELECT id AS subscriptionId, account_uuid AS accountUuid, object, state, ends_at AS endsAt
     FROM subscription WHERE token_hash = ?`,
  )
  const findIngress = knownIngress((tokenHash) => ingressOf.get(tokenHash))

  const turn = writeTurnOf(client)

  /** Each in a savepoint of its own: what breaks one leaves the others. */
  const acceptOne = sql.transaction((event: IncomingEvent, tally: Tally, options: AcceptOptions) =>
    writer.accept(event, newBatch(tally), options),
  )
  function acceptApart(events: IncomingEvent[], tally: Tally, options: AcceptOptions): AcceptedEvent[] {
    return events.map((event) => {
      const own = newTally(tally)
      try {
        const answer = acceptOne(event, own, options)
        tally.absorb(own)
        return answer
      } catch (error) {
        if (isStorageFailure(error)) throw error
        return { outcome: 'rejected', message: error instanceof Error ? error.message : String(error) }
      }
    })
  }

  const insertTest = sql.transaction(
    (accountUuid: string, endpointId: number, sample: Parameters<EventStore['createTestDelivery']>[2], now: number) => {
      const endpoint = sql
        .prepare<[number, string], FanOutEndpoint>(
          `SELECT id, object_type AS objectType, field_filter AS fieldFilter, url, state FROM endpoint
           WHERE id = ? AND account_uuid = ? AND state <> 'deleted' AND url <> ''`,
        )
        .get(endpointId, accountUuid)
      if (!endpoint) return null
      const batch = newBatch(newTally())
      const id = writer.sample({ ...sample, accountUuid, receivedAt: now }, endpoint, batch)
      batch.tally.write()
      return id
    },
  )

  return {
    async findIngress(tokenHash) {
      return findIngress(tokenHash, clock.now())
    },

    async acceptEvents(events, options) {
      try {
        return await turn.run((tally) => {
          const batch = newBatch(tally)
          return events.map((event) => writer.accept(event, batch, options))
        })
      } catch (error) {
        if (isStorageFailure(error)) throw error
        return turn.run((tally) => acceptApart(events, tally, options))
      }
    },

    async createTestDelivery(accountUuid, endpointId, sample, now) {
      return insertTest.immediate(accountUuid, endpointId, sample, now)
    },
  }
}

/** What the events of one transaction share: endpoints are read once per account and object, loads once per account. */
export interface Batch {
  tally: Tally
  endpoints: Map<string, FanOutEndpoint[]>
  /** Does a rule watch this object of the account? */
  watched: Map<string, boolean>
  loads: Map<string, { deliveries: number; bytes: number }>
}

export function newBatch(tally: Tally): Batch {
  return { tally, endpoints: new Map(), watched: new Map(), loads: new Map() }
}

/** The statements behind `acceptEvents`: call them inside a transaction, all of it with one batch. */
export function eventWriter({ sql }: Client) {
  const rules = touchedRows(sql)
  const insertEvent = sql.prepare(
    `INSERT INTO event (id, account_uuid, subscription_id, source, object, object_uuid, changed_fields, received_at, dedupe)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (account_uuid, dedupe) DO NOTHING`,
  )
  const findDuplicate = sql
    .prepare<[string, string], number>('SELECT seq FROM event WHERE account_uuid = ? AND dedupe = ?')
    .pluck()
  const insertBody = sql.prepare('INSERT INTO event_body (seq, body) VALUES (?, ?)')
  const insertDelivery = sql.prepare(
    `INSERT INTO delivery (event_seq, endpoint_id, account_uuid, object_uuid, cause, cause_no, state, state_reason, due_at,
       deadline_at, attempts, steps, created_at, settled_at)
     VALUES (?, ?, ?, ?, ?, 0, ?, ?, ?, ?, 0, 0, ?, ?)`,
  )
  const insertNote = sql.prepare(
    `INSERT INTO attempt (delivery_id, account_uuid, endpoint_id, url, number, at, duration_ms, outcome, sentence)
     VALUES (?, ?, ?, ?, 1, ?, 0, 'stopped', ?)`,
  )
  const endpointsOf = sql.prepare<[string, string], FanOutEndpoint>(
    `SELECT id, object_type AS objectType, field_filter AS fieldFilter, url, state FROM endpoint
     WHERE account_uuid = ? AND object_type = ? AND state <> 'deleted'`,
  )
  const loadOf = sql.prepare<[string], { deliveries: number; bytes: number }>(
    'SELECT pending_count AS deliveries, pending_bytes AS bytes FROM account_load WHERE account_uuid = ?',
  )

  function insert(event: IncomingEvent): number | null {
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

  function accept(event: IncomingEvent, batch: Batch, options: AcceptOptions): AcceptedEvent {
    const { accountUuid, receivedAt } = event
    const key = `${event.object}|${accountUuid}`
    const endpoints = cached(batch.endpoints, key, () => endpointsOf.all(accountUuid, event.object))
    const chosen = options.choose(event, endpoints)
    const waiting = chosen.filter((endpoint) => endpoint.state !== 'stopped').length
    if (waiting > 0 && isOverLimit(event, waiting, batch, options)) {
      // What is stored already is answered 200 all the same: refusing it would only bring it back.
      const seq = findDuplicate.get(accountUuid, event.dedupe)
      return seq === undefined ? { outcome: 'over_limit' } : duplicate(event, seq, batch)
    }
    const seq = insert(event)
    if (seq === null) return duplicate(event, findDuplicate.get(accountUuid, event.dedupe) ?? 0, batch)
    const deliveries: { id: number; endpointId: number }[] = []
    for (const endpoint of chosen) {
      const stopped = endpoint.state === 'stopped'
      const { lastInsertRowid } = insertDelivery.run(
        seq,
        endpoint.id,
        accountUuid,
        event.objectUuid,
        'live',
        stopped ? 'stopped' : 'pending',
        stopped ? options.stoppedReason : null,
        receivedAt,
        receivedAt + options.retryFor,
        receivedAt,
        stopped ? receivedAt : null,
      )
      const id = Number(lastInsertRowid)
      batch.tally.hour(endpoint.id, receivedAt, { events: 1 })
      if (stopped) {
        insertNote.run(id, accountUuid, endpoint.id, endpoint.url, receivedAt, options.stoppedReason)
      } else {
        deliveries.push({ id, endpointId: endpoint.id })
        batch.tally.waiting(accountUuid, endpoint.id, 1, event.body.length)
      }
    }
    batch.tally.usage(accountUuid, receivedAt, 'webhook_received')
    if (!cached(batch.watched, key, () => rules.isWatched(accountUuid, event.object))) {
      return { outcome: 'stored', seq, deliveries }
    }
    rules.touch({
      accountUuid,
      object: event.object,
      recordUuid: event.objectUuid,
      changedFields: event.changedFields,
      created: event.changedFields.includes(CREATED_MARK),
      eventSeq: seq,
      at: receivedAt,
    })
    return { outcome: 'stored', seq, deliveries, touched: true }
  }

  function isOverLimit(event: IncomingEvent, deliveries: number, batch: Batch, { limit }: AcceptOptions): boolean {
    const { accountUuid } = event
    const before = cached(batch.loads, accountUuid, () => loadOf.get(accountUuid) ?? { deliveries: 0, bytes: 0 })
    const added = batch.tally.addedTo(accountUuid)
    return (
      before.deliveries + added.deliveries + deliveries > limit.deliveries ||
      before.bytes + added.bytes + deliveries * event.body.length > limit.bytes
    )
  }

  function duplicate(event: IncomingEvent, seq: number, batch: Batch): AcceptedEvent {
    batch.tally.usage(event.accountUuid, event.receivedAt, 'duplicate')
    return { outcome: 'duplicate', seq }
  }

  function sample(
    given: Pick<IncomingEvent, 'accountUuid' | 'object' | 'objectUuid' | 'changedFields' | 'receivedAt' | 'body'>,
    endpoint: FanOutEndpoint,
    batch: Batch,
  ): number {
    const { accountUuid, receivedAt } = given
    const dedupe = `test:${timeOrderedUuid({ msecs: receivedAt })}`
    const event: IncomingEvent = { ...given, subscriptionId: null, source: 'test', dedupe }
    const seq = insert(event)
    if (seq === null) throw new Error('a sample met its own double')
    const { lastInsertRowid } = insertDelivery.run(
      seq,
      endpoint.id,
      accountUuid,
      given.objectUuid,
      'test',
      'pending',
      null,
      receivedAt,
      receivedAt + TEST_WAITS_MS,
      receivedAt,
      null,
    )
    batch.tally.waiting(accountUuid, endpoint.id, 1, given.body.length)
    return Number(lastInsertRowid)
  }

  return { accept, sample }
}

function cached<Key, Value>(map: Map<Key, Value>, key: Key, load: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const value = load()
  map.set(key, value)
  return value
}
