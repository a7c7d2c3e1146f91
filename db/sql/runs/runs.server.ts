import type { RuleDefinition } from '#app/domain/automations/rule.ts'
import type { RunState, StartedRun, TriggerData } from '#app/domain/automations/run.ts'
import type { ClaimedRun, DueRun, RuleOfRun, RunStore, RunToRepeat } from '../../store/runs.ts'
import type { Connections } from '../connections.ts'
import { PAUSE_REASON, RUN_REASON, readReason, selectReason } from '../reasons.server.ts'
import { runDecisionStore } from './run-decisions.server.ts'
import { runJournalStore } from './run-journal.server.ts'
import { insertRuns } from './run-rows.server.ts'

/** Runs from request to end. Every write is one statement or one small transaction. */
export function runStore(connections: Connections): RunStore {
  return {
    ...runJournalStore(connections),
    ...runDecisionStore(connections),
    ...startStore(connections),
    ...queueStore(connections),
  }
}

/** Must equal the condition of the index `runs_to_do`. */
const TO_DO = "state in ('queued', 'running', 'waiting')"

/** Runs of a held account wait; condition on the table `run`. */
const NOT_HELD = `NOT EXISTS (SELECT 1 FROM plan own WHERE own.account_uuid = run.account_uuid AND own.held_since IS NOT NULL)`

/** Longer than any rest; so the look for rests needs only a piece of the index. ms */
const LONGEST_REST = 60_000
/** While a run rests, its account has none to do: it is under way elsewhere, and may be writing to a customer. */
const NO_REST = `account_uuid NOT IN (
  SELECT o.account_uuid FROM run o WHERE o.${TO_DO} AND o.wake_at > @now AND o.wake_at <= @longest AND o.state = 'running')`

function startStore(connections: Connections): Pick<RunStore, 'startRuns' | 'startRunOnce' | 'findStartedRun'> {
  const { db, turn } = connections
  const insert = insertRuns(db)
  const findCall = db
    .prepare<{ automationId: number; key: string; now: number }, number>(
      'SELECT run_id FROM trigger_call WHERE automation_id = @automationId AND key = @key AND expires_at > @now',
    )
    .pluck()
  const findOwnCall = db
    .prepare<{ automationId: number; key: string; now: number; accountUuid: string }, number>(
      `SELECT c.run_id FROM trigger_call c JOIN run r ON r.id = c.run_id
       WHERE c.automation_id = @automationId AND c.key = @key AND c.expires_at > @now AND r.account_uuid = @accountUuid`,
    )
    .pluck()
  const saveCall = db.prepare(
    `INSERT INTO trigger_call (automation_id, key, run_id, expires_at) VALUES (@automationId, @key, @runId, @expiresAt)
     ON CONFLICT (automation_id, key) DO UPDATE SET run_id = excluded.run_id, expires_at = excluded.expires_at`,
  )
  return {
    async startRuns(accountUuid, requests, now) {
      if (requests.length === 0) return []
      return turn.run(() => insert(accountUuid, requests, now))
    },
    startRunOnce(accountUuid, request, keys, now) {
      return turn.run(function* (): Generator<unknown, StartedRun | { outcome: 'repeated'; runId: number }> {
        for (const { key } of keys) {
          const runId = yield* findCall.get({ automationId: request.automationId, key, now })
          if (runId !== undefined) return { outcome: 'repeated', runId }
        }
        const [started] = yield* insert(accountUuid, [request], now)
        if (!started) throw new Error('one wish has one answer')
        if (started.outcome !== 'started') return started
        for (const { key, expiresAt } of keys)
          yield* saveCall.run({ automationId: request.automationId, key, runId: started.runId, expiresAt })
        return started
      })
    },
    findStartedRun: db.read(function* (accountUuid, automationId, key, now) {
      return (yield* findOwnCall.get({ automationId, key, now, accountUuid })) ?? null
    }),
  }
}

interface StoredRun {
  recordUuids: string
  triggerData: string
  name: string
  definition: string | null
  active: 0 | 1
  deletedAt: number | null
  pausedReason: string
}

type ClaimedRow = Omit<ClaimedRun, 'recordUuids' | 'triggerData' | 'rule' | 'reason'> & StoredRun & { reason: string }
type RepeatRow = Omit<RunToRepeat, 'recordUuids' | 'triggerData' | 'rule'> & StoredRun & { versionToday: number }

/** Shared columns of a run and its rule, for queries with the aliases `r`, `a`, `v`. */
const RULE_COLUMNS = `a.name, v.definition, a.active, a.deleted_at AS deletedAt,
  ${selectReason(PAUSE_REASON, 'a')} AS pausedReason`
const RULE_JOINS = `JOIN automation a ON a.id = r.automation_id
     LEFT JOIN automation_version v ON v.automation_id = r.automation_id AND v.version = r.version`

