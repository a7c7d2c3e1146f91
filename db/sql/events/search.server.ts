// Searches deliveries without a special index: scans backwards from the newest event on the read-only connection, in
// steps that yield to the event loop. Each request scans a limited number of rows; a cursor continues.
import type {
  FoundDelivery,
  FoundRow,
  SearchCursor,
  SearchedRow,
  StoredAttempt,
  StoredDelivery,
} from '#app/domain/deliveries/stored-delivery.ts'
import { seconds } from '#app/lib/duration.ts'
import { nextTurn } from '#app/lib/turns.server.ts'
import type { Database, Statement, Step } from '../../database.ts'
import type { DeliverySearch, SearchedPage, SearchStore } from '../../store/search.ts'
import type { Connections } from '../connections.ts'
import { SEQ_SLACK, seqFinder } from '../deliveries/replays.server.ts'
import { CLOCK_SLACK } from '../walk-back.server.ts'

/** Rows scanned between two turns of the event loop: a few milliseconds. */
const STEP = 500

/** An event's id contains its exact receive time; clock corrections around it are smaller than this. */
const ID_SLACK = seconds(10)
const MOST_NEAR_AN_ID = 20_000

/** As many of a delivery's attempts and siblings as a person would read. */
const MOST_ATTEMPTS = 100
const MOST_SIBLINGS = 50
/** Events among which the next delivery is looked for. */
const MOST_BESIDE = 200

const EVENT_COLUMNS = `e.seq, e.id AS eventId, e.source, e.object, e.object_uuid AS objectUuid,
  e.changed_fields AS changedFields, e.received_at AS receivedAt`

/** Only for pending deliveries: found by the index of accounts. */
const ACCOUNT_HOLD = `CASE d.state WHEN 'pending' THEN
    (SELECT own.hold_reason FROM plan own WHERE own.account_uuid = d.account_uuid AND own.held_since IS NOT NULL) END AS accountHold`

/** For a SELECT from `delivery d LEFT JOIN endpoint p`. */
export const DELIVERY_COLUMNS = `d.id, d.endpoint_id AS endpointId, d.cause, d.state, d.state_reason AS stateReason,
  d.due_at AS dueAt, d.deadline_at AS deadlineAt, d.attempts, d.last_code AS lastCode, d.created_at AS createdAt,
  d.settled_at AS settledAt, p.url, p.state AS endpointState, p.hold_until AS holdUntil, p.hold_reason AS holdReason,
  p.breaker, p.next_probe_at AS nextProbeAt, ${ACCOUNT_HOLD},
  (SELECT r.name FROM forwarding_rule r WHERE r.id = p.forwarding_rule_id) AS rule`

