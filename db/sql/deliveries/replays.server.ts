// "Send again everything since …": counted first, built in small steps, can be cancelled at any time.
import type { ReplayRequest } from '#app/domain/deliveries/stored-delivery.ts'
import { minutes } from '#app/lib/duration.ts'
import { UNDO_KEPT } from '#app/lib/undo.ts'
import { growReplay, type ReplayPage, type ReplayRows } from '../../acts.ts'
import type { Database, Step } from '../../database.ts'
import type { DeliveryStore, GrowOptions, ReplayedEvent, ReplayRow } from '../../store/deliveries.ts'
import type { FanOutEndpoint } from '../../store/events.ts'
import type { Connections } from '../connections.ts'
import { type Tally, tallies } from '../hot/tally.server.ts'

/** Several instances have several clocks, and their commits overlap: receive times grow with seqs up to this. */
export const SEQ_SLACK = minutes(1)

/** Events per page of replayable events. */
const COUNT_STEP = 500

interface InsertReplay extends Omit<RunningReplay, 'waiting'> {
  total: number
  now: number
}

export interface InsertDelivery {
  seq: number
  endpointId: number
  accountUuid: string
  objectUuid: string
  replayId: number
  now: number
  deadlineAt: number
}

interface EventToReplay {
  seq: number
  object: string
  objectUuid: string
  changedFields: string
  bytes: number
}

export function replayStore(connections: Connections) {
  const { db, reader } = connections
  const findEndpoint = endpointFinder(db)
  const firstSeqSince = seqFinder(db)
  const read = {
    findEndpoint: endpointFinder(reader),
    firstSeqSince: seqFinder(reader),
    pages: { all: eventPager(reader, 'all'), failed: eventPager(reader, 'failed') },
  }
  const findReplay = db.prepare<{ replayId: number; accountUuid: string }, ReplayRow>(
    `SELECT id, endpoint_id AS endpointId, since, status, object_uuid AS objectUuid, state, total, made, delivered,
       undelivered, created_at AS createdAt, ended_at AS endedAt
     FROM replay WHERE id = @replayId AND account_uuid = @accountUuid`,
  )
  const lastSeq = db.prepare<[], number>('SELECT coalesce(max(seq), 0) FROM event').pluck()
  const insertReplay = db
    .prepare<InsertReplay, number>(
      `INSERT INTO replay (account_uuid, endpoint_id, since, status, object_uuid, state, next_seq, until_seq, total, made,
         delivered, undelivered, created_at)
       VALUES (@accountUuid, @endpointId, @since, @status, @objectUuid, 'running', @nextSeq, @untilSeq, @total, 0, 0, 0, @now)
       RETURNING id`,
    )
    .pluck()
  // One that has sent everything is done, although its next step has not said so yet.
  const cancel = db
    .prepare<{ now: number; replayId: number; accountUuid: string }, string>(
      `UPDATE replay SET ended_at = @now,
         state = CASE WHEN next_seq > until_seq AND made = delivered + undelivered THEN 'done' ELSE 'cancelled' END
       WHERE id = @replayId AND account_uuid = @accountUuid AND state = 'running' RETURNING state`,
    )
    .pluck()

  return {
    findReplayableEvents: reader.read(function* (accountUuid, endpointId, request, from) {
      const endpoint = yield* read.findEndpoint(accountUuid, endpointId)
      if (!endpoint) return null
      const start = from ?? (yield* read.firstSeqSince(request.since - SEQ_SLACK))
      const page = read.pages[request.status]
      const rows = yield* page(accountUuid, endpoint, start, Number.MAX_SAFE_INTEGER, request, COUNT_STEP)
      const last = rows.at(-1)
      return { endpoint, events: rows.map(toReplayed), next: last && rows.length === COUNT_STEP ? last.seq + 1 : null }
    }),

    startReplay: db.write(function* (accountUuid, endpointId, request, total, now) {
      const endpoint = yield* findEndpoint(accountUuid, endpointId)
      if (!endpoint || endpoint.url === '') return null
      const nextSeq = yield* firstSeqSince(request.since - SEQ_SLACK)
      const untilSeq = (yield* lastSeq.get()) ?? 0
      const id = yield* insertReplay.get({ ...request, accountUuid, endpointId, total, now, nextSeq, untilSeq })
      return id ?? null
    }),

    findReplay: db.read(function* (accountUuid, replayId) {
      return (yield* findReplay.get({ replayId, accountUuid })) ?? null
    }),

    cancelReplay: db.write(function* (accountUuid, replayId, now) {
      return (yield* cancel.get({ now, replayId, accountUuid })) === 'cancelled'
    }),

    ...replayGrower(connections),
  } satisfies Partial<DeliveryStore>
}

