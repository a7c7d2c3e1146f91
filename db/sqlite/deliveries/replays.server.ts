// "Send again everything since …": counted first, made in small steps, cancelled at any time.
import { setImmediate } from 'node:timers/promises'
import type { DeliveryStore, ReplayRequest, ReplayRow } from '../../store/deliveries.ts'
import type { ChooseEndpoints, FanOutEndpoint } from '../../store/events.ts'
import type { Client, Sql } from '../client.server.ts'
import { tallies } from '../hot/tally.server.ts'

type ReplayStore = Pick<
  DeliveryStore,
  'countReplay' | 'startReplay' | 'findReplay' | 'cancelReplay' | 'growReplaysStep'
>

/** Events looked at between two turns of the event loop while counting. */
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
  const findReplay = sql.prepare<[number, string], ReplayRow>(
    `SELECT id, endpoint_id AS endpointId, since, status, object_uuid AS objectUuid, state, total, made, delivered,
       undelivered, created_at AS createdAt, ended_at AS endedAt
     FROM replay WHERE id = ? AND account_uuid = ?`,
  )
  const lastSeq = sql.prepare<[], number>('SELECT coalesce(max(seq), 0) FROM event').pluck()
  const insertReplay = sql.prepare(
    `INSERT INTO replay (account_uuid, endpoint_id, since, status, object_uuid, state, next_seq, until_seq, total, made,
       delivered, undelivered, created_at)
     VALUES (?, ?, ?, ?, ?, 'running', ?, ?, ?, 0, 0, 0, ?)`,
  )
  const cancel = sql.prepare(
    "UPDATE replay SET state = 'cancelled', ended_at = ? WHERE id = ? AND account_uuid = ? AND state = 'running'",
  )

  return {
    async countReplay(accountUuid, endpointId, request, choose) {
      const endpoint = findEndpoint(accountUuid, endpointId)
      if (!endpoint) return null
      const page = eventPager(readerSql, request.status)
      let from = firstSeqSince(readerSql, request.since)
      let count = 0
      for (;;) {
        const events = page(accountUuid, endpoint, from, Number.MAX_SAFE_INTEGER, request, COUNT_STEP)
        for (const event of events) if (isFor(event, endpoint, choose)) count++
        const last = events.at(-1)
        if (!last || events.length < COUNT_STEP) return count
        from = last.seq + 1
        await setImmediate()
      }
    },

    async startReplay(accountUuid, endpointId, request, total, now) {
      const endpoint = findEndpoint(accountUuid, endpointId)
      if (!endpoint || endpoint.url === '') return null
      const { since, status, objectUuid } = request
      const { lastInsertRowid } = insertReplay.run(
        accountUuid,
        endpointId,
        since,
        status,
        objectUuid,
        firstSeqSince(sql, since),
        lastSeq.get() ?? 0,
        total,
        now,
      )
      return Number(lastInsertRowid)
    },

    async findReplay(accountUuid, replayId) {
      return findReplay.get(replayId, accountUuid) ?? null
    },

    async cancelReplay(accountUuid, replayId, now) {
      return cancel.run(now, replayId, accountUuid).changes === 1
    },

    growReplaysStep: replayGrower(client),
  }
}

interface RunningReplay extends ReplayRequest {
  id: number
  accountUuid: string
  endpointId: number
  nextSeq: number
  untilSeq: number
  made: number
  delivered: number
  undelivered: number
}