function queueStore(connections: Connections) {
  const { db, turn, mine } = connections
  const due = db.prepare<
    { now: number; longest: number; limit: number; perAccount: number },
    { id: number; accountUuid: string; recordUuids: string; state: RunState }
  >(
    `SELECT id, account_uuid AS accountUuid, record_uuids AS recordUuids, state FROM (
       SELECT id, account_uuid, record_uuids, state, wake_at,
         row_number() OVER (PARTITION BY account_uuid ORDER BY wake_at, id) AS place
       FROM run WHERE ${TO_DO} AND wake_at <= @now AND ${mine('run')} AND ${NOT_HELD} AND ${NO_REST}
     ) AS ranked WHERE place <= @perAccount ORDER BY place, wake_at, id LIMIT @limit`,
  )
  const next = db
    .prepare<{ now: number }, number | null>(
      `SELECT min(wake_at) FROM run WHERE ${TO_DO} AND wake_at > @now AND ${mine('run')}`,
    )
    .pluck()
  const rest = db.prepare(
    "UPDATE run SET wake_at = @until WHERE id = @id AND state = 'running' AND lease_owner = @owner",
  )
  const claim = db.prepare(
    `UPDATE run SET state = 'running', lease_owner = @owner, started_at = coalesce(started_at, @now)
     WHERE id = @runId AND account_uuid = @accountUuid AND ${TO_DO} AND wake_at <= @now AND ${NOT_HELD}`,
  )
  const load = db.prepare<{ runId: number; accountUuid: string }, ClaimedRow>(
    `SELECT r.id, r.account_uuid AS accountUuid, r.automation_id AS automationId, r.version, r.source, r.object,
       r.record_uuids AS recordUuids, r.group_key AS groupKey, r.trigger_data AS triggerData, r.hop,
       r.replay_of AS replayOf, r.created_at AS createdAt, r.started_at AS startedAt, ${selectReason(RUN_REASON, 'r')} AS reason,
       ${RULE_COLUMNS}
     FROM run r ${RULE_JOINS} WHERE r.id = @runId AND r.account_uuid = @accountUuid`,
  )
  const repeat = db.prepare<{ runId: number; accountUuid: string }, RepeatRow>(
    `SELECT r.automation_id AS automationId, r.version, r.source, r.object, r.record_uuids AS recordUuids,
       r.group_key AS groupKey, r.trigger_data AS triggerData, r.state, r.outcome, a.version AS versionToday,
       (SELECT count(*) FROM run_step s WHERE s.run_id = r.id AND s.state IN ('sent', 'unknown')
          AND json_extract(s.effect, '$.effect.class') = 'customer') AS customerMessages, ${RULE_COLUMNS}
     FROM run r ${RULE_JOINS} WHERE r.id = @runId AND r.account_uuid = @accountUuid`,
  )
  return {
    dueRuns: db.read(function* (now, most) {
      const rows = yield* due.all({ now, longest: now + LONGEST_REST, ...most })
      return rows.map(
        ({ id, accountUuid, recordUuids, state }): DueRun => ({
          id,
          accountUuid,
          recordUuids: JSON.parse(recordUuids) as string[],
          begun: state === 'running',
        }),
      )
    }),
    nextRunDueAt: db.read(function* (now) {
      return (yield* next.get({ now })) ?? null
    }),
    restRuns: db.write(function* (runIds, owner, until) {
      for (const id of [...runIds].sort((a, b) => a - b)) yield* rest.run({ id, owner, until })
    }),
    claimRun(accountUuid, runId, owner, now) {
      return turn.run(function* (): Generator<unknown, ClaimedRun | null> {
        if ((yield* claim.run({ accountUuid, runId, owner, now })).changes === 0) return null
        const row = yield* load.get({ runId, accountUuid })
        return row ? { ...runOf(row), reason: readReason(row.reason) } : null
      })
    },
    findRunToRepeat: db.read(function* (accountUuid, runId) {
      const row = yield* repeat.get({ runId, accountUuid })
      if (!row) return null
      const { versionToday, ...run } = runOf(row)
      return { ...run, rule: { ...run.rule, version: versionToday } }
    }),
  } satisfies Partial<RunStore>
}

function runOf<Row extends StoredRun>(row: Row) {
  const { recordUuids, triggerData, name, definition, active, deletedAt, pausedReason, ...run } = row
  const rule: RuleOfRun = {
    name,
    definition: definition === null ? null : (JSON.parse(definition) as RuleDefinition),
    active: active === 1,
    deleted: deletedAt !== null,
    pausedReason: readReason(pausedReason),
  }
  const records = JSON.parse(recordUuids) as string[]
  return { ...run, recordUuids: records, triggerData: JSON.parse(triggerData) as TriggerData, rule }
}