export function searchStore({ reader }: Connections): SearchStore {
  const withSummary = summaries(reader)
  const walk = walker(reader)
  const firstSeqSince = seqFinder(reader)
  const summarized = reader.read(function* (rows: readonly FoundRow[]): Generator<unknown, FoundRow[]> {
    const hits: FoundRow[] = []
    for (const row of rows) hits.push(yield* withSummary(row))
    return hits
  })
  const seqOfDelivery = reader
    .prepare<{ deliveryId: number; accountUuid: string }, number>(
      'SELECT event_seq FROM delivery WHERE id = @deliveryId AND account_uuid = @accountUuid',
    )
    .pluck()
  const findEvent = reader.prepare<{ seq: number; accountUuid: string }>(
    'SELECT 1 FROM event WHERE seq = @seq AND account_uuid = @accountUuid',
  )
  const seqOfId = reader
    .prepare<Record<'from' | 'to' | 'since' | 'until' | 'limit', number> & { accountUuid: string; id: string }, number>(
      `SELECT seq FROM (
         SELECT seq, id FROM event INDEXED BY events_of_an_account_newest_first
         WHERE account_uuid = @accountUuid AND seq >= @from AND seq < @to
           AND received_at >= @since AND received_at < @until ORDER BY seq LIMIT @limit
       ) AS near WHERE id = @id LIMIT 1`,
    )
    .pluck()
  const beside = (sign: '<' | '>', order: 'ASC' | 'DESC') =>
    reader
      .prepare<{ accountUuid: string; seq: number; deliveryId: number; most: number }, number>(
        `SELECT d.id FROM (
           SELECT seq FROM event INDEXED BY events_of_an_account_newest_first
           WHERE account_uuid = @accountUuid AND seq ${sign}= @seq ORDER BY seq ${order} LIMIT @most
         ) AS e JOIN delivery d ON d.event_seq = e.seq
         WHERE e.seq ${sign} @seq OR d.id ${sign} @deliveryId ORDER BY e.seq ${order}, d.id ${order} LIMIT 1`,
      )
      .pluck()
  const [newer, older] = [beside('>', 'ASC'), beside('<', 'DESC')]
  const byHour = reader.prepare<
    { accountUuid: string; since: number },
    { hour: number; delivered: number; failed: number }
  >(
    `SELECT h.hour, CAST(sum(h.delivered) AS bigint) AS delivered, CAST(sum(h.failed) AS bigint) AS failed
     FROM endpoint p JOIN endpoint_hour h ON h.endpoint_id = p.id AND h.hour >= @since
     WHERE p.account_uuid = @accountUuid GROUP BY h.hour ORDER BY h.hour`,
  )
  return {
    async searchDeliveries(accountUuid, search) {
      const page = await walk(accountUuid, search)
      return { ...page, hits: await summarized(page.hits) }
    },

    eventOfDelivery: reader.read(function* (accountUuid, deliveryId) {
      return (yield* seqOfDelivery.get({ deliveryId, accountUuid })) ?? null
    }),

    hasEvent: reader.read(function* (accountUuid, seq) {
      return (yield* findEvent.get({ seq, accountUuid })) !== undefined
    }),

    findEventSeq: reader.read(function* (accountUuid, { id, receivedAt }) {
      const [since, until] = [receivedAt - ID_SLACK, receivedAt + ID_SLACK]
      const from = yield* firstSeqSince(since - SEQ_SLACK)
      const to = yield* firstSeqSince(until + SEQ_SLACK)
      return (yield* seqOfId.get({ accountUuid, from, to, since, until, limit: MOST_NEAR_AN_ID, id })) ?? null
    }),

    deliveriesBeside: reader.read(function* (accountUuid, { seq, deliveryId }) {
      const values = { accountUuid, seq, deliveryId, most: MOST_BESIDE }
      return { newer: (yield* newer.get(values)) ?? null, older: (yield* older.get(values)) ?? null }
    }),

    attemptsByHour: reader.read((accountUuid, since) => byHour.all({ accountUuid, since })),

    findDelivery: deliveryFinder(reader, withSummary),
  }
}

/** A row of the scan as SQL returns it: an event, and the columns of a delivery or nulls. */
type JoinedRow = Omit<FoundRow, 'changedFields' | 'delivery' | 'bodyKept'> & { changedFields: string } & (
    | (DeliveryRow & { id: number })
    | { id: null }
  )

export interface DeliveryRow
  extends Omit<FoundDelivery, 'address' | 'codes' | 'lastSentence' | 'lastUrl' | 'lastMs'>,
    Omit<FoundDelivery['address'], 'state' | 'accountHold' | 'rule'> {
  endpointState: FoundDelivery['address']['state']
  accountHold: string | null
  rule: string | null
  /** JSON list; only when requested. */
  codes?: string | null
}

/** Newer than every row. */
const NEWEST: SearchCursor = { seq: Number.MAX_SAFE_INTEGER, deliveryId: 0 }

/** Where a scan stands, and where it ends. */
interface Scan extends SearchCursor {
  accountUuid: string
  object: string | null
  endpointId: number | null
  bottom: number
  step: number
}

/** Returns the search: its pages are scanned in steps, and other work gets its turn between two of them. */
function walker(reader: Database): (accountUuid: string, search: DeliverySearch) => Promise<SearchedPage> {
  const firstSeqSince = reader.read(seqFinder(reader))
  const scan = scanner(reader)

  /** Where the scan starts: after `before`, at the newest of the asked events, or at the end of the time range, whichever is oldest. */
  async function startOf({ before, seqs, until }: DeliverySearch): Promise<SearchCursor> {
    const starts = [before ?? NEWEST]
    if (seqs !== null) starts.push({ seq: Math.max(...seqs) + 1, deliveryId: 0 })
    if (until !== null) starts.push({ seq: await firstSeqSince(until + CLOCK_SLACK + 1), deliveryId: 0 })
    return starts.reduce((oldest, one) => (isOlder(one, oldest) ? one : oldest))
  }

  return async (accountUuid, search) => {
    const { object, endpointId, limit, scanAtMost, withCodes } = search
    // Each is looked up singly, the newest first: between two of them may be all events of the account.
    const [newest, ...older] = [...(search.seqs ?? [])].sort((one, other) => other - one)
    let bottom = newest ?? (search.from === null ? 0 : await firstSeqSince(search.from - CLOCK_SLACK))
    let cursor = await startOf(search)
    let looked = 0
    let lookedBackTo: number | null = null
    const hits: FoundRow[] = []
    for (;;) {
      const step = Math.min(STEP, scanAtMost - looked)
      const rows = await scan({ ...cursor, accountUuid, object, endpointId, bottom, step }, withCodes)
      for (const joined of rows) {
        const row = toFound(joined)
        if (search.matches(row)) {
          const last = hits.at(-1)
          if (hits.length === limit && last) return { hits, end: 'full', next: cursorOf(last), looked, lookedBackTo }
          hits.push(row)
        }
        looked++
        lookedBackTo = row.receivedAt
        cursor = cursorOf(row)
      }
      if (rows.length < step) {
        const next = older.shift()
        if (next === undefined) return { hits, end: 'all', next: null, looked, lookedBackTo }
        bottom = next
        const start = { seq: next + 1, deliveryId: 0 }
        if (isOlder(start, cursor)) cursor = start
      } else if (looked >= scanAtMost) return { hits, end: 'limit', next: cursor, looked, lookedBackTo }
      await nextTurn()
    }
  }
}

