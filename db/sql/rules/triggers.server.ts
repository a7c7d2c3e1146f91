// Long: one table of statements. What triggers rules: touched records, polled lists, and baselines taken when rules are switched on.
import type { RunRequest, StartedRun } from '#app/domain/automations/run.ts'
import type { Clock } from '#app/lib/clock.ts'
import type { AutomationRow } from '../../store/automations.ts'
import type { RecordValues } from '../../store/records.ts'
import type {
  DoneFiring,
  Evaluation,
  NewVerdict,
  OwnWrite,
  SweepTarget,
  TouchedRecord,
  TriggerStore,
} from '../../store/triggers.ts'
import type { LedgerEntry, StoredVerdict, VerdictStore } from '../../store/verdicts.ts'
import type { Connections } from '../connections.ts'
import { INSERT_SNAPSHOT, KEEP_SNAPSHOT } from '../events/records.server.ts'
import { touchedRows } from '../hot/touched-rows.server.ts'
import { insertRuns } from '../runs/run-rows.server.ts'
import { automationStore } from './automations.server.ts'

interface TouchedSqlRow extends Omit<TouchedRecord, 'changedFields' | 'created'> {
  changedFields: string
  created: number
}

const TOUCHED_COLUMNS = `account_uuid AS accountUuid, object, record_uuid AS recordUuid, changed_fields AS changedFields, created,
  event_seq AS eventSeq, first_at AS firstAt, due_at AS dueAt, turn, tries`

function touchedOfRow(row: TouchedSqlRow): TouchedRecord {
  return { ...row, changedFields: JSON.parse(row.changedFields) as string[], created: row.created === 1 }
}

export function triggerStore(connections: Connections, clock: Clock): TriggerStore {
  const rows = triggerRows(connections)
  return {
    ...waitingRecords(connections),
    ...settledPolls(connections, rows),
    ...firedBefore(connections, clock),
    ...baselines(connections, rows),
    ...sweepStore(connections, rows),
  }
}

type Rows = ReturnType<typeof triggerRows>

/** Writes of what sets off rules. Call inside a transaction. */
export function triggerRows({ db }: Pick<Connections, 'db'>) {
  const startRuns = insertRuns(db)
  const keepSnapshot = db.prepare(KEEP_SNAPSHOT)
  const seedSnapshot = db.prepare(`${INSERT_SNAPSHOT} ON CONFLICT DO NOTHING`)
  const putVerdict = db.prepare(
    `INSERT INTO rule_verdict (automation_id, record_uuid, account_uuid, at, verdict, detail, run_id)
     VALUES (@automationId, @recordUuid, @accountUuid, @now, @verdict, @detail, @runId)
     ON CONFLICT (automation_id, record_uuid)
     DO UPDATE SET at = excluded.at, verdict = excluded.verdict, detail = excluded.detail, run_id = excluded.run_id`,
  )
  const ruleAsRead = db.prepare<{ id: number; accountUuid: string; version: number }, { nextRunAt: number | null }>(
    `SELECT next_run_at AS nextRunAt FROM automation
       WHERE id = @id AND account_uuid = @accountUuid AND version = @version AND active = 1 AND deleted_at IS NULL`,
  )
  const moveCursor = db.prepare(
    `INSERT INTO poll_cursor (account_uuid, source, watermark, last_ok_at, last_error, next_at)
     VALUES (@accountUuid, @source, @watermark, @now, NULL, @nextAt)
     ON CONFLICT (account_uuid, source)
     DO UPDATE SET watermark = excluded.watermark, last_ok_at = excluded.last_ok_at, last_error = NULL, next_at = excluded.next_at`,
  )
  /** Stores rules' snapshots apart from those of forwarding, which are updated at other times: see `snapshotsOf`. */
  const put = (
    statement: typeof keepSnapshot,
    accountUuid: string,
    object: string,
    { recordUuid, editDate, fields }: RecordValues,
    at: number,
  ) =>
    statement.run({ accountUuid, object: `rules:${object}`, recordUuid, editDate, fields: JSON.stringify(fields), at })

  const note = (accountUuid: string, verdict: NewVerdict, runId: number | null, now: number) =>
    putVerdict.run({ ...verdict, accountUuid, now, runId })

  /** Starts the runs and stores each record's verdict. */
  function* start(accountUuid: string, requests: readonly RunRequest[], now: number): Generator<unknown, StartedRun[]> {
    const started = yield* startRuns(accountUuid, requests, now)
    for (const [index, request] of requests.entries()) {
      const answer = started[index]
      if (!answer) continue
      const { automationId, held } = request
      const runId = answer.outcome === 'started' ? answer.runId : null
      const detail = held === null ? null : JSON.stringify({ reason: held })
      const verdict = verdictOf(answer, request)
      for (const recordUuid of request.recordUuids) {
        yield* note(accountUuid, { automationId, recordUuid, verdict, detail }, runId, now)
      }
    }
    return started
  }

  return {
    rule: (id: number, accountUuid: string, version: number) => ruleAsRead.get({ id, accountUuid, version }),
    keep: (accountUuid: string, object: string, values: RecordValues, now: number) =>
      put(keepSnapshot, accountUuid, object, values, now),
    /** Only if there is no snapshot yet. */
    seed: (accountUuid: string, object: string, values: RecordValues, now: number) =>
      put(seedSnapshot, accountUuid, object, values, now),
    moveCursor: (accountUuid: string, source: string, watermark: string, now: number, nextAt: number) =>
      moveCursor.run({ accountUuid, source, watermark, now, nextAt }),
    note,
    start,
  }
}

