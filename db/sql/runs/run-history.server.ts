import type { Receipt } from '#app/domain/automations/receipt.ts'
import type { RuleDefinition } from '#app/domain/automations/rule.ts'
import type { TriggerData } from '#app/domain/automations/run.ts'
import type { RunQuery, RunRecord, RunStatus } from '#app/domain/automations/run-record.ts'
import { minutes } from '#app/lib/duration.ts'
import type { Database, Step } from '../../database.ts'
import type { RecentRun, RunHistoryStore } from '../../store/run-history.ts'
import type { Connections } from '../connections.ts'
import { RUN_REASON, readReason, STEP_REASON, selectReason } from '../reasons.server.ts'
import { contains, likeText } from '../search-text.server.ts'
import { walkBack } from '../walk-back.server.ts'
import { JOURNAL_COLUMNS, journalRow, type StoredRow } from './run-rows.server.ts'

/** Runs scanned between two turns of the event loop. */
const WINDOW = 500
/** A text is looked for in all that a run says, up to a millisecond each. */
const WINDOW_OF_TEXT = 50

interface HistoryRow extends Omit<RunRecord, 'definition' | 'recordUuids' | 'triggerData' | 'journal' | 'reason'> {
  reason: string
  definition: string | null
  recordUuids: string
  triggerData: string
}

const HOLD = `(SELECT own.hold_reason FROM plan own WHERE own.account_uuid = r.account_uuid AND own.held_since IS NOT NULL)`
const COLUMNS = `r.id, r.account_uuid AS accountUuid, r.automation_id AS automationId, coalesce(v.name, a.name) AS ruleName,
  r.version, v.definition, r.source, r.object, r.record_uuids AS recordUuids, r.group_key AS groupKey,
  r.trigger_data AS triggerData, r.state, r.outcome, ${selectReason(RUN_REASON, 'r')} AS reason, r.wake_at AS wakeAt, r.replay_of AS replayOf, r.hop,
  r.created_at AS createdAt, r.started_at AS startedAt, r.ended_at AS endedAt,
  CASE WHEN r.state IN ('queued', 'waiting') THEN ${HOLD} END AS accountHold`
const JOINS = `JOIN automation a ON a.id = r.automation_id
  LEFT JOIN automation_version v ON v.automation_id = r.automation_id AND v.version = r.version`

const withRow = (states: string) => `EXISTS (SELECT 1 FROM run_step s WHERE s.run_id = r.id AND s.state IN (${states}))`
const NEEDS_YOU = `(r.state = 'held' OR ${withRow("'unknown', 'held'")})`
/** As the history says it (`startsLater`): what collects changes or is held by the plan waits, though it is queued. */
const WAITS = `(r.state = 'waiting' OR (r.state = 'queued'
  AND (r.wake_at > coalesce(r.started_at, r.created_at) + ${minutes(1)} OR ${HOLD} IS NOT NULL)))`
const STATUS: Record<RunStatus, string> = {
  success: "r.state = 'done' AND r.outcome = 'success'",
  partial: "r.state = 'done' AND r.outcome = 'partial'",
  failure: "r.state = 'done' AND r.outcome = 'failure'",
  nothing: "r.state = 'done' AND r.outcome = 'nothing'",
  cancelled: "r.state = 'done' AND r.outcome = 'cancelled'",
  queued: `r.state IN ('queued', 'running') AND NOT ${WAITS} AND NOT ${NEEDS_YOU}`,
  waiting: `${WAITS} AND NOT ${NEEDS_YOU}`,
  held: `(r.state = 'held' OR ${withRow("'held'")}) AND NOT ${withRow("'unknown'")}`,
  needs_you: NEEDS_YOU,
}
const SAID = 'IN (SELECT value FROM json_each(@said))'
const NESTED = "CASE WHEN substr(part.value, 1, 1) IN ('{', '[') AND json_valid(part.value) THEN part.value END"
/** Does a value in the JSON contain @text? Not its names, like `field`. Few rows pass the first test and are walked. */
const hasValue = (json: string) => `(${contains(json)} AND EXISTS (
  WITH RECURSIVE part (value) AS (
    SELECT value FROM json_each(${json}) AS own
    UNION ALL SELECT within.value FROM part, json_each(${NESTED}) AS within
  ) SELECT 1 FROM part WHERE ${NESTED} IS NULL AND ${contains('json_quote(part.value)')}))`