function isOlder(one: SearchCursor, other: SearchCursor): boolean {
  return one.seq < other.seq || (one.seq === other.seq && one.deliveryId < other.deliveryId)
}

function cursorOf(row: SearchedRow): SearchCursor {
  return { seq: row.seq, deliveryId: row.delivery?.id ?? 0 }
}

/** SQL for the deliveries to one endpoint, and for more columns; '' = without. */
interface Variant {
  to: string
  more: string
}

/** One step of a scan. Names the index, because a scan on another one would sort everything first. */
function scanner(reader: Database): (scan: Scan, withCodes: boolean) => Promise<JoinedRow[]> {
  // Excludes attempt rows that only explain why nothing was sent: they have no response.
  const codes = `(SELECT '[' || string_agg(coalesce(CAST(a.status_code AS text), 'null'), ',' ORDER BY a.number, a.id) || ']'
      FROM attempt a WHERE a.delivery_id = d.id AND a.outcome NOT IN ('expired', 'stopped')) AS codes`
  const over = (index: string, ofObject: string, { to, more }: Variant): Statement<[Scan], JoinedRow> =>
    reader.prepare<Scan, JoinedRow>(
      `SELECT ${EVENT_COLUMNS}, ${DELIVERY_COLUMNS}${more}
       FROM event e INDEXED BY ${index}
         LEFT JOIN delivery d ON d.event_seq = e.seq ${to}
         LEFT JOIN endpoint p ON p.id = d.endpoint_id
       WHERE e.account_uuid = @accountUuid ${ofObject} AND e.seq >= @bottom AND e.seq <= @seq
         AND (e.seq < @seq OR d.id < @deliveryId)
       ORDER BY e.seq DESC, d.id DESC LIMIT @step`,
    )
  const both = (variant: Variant) => ({
    all: over('events_of_an_account_newest_first', '', variant),
    ofObject: over('events_of_an_object_newest_first', 'AND e.object = @object', variant),
  })
  // Both values are in the index of deliveries.
  const toOne = 'AND d.endpoint_id = @endpointId'
  const without = { any: both({ to: '', more: '' }), one: both({ to: toOne, more: '' }) }
  const withThem = { any: both({ to: '', more: `, ${codes}` }), one: both({ to: toOne, more: `, ${codes}` }) }
  return reader.read((scan, withCodes) =>
    (withCodes ? withThem : without)[scan.endpointId === null ? 'any' : 'one'][
      scan.object === null ? 'all' : 'ofObject'
    ].all(scan),
  )
}

function toFound(row: JoinedRow): FoundRow {
  const { seq, eventId, source, object, objectUuid, receivedAt } = row
  const changedFields = JSON.parse(row.changedFields) as string[]
  const delivery = row.id === null ? null : toDelivery(row)
  return { seq, eventId, source, object, objectUuid, changedFields, receivedAt, bodyKept: false, delivery }
}

export function toDelivery(row: DeliveryRow): FoundDelivery {
  const { id, endpointId, cause, state, stateReason, dueAt, deadlineAt, attempts, lastCode, createdAt, settledAt } = row
  const { url, endpointState, holdUntil, holdReason, breaker, nextProbeAt, accountHold, rule } = row
  return {
    ...{ id, endpointId, cause, state, stateReason, dueAt, deadlineAt, attempts, lastCode, createdAt, settledAt },
    codes: row.codes ? (JSON.parse(row.codes) as (number | null)[]) : [],
    address: { url, state: endpointState, holdUntil, holdReason, breaker, nextProbeAt, accountHold, rule },
    ...{ lastSentence: null, lastUrl: null, lastMs: null },
  }
}