function verdictOf({ outcome }: StartedRun, { held }: RunRequest): NewVerdict['verdict'] {
  if (outcome !== 'started') return 'done_before'
  return held === null ? 'fired' : 'held'
}

/** Touched records waiting for evaluation. */
function waitingRecords({ db, turn: writeTurn, mine }: Connections) {
  // Numbers the rows within each account, so one account's burst does not crowd out the others.
  const due = db.prepare<{ now: number; perAccount: number; limit: number }, TouchedSqlRow>(
    `SELECT accountUuid, object, recordUuid, changedFields, created, eventSeq, firstAt, dueAt, turn, tries
     FROM (SELECT ${TOUCHED_COLUMNS}, row_number() OVER (PARTITION BY account_uuid ORDER BY due_at) AS place
           FROM touched_record WHERE due_at <= @now AND ${mine('touched_record')}) AS due
     WHERE place <= @perAccount ORDER BY place, dueAt LIMIT @limit`,
  )
  const dueOf = db.prepare<{ accountUuid: string; object: string; now: number; limit: number }, TouchedSqlRow>(
    `SELECT ${TOUCHED_COLUMNS} FROM touched_record WHERE account_uuid = @accountUuid AND object = @object AND due_at <= @now
     ORDER BY due_at, record_uuid LIMIT @limit`,
  )
  const nextDue = db
    .prepare<{ now: number }, number>(
      `SELECT due_at FROM touched_record WHERE due_at > @now AND ${mine('touched_record')} ORDER BY due_at LIMIT 1`,
    )
    .pluck()
  const postpone = db.prepare(
    `UPDATE touched_record SET due_at = @dueAt, tries = tries + 1
     WHERE account_uuid = @accountUuid AND object = @object AND record_uuid = @recordUuid AND turn = @turn`,
  )
  const postponeAll = db.prepare(
    'UPDATE touched_record SET due_at = @until WHERE account_uuid = @accountUuid AND due_at < @until',
  )
  return {
    dueTouched: db.read(function* (now, { limit, perAccount }) {
      return (yield* due.all({ now, perAccount, limit })).map(touchedOfRow)
    }),
    dueTouchedOf: db.read(function* (accountUuid, object, now, limit) {
      return (yield* dueOf.all({ accountUuid, object, now, limit })).map(touchedOfRow)
    }),
    nextTouchedDueAt: db.read(function* (now) {
      return (yield* nextDue.get({ now })) ?? null
    }),
    async postponeTouched({ accountUuid, object, recordUuid, turn }, dueAt) {
      await writeTurn.run(() => postpone.run({ dueAt, accountUuid, object, recordUuid, turn }))
    },
    async postponeAllTouched(accountUuid, until) {
      await writeTurn.run(() => postponeAll.run({ accountUuid, until }))
    },
  } satisfies Partial<TriggerStore>
}