/** Is the run's only record one of these? */
const isOf = (records: string) => `r.record_uuid IN (SELECT value FROM json_each(${records}))`
const HAS_TEXT = `(${isOf('@called')} OR ${contains('coalesce(v.name, a.name)')} OR ${hasValue('r.trigger_data')}
  OR ${contains('r.reason')} OR ${selectReason(RUN_REASON, 'r')} ${SAID}
  OR EXISTS (SELECT 1 FROM run_step s WHERE s.run_id = r.id
       AND (${hasValue('s.effect')} OR ${contains('s.sentence')}
         OR ${selectReason(STEP_REASON, 's')} ${SAID} OR ${hasValue('s.result')})))`

/** Along the two indexes of what waits for a person, which is little. CROSS: SQLite would begin with all runs. */
export const WAITING = `SELECT 1 FROM run WHERE account_uuid = @accountUuid AND state = 'held'
  UNION ALL SELECT 1 FROM (SELECT DISTINCT run_id FROM run_step WHERE state IN ('unknown', 'held')) AS asks
    CROSS JOIN run r WHERE r.id = asks.run_id AND r.account_uuid = @accountUuid AND r.state <> 'held'`

/** Reads use the read-only connection, so a search delays no run. */
export function runHistoryStore({ reader }: Connections): RunHistoryStore {
  const find = reader.prepare<{ accountUuid: string; runId: number }, HistoryRow>(
    `SELECT ${COLUMNS} FROM run r ${JOINS} WHERE r.account_uuid = @accountUuid AND r.id = @runId`,
  )
  const waiting = reader
    .prepare<{ accountUuid: string; most: number }, number>(`SELECT count(*) FROM (${WAITING} LIMIT @most) AS found`)
    .pluck()
  const recent = reader.prepare<{ accountUuid: string; limit: number }, RecentRun>(
    `SELECT automation_id AS automationId, created_at AS createdAt, outcome FROM run
     WHERE account_uuid = @accountUuid ORDER BY id DESC LIMIT @limit`,
  )
  const withJournals = journalReader(reader)
  const readJournals = reader.read(withJournals)
  return {
    async listRuns(accountUuid, query) {
      return readJournals(await search(reader, accountUuid, query))
    },
    findRun: reader.snapshot(function* (accountUuid, runId) {
      const row = yield* find.get({ accountUuid, runId })
      return row ? ((yield* withJournals([row]))[0] ?? null) : null
    }),
    recentRuns: reader.read((accountUuid, limit) => recent.all({ accountUuid, limit })),
    countRunsThatNeedPerson: reader.read(function* (accountUuid, most) {
      return (yield* waiting.get({ accountUuid, most })) ?? 0
    }),
  }
}

/** Optional filters of a search. */
const NARROWING = [
  ['automationId', 'r.automation_id = @automationId'],
  ['days', '(r.created_at >= @since AND r.created_at < @until OR r.started_at >= @since AND r.started_at < @until)'],
  ['recordUuid', `(instr(r.record_uuids, @recordUuid) > 0 OR ${isOf('@belonging')})`],
  ['text', HAS_TEXT],
] as const

function textInJson(typed: string | undefined): string | null {
  return typed ? likeText(JSON.stringify(typed).slice(1, -1)) : null
}

async function search(reader: Database, accountUuid: string, query: RunQuery): Promise<HistoryRow[]> {
  const { automationId, status, since, until, recordUuid, before, limit, says, called = [], belonging = [] } = query
  const text = textInJson(query.text?.trim())
  const days = since ?? until
  const asked = { automationId, days, recordUuid, text }
  const conditions = NARROWING.filter(([name]) => asked[name] !== null).map(([, condition]) => condition as string)
  if (status !== null) conditions.push(STATUS[status])
  // For a single rule, uses the rule's own index.
  const ofRule = automationId !== null
  const runs = `run INDEXED BY ${ofRule ? 'runs_of_a_rule_newest_first' : 'runs_of_an_account_newest_first'}
       WHERE account_uuid = @accountUuid ${ofRule ? 'AND automation_id = @automationId' : ''} AND id < @before
       ORDER BY id DESC LIMIT @window`
  const statement = reader.prepare<object, HistoryRow & { hit: 0 | 1 }>(
    `SELECT ${COLUMNS}, ${conditions.join(' AND ') || 'TRUE'} AS hit FROM (
       SELECT * FROM ${runs}
     ) r ${JOINS} ORDER BY r.id DESC`,
  )
  const findSaid = text !== null && says ? reasonsThatSay(reader, runs, says) : null
  const findNamed = recordsAmong(reader, runs, { called: new Set(called), belonging: new Set(belonging) })
  const later = text === null ? WINDOW : WINDOW_OF_TEXT
  // The newest are those since a moment, but for a few that waited.
  const first = conditions.length === (ofRule ? 1 : 0) + (since === null || until !== null ? 0 : 1) ? limit : later
  const read = reader.read(function* (below: number, window: number) {
    const between = { since: since ?? 0, until: until ?? Number.MAX_SAFE_INTEGER }
    const values = { ...asked, ...between, accountUuid, before: below, window }
    const said = findSaid ? yield* findSaid(values) : []
    return yield* statement.all({ ...values, ...(yield* findNamed(values)), said: JSON.stringify(said) })
  })
  const hits = await walkBack({
    ...{ before, window: first, later, limit, read },
    idOf: ({ id }) => id,
    // A run may wait for weeks before it starts.
    isTooOld: () => false,
  })
  return hits.map(({ hit: _hit, ...row }) => row)
}