type WithSummary = (row: FoundRow) => Step<FoundRow>

/** Adds the details needed only for displayed rows: whether the body is kept, and the last attempt's message. */
function summaries(reader: Database): WithSummary {
  const isKept = reader
    .prepare<{ seq: number }, 0 | 1>('SELECT EXISTS (SELECT 1 FROM event_body WHERE seq = @seq)')
    .pluck()
  const withLast = lastAttempt(reader)
  return function* (row) {
    const bodyKept = (yield* isKept.get({ seq: row.seq })) === 1
    return { ...row, bodyKept, delivery: row.delivery === null ? null : yield* withLast(row.delivery) }
  }
}

function lastAttempt(reader: Database): (delivery: FoundDelivery) => Step<FoundDelivery> {
  const last = reader.prepare<{ deliveryId: number }, { lastSentence: string; lastUrl: string; lastMs: number }>(
    `SELECT sentence AS lastSentence, url AS lastUrl, duration_ms AS lastMs FROM attempt
     WHERE delivery_id = @deliveryId ORDER BY number DESC, id DESC LIMIT 1`,
  )
  const since = reader
    .prepare<{ deliveryId: number }, 0 | 1>(
      `SELECT EXISTS (SELECT 1 FROM delivery d JOIN delivery o ON o.event_seq = d.event_seq
         WHERE d.id = @deliveryId AND o.endpoint_id = d.endpoint_id AND o.state = 'delivered')`,
    )
    .pluck()
  return function* (delivery) {
    const { id: deliveryId, state } = delivery
    const ended = state === 'expired' || state === 'stopped'
    const deliveredSince = ended && (yield* since.get({ deliveryId })) === 1
    return { ...delivery, ...(yield* last.get({ deliveryId })), ...(deliveredSince && { deliveredSince }) }
  }
}

function deliveryFinder(reader: Database, withSummary: WithSummary): SearchStore['findDelivery'] {
  const find = reader.prepare<
    { deliveryId: number; accountUuid: string },
    JoinedRow & StoredDelivery['owner'] & { body: string | null }
  >(
    `SELECT ${EVENT_COLUMNS}, ${DELIVERY_COLUMNS}, b.body, p.webhook_id AS webhookId,
       p.forwarding_rule_id AS forwardingRuleId, p.object_type AS objectType
     FROM delivery d JOIN event e ON e.seq = d.event_seq JOIN endpoint p ON p.id = d.endpoint_id
       LEFT JOIN event_body b ON b.seq = d.event_seq
     WHERE d.id = @deliveryId AND d.account_uuid = @accountUuid`,
  )
  const attemptsOf = reader.prepare<{ deliveryId: number; limit: number }, StoredAttempt>(
    `SELECT number, url, at, duration_ms AS durationMs, dns_ms AS dnsMs, connect_ms AS connectMs, tls_ms AS tlsMs,
       first_byte_ms AS firstByteMs, outcome, status_code AS statusCode, sentence, peer_ip AS peerIp,
       response_body AS responseBody
     FROM attempt WHERE delivery_id = @deliveryId ORDER BY number DESC, id DESC LIMIT @limit`,
  )
  const siblingsOf = siblings(reader)
  return reader.snapshot(function* (accountUuid, deliveryId) {
    const joined = yield* find.get({ deliveryId, accountUuid })
    if (!joined) return null
    const found = yield* withSummary(toFound(joined))
    if (found.delivery === null) return null
    const { body, webhookId, forwardingRuleId, objectType } = joined
    return {
      ...found,
      delivery: found.delivery,
      body,
      owner: { webhookId, forwardingRuleId, objectType },
      attempts: yield* attemptsOf.all({ deliveryId, limit: MOST_ATTEMPTS }),
      others: yield* siblingsOf(found.seq, deliveryId),
    }
  })
}

function siblings(reader: Database): (seq: number, deliveryId: number) => Step<FoundDelivery[]> {
  const find = reader.prepare<{ seq: number; deliveryId: number; limit: number }, DeliveryRow>(
    `SELECT ${DELIVERY_COLUMNS} FROM delivery d JOIN endpoint p ON p.id = d.endpoint_id
     WHERE d.event_seq = @seq AND d.id <> @deliveryId ORDER BY d.id DESC LIMIT @limit`,
  )
  const withLast = lastAttempt(reader)
  return function* (seq, deliveryId) {
    const others: FoundDelivery[] = []
    for (const row of yield* find.all({ seq, deliveryId, limit: MOST_SIBLINGS })) {
      others.push(yield* withLast(toDelivery(row)))
    }
    return others
  }
}
