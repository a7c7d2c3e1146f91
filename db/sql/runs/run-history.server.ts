import type { RuleDefinition } from '#app/domain/automations/rule.ts'
import type { TriggerData } from '#app/domain/automations/run.ts'
import type { RunQuery, RunRecord, RunStatus } from '#app/domain/automations/run-record.ts'
import type { RunHistoryStore } from '../../store/run-history.ts'
import type { Client } from '../../sqlite/client.server.ts'
import { RUN_REASON, readReason, reasonOf, selectReason } from '../reasons.server.ts'
import type { Sql } from '../../sqlite/sql.ts'
import { CLOCK_SLACK, walkBack } from '../walk-back.server.ts'
import { JOURNAL_COLUMNS, journalRow, type StoredRow } from './run-rows.server.ts'

/** Runs scanned between two turns of the event loop. */
const WINDOW = 500

interface HistoryRow extends Omit<RunRecord, 'definition' | 'recordUuids' | 'triggerData' | 'journal' | 'reason'> {
  reason: string
  definition: string | null
  recordUuids: string
  triggerData: string
}

const COLUMNS = `r.id, r.account_uuid AS accountUuid, r.automation_id AS automationId, coalesce(v.name, a.name) AS ruleName,
  r.version, v.definition, r.source, r.object, r.record_uuids AS recordUuids, r.group_key AS groupKey,
  r.trigger_data AS triggerData, r.state, r.outcome, ${selectReason(RUN_REASON, 'r')} AS reason, r.wake_at AS wakeAt, r.replay_of AS replayOf, r.hop,
  r.created_at AS createdAt, r.started_at AS startedAt, r.ended_at AS endedAt,
  CASE WHEN r.state IN ('queued', 'waiting') THEN
    (SELECT own.hold_reason FROM plan own WHERE own.account_uuid = r.account_uuid AND own.held_since IS NOT NULL) END AS accountHold`
const JOINS = `JOIN automation a ON a.id = r.automation_id
  LEFT JOIN automation_version v ON v.automation_id = r.automation_id AND v.version = r.version`

const UNKNOWN = "EXISTS (SELECT 1 FROM run_step s WHERE s.run_id = r.id AND s.state IN ('unknown', 'held'))"
const STATUS: Record<RunStatus, string> = {
  success: "r.state = 'done' AND r.outcome = 'success'",
  partial: "r.state = 'done' AND r.outcome = 'partial'",
  failure: "r.state = 'done' AND r.outcome = 'failure'",
  nothing: "r.state = 'done' AND r.outcome = 'nothing'",
  cancelled: "r.state = 'done' AND r.outcome = 'cancelled'",
  queued: "r.state IN ('queued', 'running')",
  waiting: "r.state = 'waiting'",
  held: "r.state = 'held'",
  needs_you: `(r.state = 'held' OR ${UNKNOWN})`,
}
const HAS_TEXT = `(coalesce(v.name, a.name) LIKE @text ESCAPE '~' OR r.trigger_data LIKE @text ESCAPE '~'
  OR r.reason LIKE @text ESCAPE '~' OR reason_says(r.reason_code, r.reason_params)
  OR EXISTS (SELECT 1 FROM run_step s WHERE s.run_id = r.id
       AND (s.effect LIKE @text ESCAPE '~' OR s.sentence LIKE @text ESCAPE '~'
         OR reason_says(s.reason_code, s.reason_params) OR s.result LIKE @text ESCAPE '~')))`

/** Reads use the read-only connection, so a search delays no run. */
export function runHistoryStore({ readerSql }: Client): RunHistoryStore {
  const says = reasonSays(readerSql)
  const find = readerSql.prepare<{ accountUuid: string; runId: number }, HistoryRow>(
    `SELECT ${COLUMNS} FROM run r ${JOINS} WHERE r.account_uuid = @accountUuid AND r.id = @runId`,
  )
  const waiting = readerSql
    .prepare<{ accountUuid: string; most: number }, number>(
      `SELECT count(*) FROM (SELECT 1 FROM run r WHERE r.account_uuid = @accountUuid AND ${STATUS.needs_you} LIMIT @most)`,
    )
    .pluck()
  return {
    async listRuns(accountUuid, query) {
      return withJournals(readerSql, await search(readerSql, accountUuid, query, says))
    },
    async findRun(accountUuid, runId) {
      const row = find.get({ accountUuid, runId })
      return row ? (withJournals(readerSql, [row])[0] ?? null) : null
    },
    async countRunsThatNeedPerson(accountUuid, most) {
      return waiting.get({ accountUuid, most }) ?? 0
    },
  }
}