function replayGrower({ sql }: Client): ReplayStore['growReplaysStep'] {
  const newTally = tallies(sql)
  const findEndpoint = endpointFinder(sql)
  const running = sql.prepare<[], RunningReplay>(
    `SELECT id, account_uuid AS accountUuid, endpoint_id AS endpointId, since, status, object_uuid AS objectUuid,
       next_seq AS nextSeq, until_seq AS untilSeq, made, delivered, undelivered
     FROM replay INDEXED BY running_replays WHERE state = 'running' ORDER BY id`,
  )
  const pages = { all: eventPager(sql, 'all'), failed: eventPager(sql, 'failed') }
  const loadOf = sql.prepare<[string], { deliveries: number; bytes: number }>(
    'SELECT pending_count AS deliveries, pending_bytes AS bytes FROM account_load WHERE account_uuid = ?',
  )
  const insertDelivery = sql.prepare(
    `INSERT INTO delivery (event_seq, endpoint_id, account_uuid, object_uuid, cause, cause_no, state, due_at, deadline_at,
       attempts, steps, created_at)
     VALUES (?, ?, ?, ?, 'replay', ?, 'pending', ?, ?, 0, 0, ?) ON CONFLICT DO NOTHING`,
  )
  const advance = sql.prepare('UPDATE replay SET next_seq = ?, made = made + ? WHERE id = ?')
  const finish = sql.prepare('UPDATE replay SET state = ?, ended_at = ? WHERE id = ?')

  const grow = sql.transaction((now: number, options: Parameters<ReplayStore['growReplaysStep']>[1]) => {
    const tally = newTally()
    const made: { id: number; endpointId: number; record: string }[] = []
    let more = false
    let stillRunning = 0
    for (const replay of running.all()) {
      const { id, accountUuid, endpointId } = replay
      const endpoint = findEndpoint(accountUuid, endpointId)
      if (!endpoint || endpoint.url === '' || endpoint.state === 'stopped') {
        finish.run('cancelled', now, id)
        continue
      }
      const waiting = replay.made - replay.delivered - replay.undelivered
      if (replay.nextSeq > replay.untilSeq && waiting === 0) {
        finish.run('done', now, id)
        continue
      }
      stillRunning++
      if (replay.nextSeq > replay.untilSeq) continue
      const load = loadOf.get(accountUuid) ?? { deliveries: 0, bytes: 0 }
      const added = tally.addedTo(accountUuid)
      const room = Math.min(
        options.step,
        options.waitingPerReplay - waiting,
        options.limit.deliveries - load.deliveries - added.deliveries,
      )
      if (room <= 0 || load.bytes + added.bytes >= options.limit.bytes) continue
      const events = pages[replay.status](accountUuid, endpoint, replay.nextSeq, replay.untilSeq, replay, room)
      let count = 0
      for (const event of events) {
        if (!isFor(event, endpoint, options.choose)) continue
        const { changes, lastInsertRowid } = insertDelivery.run(
          event.seq,
          endpointId,
          accountUuid,
          event.objectUuid,
          id,
          now,
          now + options.retryFor,
          now,
        )
        if (changes === 0) continue
        count++
        made.push({ id: Number(lastInsertRowid), endpointId, record: event.objectUuid })
        tally.waiting(accountUuid, endpointId, 1, event.bytes)
      }
      const last = events.at(-1)
      const reachedEnd = !last || events.length < room
      advance.run(reachedEnd ? replay.untilSeq + 1 : last.seq + 1, count, id)
      more = true
    }
    tally.write()
    return { made, running: stillRunning, more }
  })

  return async (now, options) => grow.immediate(now, options)
}

function endpointFinder(sql: Sql) {
  const find = sql.prepare<[number, string], FanOutEndpoint>(
    `SELECT id, object_type AS objectType, field_filter AS fieldFilter, url, state FROM endpoint
     WHERE id = ? AND account_uuid = ? AND state <> 'deleted'`,
  )
  return (accountUuid: string, endpointId: number) => find.get(endpointId, accountUuid) ?? null
}

/** Events of the endpoint's object whose body is still kept, oldest first. */
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

/** The endpoint's own field filter counts for a replay as it does for what is live; that it is paused does not matter. */
function isFor(event: EventToReplay, endpoint: FanOutEndpoint, choose: ChooseEndpoints): boolean {
  const changedFields = JSON.parse(event.changedFields) as string[]
  return choose({ object: event.object, changedFields }, [endpoint]).length > 0
}

/**
 * The first event received at or after a moment, by halving: seqs are given in order of arrival, so that receive times grow
 * with them.
 */
export function firstSeqSince(sql: Sql, since: number): number {
  const at = sql.prepare<[number], { seq: number; receivedAt: number }>(
    'SELECT seq, received_at AS receivedAt FROM event WHERE seq >= ? ORDER BY seq LIMIT 1',
  )
  let low = 1
  let high = (sql.prepare<[], number>('SELECT coalesce(max(seq), 0) FROM event').pluck().get() ?? 0) + 1
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const event = at.get(middle)
    if (!event || event.receivedAt >= since) high = middle
    else low = event.seq + 1
  }
  return low
}
