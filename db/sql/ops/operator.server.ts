// The operator's view of all accounts. Uses the reader connection; never scans events, deliveries or attempts, however
// many there are.
import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { AccountOutline, AuditCount, FailingEndpoint, KeptCount, OperatorStore } from '../../store/operator.ts'
import type { Client } from '../../sqlite/client.server.ts'
import { firstSince, roomMeter } from './room.server.ts'

const FAILING = "(p.state = 'failing' OR p.state = 'active' AND p.failing_since IS NOT NULL)"
const FAILING_SINCE = 'coalesce(p.failing_since, p.state_since)'

const OUTLINES = `
  SELECT a.uuid, a.name, a.created_at AS createdAt, c.state AS connection,
    own.status, own.trial_ends_at AS trialEndsAt, own.cancel_at_period_end AS ending, own.held_since AS heldSince,
    coalesce(l.pending_count, 0) AS waiting, coalesce(e.endpoints, 0) AS endpoints, coalesce(e.failing, 0) AS failing,
    e.failingSince, coalesce(e.stopped, 0) AS stopped
  FROM account a
    LEFT JOIN credential c ON c.account_uuid = a.uuid
    LEFT JOIN plan own ON own.account_uuid = a.uuid
    LEFT JOIN account_load l ON l.account_uuid = a.uuid
    LEFT JOIN (
      SELECT p.account_uuid, count(*) AS endpoints, sum(${FAILING}) AS failing,
        min(CASE WHEN ${FAILING} THEN ${FAILING_SINCE} END) AS failingSince, sum(p.state = 'stopped') AS stopped
      FROM endpoint p WHERE p.state <> 'deleted' GROUP BY p.account_uuid
    ) e ON e.account_uuid = a.uuid
  ORDER BY a.created_at, a.uuid`

const FAILING_ONES = `
  SELECT p.id, p.account_uuid AS accountUuid, a.name AS accountName, ${FAILING_SINCE} AS since,
    p.state = 'failing' AS switchedOff, p.last_code AS code
  FROM endpoint p JOIN account a ON a.uuid = p.account_uuid
  WHERE ${FAILING} ORDER BY since, p.id LIMIT @limit`

/** The last attempt's outcome of the first pending delivery of an endpoint. */
const LATEST_OUTCOME = `
  SELECT t.outcome FROM (
    SELECT id FROM delivery INDEXED BY due_deliveries_of_an_endpoint
    WHERE endpoint_id = @endpointId AND state = 'pending' ORDER BY due_at, id LIMIT 20
  ) few JOIN attempt t ON t.delivery_id = few.id ORDER BY t.at DESC LIMIT 1`

const SPLIT = `
  SELECT
    coalesce(sum(CASE WHEN held THEN waiting END), 0) AS held,
    coalesce(sum(CASE WHEN NOT held AND later THEN waiting END), 0) AS backingOff
  FROM (
    SELECT p.pending_count AS waiting, p.state <> 'active' OR p.url = '' OR own.id IS NOT NULL AS held,
      p.breaker = 'open' OR coalesce(p.hold_until, 0) > @now AS later
    FROM endpoint p LEFT JOIN plan own ON own.account_uuid = p.account_uuid AND own.held_since IS NOT NULL
    WHERE p.pending_count > 0
  )`

/** An entry for several requests stores their number. */
const AUDIT_COUNTS = `
  SELECT action, outcome, sum(CASE action WHEN 'calls.refused' THEN coalesce(json_extract(detail, '$.count'), 1) ELSE 1 END) AS count,
    max(at) AS latestAt
  FROM (
    SELECT action, outcome, detail, at FROM audit_entry INDEXED BY audit_by_age WHERE at >= @since
    ORDER BY at DESC LIMIT @atMost
  )
  WHERE outcome = 'refused' OR action IN (SELECT value FROM json_each(@actions))
  GROUP BY action, outcome ORDER BY count DESC`

/** By account, in index order: the first row is the oldest. */
const KEPT = {
  events: ['event INDEXED BY events_of_an_account_newest_first', 'seq', 'received_at'],
  runs: ['run INDEXED BY runs_of_an_account_newest_first', 'id', 'created_at'],
  exchanges: ['api_activity INDEXED BY api_activity_newest_first', 'id', 'created_at'],
  audit: ['audit_entry INDEXED BY audit_of_an_account', 'id', 'at'],
} as const