type Says = (ask: RunQuery['says']) => void

/** SQL function `reason_says(code, params)`: uses the latest query. Statements are synchronous, so none mix. */
function reasonSays(sql: Sql): Says {
  let ask: RunQuery['says']
  sql.function('reason_says', (code: unknown, params: unknown) => {
    if (typeof code !== 'string' || !ask) return 0
    const reason = reasonOf(null, code, typeof params === 'string' ? params : null)
    return reason !== null && typeof reason !== 'string' && ask(reason) ? 1 : 0
  })
  return (asked) => {
    ask = asked
  }
}

/** Optional filters of a search. */
const NARROWING = [
  ['automationId', 'r.automation_id = @automationId'],
  ['since', 'r.created_at >= @since'],
  ['until', 'r.created_at < @until'],
  ['recordUuid', 'instr(r.record_uuids, @recordUuid) > 0'],
  ['text', HAS_TEXT],
] as const

async function search(sql: Sql, accountUuid: string, query: RunQuery, says: Says): Promise<HistoryRow[]> {
  const { automationId, status, since, until, recordUuid, before, limit } = query
  const text = query.text?.trim() ? pattern(query.text) : null
  const asked = { automationId, since, until, recordUuid, text }
  const conditions = NARROWING.filter(([name]) => asked[name] !== null).map(([, condition]) => condition as string)
  if (status !== null) conditions.push(STATUS[status])
  // For a single rule, uses the rule's own index.
  const ofRule = automationId !== null
  const statement = sql.prepare<object, HistoryRow & { hit: 0 | 1 }>(
    `SELECT ${COLUMNS}, ${conditions.join(' AND ') || '1'} AS hit FROM (
       SELECT * FROM run INDEXED BY ${ofRule ? 'runs_of_a_rule_newest_first' : 'runs_of_an_account_newest_first'}
       WHERE account_uuid = @accountUuid ${ofRule ? 'AND automation_id = @automationId' : ''} AND id < @before
       ORDER BY id DESC LIMIT @window
     ) r ${JOINS} ORDER BY r.id DESC`,
  )
  const window = conditions.length === (ofRule ? 1 : 0) ? limit : WINDOW
  const hits = await walkBack({
    ...{ before, window, limit },
    read(below) {
      says(query.says)
      return statement.all({ ...asked, accountUuid, before: below, window })
    },
    idOf: ({ id }) => id,
    isTooOld: ({ createdAt }) => createdAt < (since ?? 0) - CLOCK_SLACK,
  })
  return hits.map(({ hit: _hit, ...row }) => row)
}

/** Matches anywhere in a JSON text; escapes the wildcards of LIKE. */
function pattern(text: string): string {
  const written = JSON.stringify(text.trim()).slice(1, -1)
  return `%${written.replace(/[~%_]/g, '~$&')}%`
}

function withJournals(sql: Sql, rows: HistoryRow[]): RunRecord[] {
  const journal = sql
    .prepare<{ runIds: string }, StoredRow & { runId: number }>(
      `SELECT s.run_id AS runId, ${JOURNAL_COLUMNS} FROM run_step s
       WHERE s.run_id IN (SELECT value FROM json_each(@runIds)) ORDER BY s.run_id, s.seq, s.item_key`,
    )
    .all({ runIds: JSON.stringify(rows.map((row) => row.id)) })
  const ofRun = new Map<number, StoredRow[]>()
  for (const { runId, ...row } of journal) {
    const known = ofRun.get(runId)
    if (known) known.push(row)
    else ofRun.set(runId, [row])
  }
  return rows.map(({ definition, recordUuids, triggerData, reason, ...row }) => ({
    ...row,
    reason: readReason(reason),
    definition: definition === null ? null : (JSON.parse(definition) as RuleDefinition),
    recordUuids: JSON.parse(recordUuids) as string[],
    triggerData: JSON.parse(triggerData) as TriggerData,
    journal: (ofRun.get(row.id) ?? []).map(journalRow),
  }))
}