interface RunningReplay extends ReplayRequest {
  accountUuid: string
  endpointId: number
  nextSeq: number
  untilSeq: number
  /** Created and not settled. */
  waiting: number
}

type GrowLimits = Omit<GrowOptions, 'choose'>

function replayGrower(connections: Connections): Pick<DeliveryStore, 'listRunningReplays' | 'growReplayStep'> {
  const { db, patient, mine } = connections
  const newTally = tallies(db)
  const rowsOf = replayRows(connections)
  const running = db
    .prepare<[], number>(
      `SELECT id FROM replay INDEXED BY running_replays WHERE state = 'running' AND ${mine('replay')} ORDER BY id`,
    )
    .pluck()
  return {
    listRunningReplays: db.read(() => running.all()),
    growReplayStep: patient.write(function* (replayId, now, options) {
      const tally = newTally()
      const grown = yield* growReplay(rowsOf(tally), replayId, now, options)
      yield* tally.write()
      return grown
    }),
  }
}

function replayRows({ db, lock }: Connections): (tally: Tally) => ReplayRows {
  const findEndpoint = endpointFinder(db, lock('p'))
  const runningReplay = (lock: string) =>
    db.prepare<{ id: number }, RunningReplay>(
      `SELECT account_uuid AS accountUuid, endpoint_id AS endpointId, since, status, object_uuid AS objectUuid,
         next_seq AS nextSeq, until_seq AS untilSeq, made - delivered - undelivered AS waiting
       FROM replay r WHERE id = @id AND state = 'running' ${lock}`,
    )
  const [findRunning, lockRunning] = [runningReplay(''), runningReplay(lock('r'))]
  const pages = { all: eventPager(db, 'all'), failed: eventPager(db, 'failed') }
  const loadOf = db.prepare<{ accountUuid: string }, { deliveries: number; bytes: number }>(
    'SELECT pending_count AS deliveries, pending_bytes AS bytes FROM account_load WHERE account_uuid = @accountUuid',
  )
  const insertDelivery = db
    .prepare<InsertDelivery, number>(
      `INSERT INTO delivery (event_seq, endpoint_id, account_uuid, object_uuid, cause, cause_no, state, due_at, deadline_at,
         attempts, steps, created_at)
       VALUES (@seq, @endpointId, @accountUuid, @objectUuid, 'replay', @replayId, 'pending', @now, @deadlineAt, 0, 0, @now)
       ON CONFLICT DO NOTHING RETURNING id`,
    )
    .pluck()
  const advance = db.prepare('UPDATE replay SET next_seq = @nextSeq, made = made + @made WHERE id = @replayId')
  const finishReplay = db.prepare(
    "UPDATE replay SET state = @state, ended_at = @now WHERE id = @id AND state = 'running'",
  )

  /** How many more of its deliveries may be pending now. */
  function* roomFor({ accountUuid, waiting }: RunningReplay, limits: GrowLimits): Generator<unknown, number> {
    const load = (yield* loadOf.get({ accountUuid })) ?? { deliveries: 0, bytes: 0 }
    if (load.bytes >= limits.limit.bytes) return 0
    return Math.min(limits.step, limits.waitingPerReplay - waiting, limits.limit.deliveries - load.deliveries)
  }

  function* nextOf(id: number, now: number, limits: GrowLimits): Generator<unknown, ReplayPage | 'ended' | 'waits'> {
    const found = yield* findRunning.get({ id })
    const endpoint = found && (yield* findEndpoint(found.accountUuid, found.endpointId, now - UNDO_KEPT))
    // While it waited for the endpoint, somebody may have cancelled or grown it.
    const replay = yield* lockRunning.get({ id })
    const unsendable = !endpoint || endpoint.url === '' || endpoint.state === 'stopped'
    const allMade = replay !== undefined && replay.nextSeq > replay.untilSeq
    const isDone = allMade && replay.waiting === 0
    if (!replay || unsendable || isDone) {
      yield* finishReplay.run({ state: isDone ? 'done' : 'cancelled', now, id })
      return 'ended'
    }
    // A deletion may be undone for a while.
    const room = allMade || endpoint.state === 'deleted' ? 0 : yield* roomFor(replay, limits)
    if (room <= 0) return 'waits'
    const { accountUuid, nextSeq, untilSeq } = replay
    const events = yield* pages[replay.status](accountUuid, endpoint, nextSeq, untilSeq, replay, room)
    const last = events.at(-1)
    const behind = !last || events.length < room ? untilSeq + 1 : last.seq + 1
    return { replayId: id, accountUuid, endpoint, events: events.map(toReplayed), nextSeq: behind }
  }

  return (tally) => ({
    nextOfReplay: nextOf,
    *growReplay({ replayId, accountUuid, endpoint, nextSeq }, events, now, retryFor) {
      const made: { id: number; endpointId: number; record: string }[] = []
      const { id: endpointId } = endpoint
      const deadlineAt = now + retryFor
      for (const { seq, objectUuid, bytes } of events) {
        const id = yield* insertDelivery.get({ seq, endpointId, accountUuid, objectUuid, replayId, now, deadlineAt })
        if (id === undefined) continue
        made.push({ id, endpointId, record: objectUuid })
        tally.waiting(accountUuid, endpointId, 1, bytes)
      }
      yield* advance.run({ nextSeq, made: made.length, replayId })
      return made
    },
  })
}

