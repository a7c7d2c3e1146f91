// "Send again everything since …": counted first, built in small steps, can be cancelled at any time.
import { growReplaysStep, type ReplayPage, type ReplayRows } from '../../acts.ts'
import type {
  DeliveryStore,
  GrownReplays,
  GrowOptions,
  ReplayedEvent,
  ReplayRequest,
  ReplayRow,
} from '../../store/deliveries.ts'
import type { FanOutEndpoint } from '../../store/events.ts'
import type { Client } from '../../sqlite/client.server.ts'
import { done, finish } from '../hot/step.server.ts'
import { type Tally, tallies } from '../hot/tally.server.ts'
import type { Sql } from '../../sqlite/sql.ts'

type ReplayStore = Pick<
  DeliveryStore,
  'findReplayableEvents' | 'startReplay' | 'findReplay' | 'cancelReplay' | 'growReplaysStep'
>

/** Events per page of replayable events. */
const COUNT_STEP = 500

interface EventToReplay {
  seq: number
  object: string
  objectUuid: string
  changedFields: string
  bytes: number
}

export function replayStore(client: Client): ReplayStore {
  const { sql, readerSql } = client
  const findEndpoint = endpointFinder(sql)
  const pages = { all: eventPager(readerSql, 'all'), failed: eventPager(readerSql, 'failed') }
  const findReplay = sql.prepare<{ replayId: number; accountUuid: string }, ReplayRow>(
    `SELECT id, endpoint_id AS endpointId, since, status, object_uuid AS objectUuid, state, total, made, delivered,
       undelivered, created_at AS createdAt, ended_at AS endedAt
     FROM replay WHERE id = @replayId AND account_uuid = @accountUuid`,
  )
  const lastSeq = sql.prepare<[], number>('SELECT coalesce(max(seq), 0) FROM event').pluck()
  const insertReplay = sql.prepare(
    `INSERT INTO replay (account_uuid, endpoint_id, since, status, object_uuid, state, next_seq, until_seq, total, made,
       delivered, undelivered, created_at)
     VALUES (@accountUuid, @endpointId, @since, @status, @objectUuid, 'running', @nextSeq, @untilSeq, @total, 0, 0, 0, @now)`,
  )
  const cancel = sql.prepare(
    `UPDATE replay SET state = 'cancelled', ended_at = @now
     WHERE id = @replayId AND account_uuid = @accountUuid AND state = 'running'`,
  )

  return {
    async findReplayableEvents(accountUuid, endpointId, request, from) {
      const endpoint = findEndpoint(accountUuid, endpointId)
      if (!endpoint) return null
      const start = from ?? firstSeqSince(readerSql, request.since)
      const rows = pages[request.status](accountUuid, endpoint, start, Number.MAX_SAFE_INTEGER, request, COUNT_STEP)
      const last = rows.at(-1)
      return { endpoint, events: rows.map(toReplayed), next: last && rows.length === COUNT_STEP ? last.seq + 1 : null }
    },

    async startReplay(accountUuid, endpointId, request, total, now) {
      const endpoint = findEndpoint(accountUuid, endpointId)
      if (!endpoint || endpoint.url === '') return null
      const { lastInsertRowid } = insertReplay.run({
        ...{ ...request, accountUuid, endpointId, total, now },
        nextSeq: firstSeqSince(sql, request.since),
        untilSeq: lastSeq.get() ?? 0,
      })
      return Number(lastInsertRowid)
    },

    async findReplay(accountUuid, replayId) {
      return findReplay.get({ replayId, accountUuid }) ?? null
    },

    async cancelReplay(accountUuid, replayId, now) {
      return cancel.run({ now, replayId, accountUuid }).changes === 1
    },

    growReplaysStep: replayGrower(client),
  }
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

function replayGrower({ sql }: Client): ReplayStore['growReplaysStep'] {
  const newTally = tallies(sql)
  const rowsOf = replayRows(sql)
  const grow = sql.transaction((...given: Parameters<ReplayStore['growReplaysStep']>) => {
    const tally = newTally()
    const grown = finish(growReplaysStep(rowsOf(tally), ...given))
    tally.write()
    return grown
  })
  return async (...given) => grow.immediate(...given)
}

function replayRows(sql: Sql): (tally: Tally) => ReplayRows {
  const findEndpoint = endpointFinder(sql)
  const running = sql
    .prepare<[], number>("SELECT id FROM replay INDEXED BY running_replays WHERE state = 'running' ORDER BY id")
    .pluck()
  const findRunning = sql.prepare<{ id: number }, RunningReplay>(
    `SELECT account_uuid AS accountUuid, endpoint_id AS endpointId, since, status, object_uuid AS objectUuid,
       next_seq AS nextSeq, until_seq AS untilSeq, made - delivered - undelivered AS waiting
     FROM replay WHERE id = @id AND state = 'running'`,
  )
  const pages = { all: eventPager(sql, 'all'), failed: eventPager(sql, 'failed') }
  const loadOf = sql.prepare<{ accountUuid: string }, { deliveries: number; bytes: number }>(
    'SELECT pending_count AS deliveries, pending_bytes AS bytes FROM account_load WHERE account_uuid = @accountUuid',
  )
  const insertDelivery = sql.prepare(
    `INSERT INTO delivery (event_seq, endpoint_id, account_uuid, object_uuid, cause, cause_no, state, due_at, deadline_at,
       attempts, steps, created_at)
     VALUES (@seq, @endpointId, @accountUuid, @objectUuid, 'replay', @replayId, 'pending', @now, @deadlineAt, 0, 0, @now)
     ON CONFLICT DO NOTHING`,
  )
  const advance = sql.prepare('UPDATE replay SET next_seq = @nextSeq, made = made + @made WHERE id = @replayId')
  const finishReplay = sql.prepare('UPDATE replay SET state = @state, ended_at = @now WHERE id = @id')

  /** How many more of its deliveries may be pending now. */
  function roomFor({ accountUuid, waiting }: RunningReplay, tally: Tally, limits: GrowLimits): number {
    const load = loadOf.get({ accountUuid }) ?? { deliveries: 0, bytes: 0 }
    const added = tally.addedTo(accountUuid)
    if (load.bytes + added.bytes >= limits.limit.bytes) return 0
    const ofAccount = limits.limit.deliveries - load.deliveries - added.deliveries
    return Math.min(limits.step, limits.waitingPerReplay - waiting, ofAccount)
  }

  function nextOf(id: number, now: number, tally: Tally, limits: GrowLimits): ReplayPage | 'ended' | 'waits' {
    const replay = findRunning.get({ id })
    const endpoint = replay && findEndpoint(replay.accountUuid, replay.endpointId)
    const unsendable = !endpoint || endpoint.url === '' || endpoint.state === 'stopped'
    const allMade = replay !== undefined && replay.nextSeq > replay.untilSeq
    if (!replay || unsendable || (allMade && replay.waiting === 0)) {
      finishReplay.run({ state: unsendable ? 'cancelled' : 'done', now, id })
      return 'ended'
    }
    const room = allMade ? 0 : roomFor(replay, tally, limits)
    if (room <= 0) return 'waits'
    const { accountUuid, nextSeq, untilSeq } = replay
    const events = pages[replay.status](accountUuid, endpoint, nextSeq, untilSeq, replay, room)
    const last = events.at(-1)
    const behind = !last || events.length < room ? untilSeq + 1 : last.seq + 1
    return { replayId: id, accountUuid, endpoint, events: events.map(toReplayed), nextSeq: behind }
  }

  return (tally) => ({
    runningReplays: () => done(running.all()),
    nextOfReplay: (id, now, limits) => done(nextOf(id, now, tally, limits)),
    growReplay({ replayId, accountUuid, endpoint, nextSeq }, events, now, retryFor) {
      const made: GrownReplays['made'] = []
      for (const { seq, objectUuid, bytes } of events) {
        const { changes, lastInsertRowid } = insertDelivery.run({
          ...{ seq, endpointId: endpoint.id, accountUuid, objectUuid, replayId, now },
          deadlineAt: now + retryFor,
        })
        if (changes === 0) continue
        made.push({ id: Number(lastInsertRowid), endpointId: endpoint.id, record: objectUuid })
        tally.waiting(accountUuid, endpoint.id, 1, bytes)
      }
      advance.run({ nextSeq, made: made.length, replayId })
      return done(made)
    },
  })
}

function endpointFinder(sql: Sql) {
  const find = sql.prepare<{ endpointId: number; accountUuid: string }, FanOutEndpoint>(
    `SELECT id, object_type AS objectType, field_filter AS fieldFilter, url, state FROM endpoint
     WHERE id = @endpointId AND account_uuid = @accountUuid AND state <> 'deleted'`,
  )
  return (accountUuid: string, endpointId: number) => find.get({ endpointId, accountUuid }) ?? null
}

/** The endpoint's events whose body is still kept, oldest first. */
function eventPager(sql: Sql, status: ReplayRequest['status']) {
  const failed = `AND EXISTS (SELECT 1 FROM delivery d WHERE d.event_seq = e.seq AND d.endpoint_id = @endpointId
      AND d.state IN ('expired', 'stopped'))
    AND NOT EXISTS (SELECT 1 FROM delivery d WHERE d.event_seq = e.seq AND d.endpoint_id = @endpointId
      AND d.state IN ('delivered', 'pending'))`
  const statement = sql.prepare<[Record<string, string | number | null>], EventToReplay>(
    `SELECT e.seq, e.object, e.object_uuid AS objectUuid, e.changed_fields AS changedFields, length(b.body) AS bytes
     FROM event e JOIN event_body b ON b.seq = e.seq
     WHERE e.account_uuid = @accountUuid AND e.object = @object AND e.seq >= @from AND e.seq <= @until
       AND e.source <> 'test' AND (@objectUuid IS NULL OR e.object_uuid = @objectUuid) ${status === 'failed' ? failed : ''}
     ORDER BY e.seq LIMIT @limit`,
  )
  return (
    accountUuid: string,
    endpoint: FanOutEndpoint,
    from: number,
    until: number,
    { objectUuid }: ReplayRequest,
    limit: number,
  ) =>
    statement.all({
      accountUuid,
      object: endpoint.objectType,
      ...(status === 'failed' && { endpointId: endpoint.id }),
      from,
      until,
      objectUuid,
      limit,
    })
}

function toReplayed({ changedFields, ...event }: EventToReplay): ReplayedEvent {
  return { ...event, changedFields: JSON.parse(changedFields) as string[] }
}

/**
 * The first event received at or after a moment, by binary search: seqs are assigned in order of arrival, so receive
 * times grow with them.
 */
export function firstSeqSince(sql: Sql, since: number): number {
  const at = sql.prepare<{ middle: number }, { seq: number; receivedAt: number }>(
    'SELECT seq, received_at AS receivedAt FROM event WHERE seq >= @middle ORDER BY seq LIMIT 1',
  )
  let low = 1
  let high = (sql.prepare<[], number>('SELECT coalesce(max(seq), 0) FROM event').pluck().get() ?? 0) + 1
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const event = at.get({ middle })
    if (!event || event.receivedAt >= since) high = middle
    else low = event.seq + 1
  }
  return low
}