/** Of a long list, a window gets only the records of its runs: to read all of it takes longer than to search the runs. */
function recordsAmong(reader: Database, runs: string, named: Record<'called' | 'belonging', ReadonlySet<string>>) {
  const records = reader.prepare<object, string>(`SELECT record_uuid FROM ${runs}`).pluck()
  return function* (values: object): Generator<unknown, object> {
    const own = named.called.size + named.belonging.size === 0 ? [] : yield* records.all(values)
    const among = (wanted: ReadonlySet<string>) => JSON.stringify(own.filter((uuid) => wanted.has(uuid)))
    return { called: among(named.called), belonging: among(named.belonging) }
  }
}

/** Codes stand for words that only the application knows: it chooses among the stored reasons of the runs and their steps. */
function reasonsThatSay(reader: Database, runs: string, says: NonNullable<RunQuery['says']>) {
  const coded = reader
    .prepare<object, string>(
      `WITH seen AS (SELECT id, reason, reason_code, reason_params FROM ${runs})
       SELECT ${selectReason(RUN_REASON)} FROM seen WHERE reason_code IS NOT NULL
       UNION SELECT ${selectReason(STEP_REASON, 's')} FROM seen JOIN run_step s ON s.run_id = seen.id
       WHERE s.reason_code IS NOT NULL`,
    )
    .pluck()
  return function* (values: object): Generator<unknown, string[]> {
    const stored = yield* coded.all(values)
    return stored.filter((one) => {
      const reason = readReason(one)
      return reason !== null && typeof reason !== 'string' && says(reason)
    })
  }
}

interface ReceiptRow extends Receipt {
  runId: number
  stepId: string
  itemKey: string
}

/** By effect; the latest sending counts. */
function receiptReader(reader: Database): (runIds: string) => Step<Map<string, Receipt>> {
  const receipts = reader.prepare<{ runIds: string }, ReceiptRow>(
    `SELECT run_id AS runId, step_id AS stepId, item_key AS itemKey, state, state_at AS stateAt, looked_at AS lookedAt
     FROM message_receipt WHERE run_id IN (SELECT CAST(value AS bigint) FROM json_each(@runIds)) ORDER BY sent_at, id`,
  )
  return function* (runIds) {
    const rows = yield* receipts.all({ runIds })
    return new Map(rows.map(({ runId, stepId, itemKey, ...receipt }) => [keyOf(runId, { stepId, itemKey }), receipt]))
  }
}

function keyOf(runId: number, { stepId, itemKey }: { stepId: string; itemKey: string }): string {
  return `${runId} ${stepId} ${itemKey}`
}

function journalReader(reader: Database): (rows: HistoryRow[]) => Step<RunRecord[]> {
  const journal = reader.prepare<{ runIds: string }, StoredRow & { runId: number }>(
    `SELECT s.run_id AS runId, ${JOURNAL_COLUMNS} FROM run_step s
     WHERE s.run_id IN (SELECT CAST(value AS bigint) FROM json_each(@runIds)) ORDER BY s.run_id, s.seq, s.item_key`,
  )
  const receiptsOf = receiptReader(reader)
  return function* (rows) {
    const runIds = JSON.stringify(rows.map(({ id }) => id))
    const receipts = yield* receiptsOf(runIds)
    const ofRun = Map.groupBy(yield* journal.all({ runIds }), ({ runId }) => runId)
    return rows.map(({ definition, recordUuids, triggerData, reason, ...row }) => ({
      ...row,
      reason: readReason(reason),
      definition: definition === null ? null : (JSON.parse(definition) as RuleDefinition),
      recordUuids: JSON.parse(recordUuids) as string[],
      triggerData: JSON.parse(triggerData) as TriggerData,
      journal: (ofRun.get(row.id) ?? []).map(({ runId: _run, ...stored }) => ({
        ...journalRow(stored),
        receipt: receipts.get(keyOf(row.id, stored)) ?? null,
      })),
    }))
  }
}