/** Stores the result of an evaluation or a poll. */
function settledPolls({ db, turn: writeTurn }: Connections, rows: Rows) {
  const OF_RECORD = 'WHERE account_uuid = @accountUuid AND object = @object AND record_uuid = @recordUuid'
  // A record that came back begins with turn 1 again: its first moment tells that it is another one.
  const turnOf = db
    .prepare<{ accountUuid: string; object: string; recordUuid: string; firstAt: number }, number>(
      `SELECT turn FROM touched_record ${OF_RECORD} AND first_at = @firstAt`,
    )
    .pluck()
  const endTouched = db.prepare(`DELETE FROM touched_record ${OF_RECORD}`)
  // It may have been saved again meanwhile. A creation that was judged is over: else the next look would see it again.
  const goOn = db.prepare(
    `UPDATE touched_record SET tries = 0, created = CASE WHEN @wasNew = 1 THEN 0 ELSE created END ${OF_RECORD}`,
  )

  const dropSnapshot = db.prepare(`DELETE FROM record_snapshot ${OF_RECORD}`)
  const setNext = db.prepare('UPDATE automation SET next_run_at = @nextRunAt WHERE id = @id')

  type Seen = Pick<Evaluation, 'touched' | 'snapshot'>
  function* keepSeen(accountUuid: string, { touched: { object, recordUuid }, snapshot }: Seen, now: number) {
    if (snapshot === null) yield* dropSnapshot.run({ accountUuid, object: `rules:${object}`, recordUuid })
    else if (snapshot !== 'none') yield* rows.keep(accountUuid, object, snapshot, now)
  }

  return {
    settleTouched: (accountUuid, { touched, snapshot, verdicts, requests }, now) =>
      writeTurn.run(function* () {
        const { object, recordUuid, turn, firstAt } = touched
        const turnNow = yield* turnOf.get({ accountUuid, object, recordUuid, firstAt })
        // Another instance settled it: what it stored is newer.
        if (turnNow === undefined) return []
        yield* keepSeen(accountUuid, { touched, snapshot }, now)
        for (const verdict of verdicts) yield* rows.note(accountUuid, verdict, null, now)
        const started = yield* rows.start(accountUuid, requests, now)
        if (turnNow === turn) yield* endTouched.run({ accountUuid, object, recordUuid })
        else yield* goOn.run({ accountUuid, object, recordUuid, wasNew: wasJudgedNew(touched, snapshot) })
        return started
      }),
    settlePoll: db.write(function* (accountUuid, tick, now) {
      const rule = yield* rows.rule(tick.automationId, accountUuid, tick.version)
      if (!rule || rule.nextRunAt !== tick.expected) return null
      yield* setNext.run({ nextRunAt: tick.nextRunAt, id: tick.automationId })
      for (const verdict of tick.verdicts) yield* rows.note(accountUuid, verdict, null, now)
      return yield* rows.start(accountUuid, tick.requests, now)
    }),
  } satisfies Partial<TriggerStore>
}

function wasJudgedNew({ created }: TouchedRecord, snapshot: Evaluation['snapshot']): 0 | 1 {
  return created && snapshot !== null && snapshot !== 'none' ? 1 : 0
}

/** Earlier firings and writes that an evaluation needs to know. */
function firedBefore({ db }: Connections, clock: Clock): Pick<TriggerStore, 'ownWrites' | 'recentRuns' | 'doneBefore'> {
  const writesOn = db.prepare<{ accountUuid: string; object: string; recordUuid: string; since: number }, OwnWrite>(
    `SELECT field, value, run_id AS runId, automation_id AS automationId, hop, at FROM own_write
     WHERE account_uuid = @accountUuid AND object = @object AND record_uuid = @recordUuid AND at >= @since`,
  )

  const inLedger = db.prepare<
    { automationId: number; recordUuid: string; occurrence: string; now: number },
    DoneFiring
  >(
    `SELECT record_uuid AS recordUuid, run_id AS runId, at FROM seen_ledger
     WHERE automation_id = @automationId AND record_uuid = @recordUuid AND occurrence = @occurrence
       AND (expires_at IS NULL OR expires_at > @now)`,
  )
  const runsOn = db
    .prepare<{ accountUuid: string; recordUuid: string; automationId: number; since: number }, number>(
      `SELECT created_at FROM run WHERE account_uuid = @accountUuid AND record_uuid = @recordUuid
       AND automation_id = @automationId AND created_at >= @since`,
    )
    .pluck()
  const ownedBy = db
    .prepare<{ automationId: number; accountUuid: string }, 1>(
      'SELECT 1 FROM automation WHERE id = @automationId AND account_uuid = @accountUuid',
    )
    .pluck()
  return {
    ownWrites: db.read((accountUuid, object, recordUuid, since) =>
      writesOn.all({ accountUuid, object, recordUuid, since }),
    ),
    recentRuns: db.read((accountUuid, automationId, recordUuid, since) =>
      runsOn.all({ accountUuid, recordUuid, automationId, since }),
    ),
    doneBefore: db.read(function* (accountUuid, automationId, firings) {
      const found = new Map<string, DoneFiring>()
      if ((yield* ownedBy.get({ automationId, accountUuid })) !== 1) return found
      for (const { recordUuid, occurrence } of firings) {
        const done = yield* inLedger.get({ automationId, recordUuid, occurrence, now: clock.now() })
        if (done) found.set(`${recordUuid}|${occurrence}`, done)
      }
      return found
    }),
  }
}