/** `since` = also an endpoint that was deleted at or after it. */
function endpointFinder(db: Database, lock = '') {
  const find = db.prepare<{ endpointId: number; accountUuid: string; since: number }, FanOutEndpoint>(
    `SELECT p.id, p.object_type AS objectType, p.field_filter AS fieldFilter, p.url, p.state FROM endpoint p
     WHERE p.id = @endpointId AND p.account_uuid = @accountUuid
       AND (p.state <> 'deleted' OR p.state_since >= @since) ${lock}`,
  )
  return (accountUuid: string, endpointId: number, since = Number.MAX_SAFE_INTEGER) =>
    find.get({ endpointId, accountUuid, since })
}

/** The endpoint's events whose body is still kept, oldest first. */
function eventPager(db: Database, status: ReplayRequest['status']) {
  const failed = `AND EXISTS (SELECT 1 FROM delivery d WHERE d.event_seq = e.seq AND d.endpoint_id = @endpointId
      AND d.state IN ('expired', 'stopped'))
    AND NOT EXISTS (SELECT 1 FROM delivery d WHERE d.event_seq = e.seq AND d.endpoint_id = @endpointId
      AND d.state IN ('delivered', 'pending'))`
  const statement = db.prepare<[Record<string, string | number | null>], EventToReplay>(
    `SELECT e.seq, e.object, e.object_uuid AS objectUuid, e.changed_fields AS changedFields, length(b.body) AS bytes
     FROM event e JOIN event_body b ON b.seq = e.seq
     WHERE e.account_uuid = @accountUuid AND e.object = @object AND e.seq >= @from AND e.seq <= @until
       AND e.received_at >= @since AND e.source <> 'test' AND (CAST(@objectUuid AS text) IS NULL OR e.object_uuid = @objectUuid) ${status === 'failed' ? failed : ''}
     ORDER BY e.seq LIMIT @limit`,
  )
  return (
    accountUuid: string,
    endpoint: FanOutEndpoint,
    from: number,
    until: number,
    { since, objectUuid }: ReplayRequest,
    limit: number,
  ) =>
    statement.all({
      accountUuid,
      object: endpoint.objectType,
      ...(status === 'failed' && { endpointId: endpoint.id }),
      from,
      until,
      since,
      objectUuid,
      limit,
    })
}

function toReplayed({ changedFields, ...event }: EventToReplay): ReplayedEvent {
  return { ...event, changedFields: JSON.parse(changedFields) as string[] }
}

/**
 * Finds the first event received at or after a moment, by binary search: seqs are assigned in order of arrival. An event
 * before it may have been received up to `SEQ_SLACK` later than the moment, and one behind it as much earlier: a range
 * leaves that much room at both ends, and then compares receive times. Runs are found by when they began.
 */
export function seqFinder(
  db: Pick<Database, 'prepare'>,
  table: 'event' | 'run' = 'event',
): (since: number) => Step<number> {
  const [id, at] = table === 'event' ? ['seq', 'received_at'] : ['id', 'created_at']
  const next = db.prepare<{ middle: number }, { id: number; at: number }>(
    `SELECT ${id} AS id, ${at} AS at FROM ${table} WHERE ${id} >= @middle ORDER BY ${id} LIMIT 1`,
  )
  const last = db.prepare<[], number | null>(`SELECT max(${id}) FROM ${table}`).pluck()
  return function* (since) {
    let low = 1
    let high = ((yield* last.get()) ?? 0) + 1
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const row = yield* next.get({ middle })
      if (!row || row.at >= since) high = middle
      else low = row.id + 1
    }
    return low
  }
}