interface OutlineRow extends Omit<AccountOutline, 'plan'> {
  status: string | null
  trialEndsAt: number
  ending: 0 | 1
  heldSince: number | null
}

/** For the test that no query scans a big table. */
export const OPERATOR_QUERIES = { OUTLINES, FAILING_ONES, LATEST_OUTCOME, SPLIT, AUDIT_COUNTS }

export function operatorStore({ readerSql }: Client): OperatorStore {
  const outlines = readerSql.prepare<[], OutlineRow>(OUTLINES)
  const failing = readerSql.prepare<
    { limit: number },
    Omit<FailingEndpoint, 'switchedOff' | 'outcome'> & { id: number; switchedOff: 0 | 1 }
  >(FAILING_ONES)
  const latestOutcome = readerSql.prepare<{ endpointId: number }, string>(LATEST_OUTCOME).pluck()
  const split = readerSql.prepare<{ now: number }, { held: number; backingOff: number }>(SPLIT)
  const auditCounts = readerSql.prepare<{ since: number; atMost: number; actions: string }, AuditCount>(AUDIT_COUNTS)
  const auditSize = readerSql
    .prepare<{ since: number; limit: number }, number>(
      'SELECT count(*) FROM (SELECT 1 FROM audit_entry INDEXED BY audit_by_age WHERE at >= @since LIMIT @limit)',
    )
    .pluck()
  const meter = roomMeter(readerSql)
  const oldestEvent = readerSql.prepare<[], number>('SELECT received_at FROM event ORDER BY seq LIMIT 1').pluck()
  const kept = Object.entries(KEPT).map(([kind, [table, id, at]]) => {
    const count = readerSql
      .prepare<{ accountUuid: string; atMost: number }, number>(
        `SELECT count(*) FROM (SELECT 1 FROM ${table} WHERE account_uuid = @accountUuid LIMIT @atMost)`,
      )
      .pluck()
    const oldest = readerSql
      .prepare<{ accountUuid: string }, number>(
        `SELECT ${at} FROM ${table} WHERE account_uuid = @accountUuid ORDER BY ${id} LIMIT 1`,
      )
      .pluck()
    const read = (accountUuid: string, atMost: number): KeptCount => ({
      count: count.get({ accountUuid, atMost }) ?? 0,
      oldestAt: oldest.get({ accountUuid }) ?? null,
    })
    return [kind, read] as const
  })

  return {
    async accountOutlines() {
      return outlines.all().map(({ status, trialEndsAt, ending, heldSince, ...row }) => ({
        ...row,
        plan: status === null ? null : { status, trialEndsAt, cancelAtPeriodEnd: ending === 1, heldSince },
      }))
    },
    async troubledEndpoints(limit) {
      return failing.all({ limit }).map(({ id, switchedOff, ...row }) => ({
        ...row,
        switchedOff: switchedOff === 1,
        outcome: row.code === null ? (latestOutcome.get({ endpointId: id }) ?? null) : null,
      }))
    },
    async waitingSplit(now) {
      return split.get({ now }) ?? { held: 0, backingOff: 0 }
    },
    async roomTaken() {
      return meter.taken()
    },
    async roomSince(since) {
      const bytes = (['event', 'run'] as const).map((table) => {
        const first = firstSince(readerSql, table, since)
        return first === null ? 0 : meter.takenFrom(table === 'event' ? 'events' : 'runs', first)
      })
      return { bytes: bytes.reduce((total, one) => total + one, 0), oldestEventAt: oldestEvent.get() ?? null }
    },
    async countAudit(since, actions, atMost) {
      const counts = auditCounts.all({ since, atMost, actions: JSON.stringify(actions) })
      return { counts, all: (auditSize.get({ since, limit: atMost + 1 }) ?? 0) <= atMost }
    },
    async machineFacts() {
      const applied = readerSql.prepare<[], number>('SELECT count(*) FROM __drizzle_migrations').pluck()
      const disk = statfsSync(dirname(readerSql.name))
      return {
        database: `SQLite ${readerSql.prepare<[], string>('SELECT sqlite_version()').pluck().get() ?? ''}`,
        schema: applied.get() ?? 0,
        diskFreeBytes: disk.bavail * disk.bsize,
      }
    },
    async countKept(accountUuid, atMost) {
      return Object.fromEntries(kept.map(([kind, read]) => [kind, read(accountUuid, atMost)])) as unknown as Awaited<
        ReturnType<OperatorStore['countKept']>
      >
    },
  }
}