/** Baselines taken when rules are switched on. */
function baselines(connections: Connections, rows: Rows): Pick<TriggerStore, 'automationsToBaseline' | 'noteBaseline'> {
  const { db, mine } = connections
  const watchedByOthers = db
    .prepare<{ accountUuid: string; watchedObject: string }, 1>(
      `SELECT 1 FROM automation
       WHERE account_uuid = @accountUuid AND watched_object = @watchedObject AND active = 1 AND baselined = 1
       AND deleted_at IS NULL AND paused_at IS NULL LIMIT 1`,
    )
    .pluck()
  const isComplete = db.prepare('DELETE FROM poll_cursor WHERE account_uuid = @accountUuid AND source = @source')
  const isWanted = db
    .prepare<{ id: number; activeSince: number }, 1>(
      'SELECT 1 FROM automation WHERE id = @id AND baselined = 0 AND coalesce(active_since, 0) = @activeSince',
    )
    .pluck()
  const beginCursor = db.prepare(
    `INSERT INTO poll_cursor (account_uuid, source, watermark, next_at) VALUES (@accountUuid, @source, '', @now)
     ON CONFLICT DO NOTHING`,
  )
  const setBaselined = db.prepare('UPDATE automation SET baselined = 1 WHERE id = @id')
  const ledgerRow = db.prepare(
    `INSERT INTO seen_ledger (automation_id, record_uuid, occurrence, run_id, at, expires_at)
     VALUES (@automationId, @recordUuid, @occurrence, NULL, @now, NULL)
     ON CONFLICT DO NOTHING`,
  )
  const automations = automationStore(connections)
  const toBaseline = db.prepare<{ limit: number }, { id: number; accountUuid: string }>(
    `SELECT id, account_uuid AS accountUuid FROM automation
     WHERE active = 1 AND baselined = 0 AND deleted_at IS NULL AND paused_at IS NULL AND ${mine('automation')}
     ORDER BY id LIMIT @limit`,
  )

  type Baseline = Parameters<TriggerStore['noteBaseline']>[1]
  function* goesOn(accountUuid: string, { automationId: id, version, activeSince }: Baseline) {
    if (!(yield* rows.rule(id, accountUuid, version))) return false
    return activeSince === undefined || (yield* isWanted.get({ id, activeSince })) !== undefined
  }

  function* moveCursors(accountUuid: string, input: Baseline, alone: boolean, now: number) {
    const { watermark, partial, done } = input
    const [sweep, part] = [`sweep:${input.object}`, `partial:${input.object}`]
    // By it the clean-up finds the snapshots, should the rule be deleted before the end.
    if (!done) return yield* beginCursor.run({ accountUuid, source: sweep, now })
    if (partial) yield* rows.moveCursor(accountUuid, part, watermark, now, now)
    else yield* isComplete.run({ accountUuid, source: part })
    if (alone) yield* rows.moveCursor(accountUuid, sweep, watermark, now, now)
  }

  const listed = db.read((limit: number) => toBaseline.all({ limit }))

  return {
    async automationsToBaseline(limit): Promise<AutomationRow[]> {
      const rows = await listed(limit)
      const rules = await Promise.all(rows.map(({ id, accountUuid }) => automations.findAutomation(accountUuid, id)))
      return rules.filter((rule) => rule !== null)
    },
    noteBaseline: db.write(function* (accountUuid, input, now) {
      const { automationId, object } = input
      if (!(yield* goesOn(accountUuid, input))) return false
      for (const { recordUuid, occurrence } of input.ledger) {
        yield* ledgerRow.run({ automationId, recordUuid, occurrence, now })
      }
      const alone = (yield* watchedByOthers.get({ accountUuid, watchedObject: object })) === undefined
      const put = alone ? rows.keep : rows.seed
      for (const values of input.snapshots) yield* put(accountUuid, object, values, now)
      if (input.watermark !== '') yield* moveCursors(accountUuid, input, alone, now)
      if (input.done) yield* setBaselined.run({ id: automationId })
      return true
    }),
  }
}

/** Sweeps whole lists for changes that events missed. */
function sweepStore({ db, mine }: Connections, rows: Rows) {
  const touchedOf = touchedRows(db)
  // Not while all rules are paused: the watermark waits too, so the first sweep afterwards finds what changed meanwhile.
  const sweeps = db.prepare<{ now: number; limit: number }, Omit<SweepTarget, 'partial'> & { partial: number }>(
    `SELECT rule.account_uuid AS accountUuid, rule.object, account.timezone, coalesce(cursor.watermark, '') AS watermark,
       coalesce(cursor.next_at, 0) AS nextAt,
       EXISTS (SELECT 1 FROM poll_cursor AS part
               WHERE part.account_uuid = rule.account_uuid AND part.source = 'partial:' || rule.object) AS partial
     FROM (SELECT DISTINCT account_uuid, watched_object AS object FROM automation
           WHERE active = 1 AND baselined = 1 AND watched_object IS NOT NULL AND deleted_at IS NULL
             AND paused_at IS NULL) AS rule
     JOIN account ON account.uuid = rule.account_uuid
     LEFT JOIN poll_cursor AS cursor
       ON cursor.account_uuid = rule.account_uuid AND cursor.source = 'sweep:' || rule.object
     WHERE coalesce(cursor.next_at, 0) <= @now AND ${mine('rule')} ORDER BY coalesce(cursor.next_at, 0) LIMIT @limit`,
  )
  const failCursor = db.prepare(
    `INSERT INTO poll_cursor (account_uuid, source, watermark, last_ok_at, last_error, next_at)
     VALUES (@accountUuid, @source, '', NULL, @sentence, @nextAt)
     ON CONFLICT (account_uuid, source) DO UPDATE SET last_error = excluded.last_error, next_at = excluded.next_at`,
  )

  return {
    dueSweeps: db.read(function* (now, limit) {
      return (yield* sweeps.all({ now, limit })).map((row) => ({ ...row, partial: row.partial === 1 }))
    }),
    settleSweep: db.write(function* ({ accountUuid, object }, { records, cursor }, now) {
      for (const { values, touch } of records) {
        // Keeps the snapshot: the evaluation that follows compares with it and then writes the new one.
        if (touch) {
          const { recordUuid } = values
          yield* touchedOf.touch({ accountUuid, object, recordUuid, ...touch, eventSeq: null, at: now, atOnce: false })
        } else yield* rows.keep(accountUuid, object, values, now)
      }
      if (cursor) yield* rows.moveCursor(accountUuid, `sweep:${object}`, cursor.watermark, now, cursor.nextAt)
    }),
    failSweep: db.write(function* ({ accountUuid, object }, { sentence, nextAt }) {
      yield* failCursor.run({ accountUuid, source: `sweep:${object}`, sentence, nextAt })
    }),
  } satisfies Partial<TriggerStore>
}

/** Reads use the read-only connection, so a query delays no rule. */
export function verdictStore({ reader }: Connections): VerdictStore {
  const verdicts = reader.prepare<{ accountUuid: string; recordUuid: string }, StoredVerdict>(
    `SELECT v.automation_id AS automationId, v.verdict, v.at, v.detail, v.run_id AS runId
     FROM rule_verdict v JOIN automation a ON a.id = v.automation_id AND a.account_uuid = v.account_uuid
     WHERE v.account_uuid = @accountUuid AND v.record_uuid = @recordUuid AND a.deleted_at IS NULL`,
  )
  // The newest entry of each rule.
  const ledger = reader.prepare<{ accountUuid: string; recordUuid: string }, LedgerEntry>(
    `SELECT automationId, runId, at FROM (
       SELECT l.automation_id AS automationId, l.run_id AS runId, l.at,
         row_number() OVER (PARTITION BY l.automation_id ORDER BY l.at DESC, l.occurrence) AS place
       FROM automation a JOIN seen_ledger l ON l.automation_id = a.id
       WHERE a.account_uuid = @accountUuid AND a.deleted_at IS NULL AND l.record_uuid = @recordUuid) AS entries
     WHERE place = 1`,
  )
  const upcoming = reader
    .prepare<{ accountUuid: string; now: number; limit: number; after: number | null }, number>(
      `SELECT id FROM run INDEXED BY runs_to_do
       WHERE account_uuid = @accountUuid AND state IN ('queued', 'running', 'waiting') AND state <> 'running'
       AND wake_at > @now AND (CAST(@after AS bigint) IS NULL
         OR (wake_at, id) > (SELECT a.wake_at, a.id FROM run a WHERE a.id = @after AND a.account_uuid = @accountUuid))
       ORDER BY wake_at, id LIMIT @limit`,
    )
    .pluck()
  return {
    verdictsOn: reader.read((accountUuid, recordUuid) => verdicts.all({ accountUuid, recordUuid })),
    ledgerOn: reader.read((accountUuid, recordUuid) => ledger.all({ accountUuid, recordUuid })),
    upcomingRuns: reader.read((accountUuid, now, limit, after = null) =>
      upcoming.all({ accountUuid, now, limit, after }),
    ),
  }
}
