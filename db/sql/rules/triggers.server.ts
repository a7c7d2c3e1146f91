// What triggers rules: touched records, polled lists, and baselines taken when rules are switched on.
import type { RunRequest, StartedRun } from '#app/domain/automations/run.ts'
import type { Clock } from '#app/lib/clock.ts'
import type { AutomationRow } from '../../store/automations.ts'
import type { RecordValues } from '../../store/records.ts'
import type {
  DoneFiring,
  NewVerdict,
  OwnWrite,
  SweepTarget,
  TouchedRecord,
  TriggerStore,
} from '../../store/triggers.ts'
import type { Client } from '../../sqlite/client.server.ts'
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

export function triggerStore(client: Client, _clock: Clock): TriggerStore {
  const rows = triggerRows(client)
  return {
    ...waitingRecords(client),
    ...settledPolls(client, rows),
    ...firedBefore(client),
    ...baselines(client, rows),
    ...sweepStore(client, rows),
  }
}

type Rows = ReturnType<typeof triggerRows>

/** Writes shared by the operations below. Call inside a transaction. */
function triggerRows({ sql }: Client) {
  const startRuns = insertRuns(sql)
  const keepSnapshot = sql.prepare(
    `INSERT INTO record_snapshot (account_uuid, object, record_uuid, edit_date, fields, first_seen_at, updated_at)
     VALUES (@accountUuid, @object, @recordUuid, @editDate, @fields, @now, @now)
     ON CONFLICT (account_uuid, object, record_uuid)
     DO UPDATE SET edit_date = excluded.edit_date, fields = excluded.fields, updated_at = excluded.updated_at`,
  )
  const seedSnapshot = sql.prepare(
    `INSERT INTO record_snapshot (account_uuid, object, record_uuid, edit_date, fields, first_seen_at, updated_at)
     VALUES (@accountUuid, @object, @recordUuid, @editDate, @fields, @now, @now) ON CONFLICT DO NOTHING`,
  )
  const putVerdict = sql.prepare(
    `INSERT INTO rule_verdict (automation_id, record_uuid, account_uuid, at, verdict, detail, run_id)
     VALUES (@automationId, @recordUuid, @accountUuid, @now, @verdict, @detail, @runId)
     ON CONFLICT (automation_id, record_uuid)
     DO UPDATE SET at = excluded.at, verdict = excluded.verdict, detail = excluded.detail, run_id = excluded.run_id`,
  )
  const ruleAsRead = sql.prepare<{ id: number; accountUuid: string; version: number }, { nextRunAt: number | null }>(
    `SELECT next_run_at AS nextRunAt FROM automation
       WHERE id = @id AND account_uuid = @accountUuid AND version = @version AND active = 1 AND deleted_at IS NULL`,
  )
  const moveCursor = sql.prepare(
    `INSERT INTO poll_cursor (account_uuid, source, watermark, last_ok_at, last_error, next_at)
     VALUES (@accountUuid, @source, @watermark, @now, NULL, @nextAt)
     ON CONFLICT (account_uuid, source)
     DO UPDATE SET watermark = excluded.watermark, last_ok_at = excluded.last_ok_at, last_error = NULL, next_at = excluded.next_at`,
  )
  /** Stores rules' snapshots apart from those of forwarding, which are updated at other times: see `snapshotsOf`. */
  function put(statement: typeof keepSnapshot, accountUuid: string, object: string, values: RecordValues, now: number) {
    const { recordUuid, editDate, fields } = values
    statement.run({ accountUuid, object: `rules:${object}`, recordUuid, editDate, fields: JSON.stringify(fields), now })
  }

  function note(accountUuid: string, verdict: NewVerdict, runId: number | null, now: number): void {
    putVerdict.run({ ...verdict, accountUuid, now, runId })
  }

  /** Starts the runs and stores each record's verdict. */
  function start(accountUuid: string, requests: readonly RunRequest[], now: number) {
    const started = startRuns(accountUuid, requests, now)
    requests.forEach((request, index) => {
      const answer = started[index]
      if (!answer) return
      const { automationId, held } = request
      const runId = answer.outcome === 'started' ? answer.runId : null
      const detail = held === null ? null : JSON.stringify({ reason: held })
      const verdict = verdictOf(answer, request)
      for (const recordUuid of request.recordUuids) {
        note(accountUuid, { automationId, recordUuid, verdict, detail }, runId, now)
      }
    })
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
      void moveCursor.run({ accountUuid, source, watermark, now, nextAt }),
    note,
    start,
  }
}

function verdictOf({ outcome }: StartedRun, { held }: RunRequest): NewVerdict['verdict'] {
  if (outcome !== 'started') return 'done_before'
  return held === null ? 'fired' : 'held'
}

type Waiting = 'dueTouched' | 'dueTouchedOf' | 'nextTouchedDueAt' | 'postponeTouched' | 'postponeAllTouched'

/** Touched records waiting for evaluation. */
function waitingRecords(client: Client): Pick<TriggerStore, Waiting> {
  const { sql } = client
  // Numbers the rows within each account, so one account's burst does not crowd out the others.
  const due = sql.prepare<{ now: number; perAccount: number; limit: number }, TouchedSqlRow>(
    `SELECT accountUuid, object, recordUuid, changedFields, created, eventSeq, firstAt, dueAt, turn, tries
     FROM (SELECT ${TOUCHED_COLUMNS}, row_number() OVER (PARTITION BY account_uuid ORDER BY due_at) AS place
           FROM touched_record WHERE due_at <= @now)
     WHERE place <= @perAccount ORDER BY place, dueAt LIMIT @limit`,
  )
  const dueOf = sql.prepare<{ accountUuid: string; object: string; now: number; limit: number }, TouchedSqlRow>(
    `SELECT ${TOUCHED_COLUMNS} FROM touched_record WHERE account_uuid = @accountUuid AND object = @object AND due_at <= @now
     ORDER BY due_at, record_uuid LIMIT @limit`,
  )
  const nextDue = sql
    .prepare<{ now: number }, number>('SELECT due_at FROM touched_record WHERE due_at > @now ORDER BY due_at LIMIT 1')
    .pluck()
  const postpone = sql.prepare(
    `UPDATE touched_record SET due_at = @dueAt, tries = tries + 1
     WHERE account_uuid = @accountUuid AND object = @object AND record_uuid = @recordUuid AND turn = @turn`,
  )
  const postponeAll = sql.prepare(
    'UPDATE touched_record SET due_at = @until WHERE account_uuid = @accountUuid AND due_at < @until',
  )
  return {
    async dueTouched(now, { limit, perAccount }) {
      return due.all({ now, perAccount, limit }).map(touchedOfRow)
    },
    async dueTouchedOf(accountUuid, object, now, limit) {
      return dueOf.all({ accountUuid, object, now, limit }).map(touchedOfRow)
    },
    async nextTouchedDueAt(now) {
      return nextDue.get({ now }) ?? null
    },
    async postponeTouched({ accountUuid, object, recordUuid, turn }, dueAt) {
      await client.turn.run(() => postpone.run({ dueAt, accountUuid, object, recordUuid, turn }))
    },
    async postponeAllTouched(accountUuid, until) {
      await client.turn.run(() => postponeAll.run({ accountUuid, until }))
    },
  }
}

/** Stores the result of an evaluation or a poll. */
function settledPolls(client: Client, rows: Rows): Pick<TriggerStore, 'settleTouched' | 'settlePoll'> {
  const { sql } = client
  const endTouched = sql.prepare(
    `DELETE FROM touched_record WHERE account_uuid = @accountUuid AND object = @object
     AND record_uuid = @recordUuid AND turn = @turn`,
  )
  const resetTries = sql.prepare(
    `UPDATE touched_record SET tries = 0
     WHERE account_uuid = @accountUuid AND object = @object AND record_uuid = @recordUuid`,
  )

  const dropSnapshot = sql.prepare(
    'DELETE FROM record_snapshot WHERE account_uuid = @accountUuid AND object = @object AND record_uuid = @recordUuid',
  )
  const setNext = sql.prepare('UPDATE automation SET next_run_at = @nextRunAt WHERE id = @id')
  function settleTouched(...[accountUuid, evaluation, now]: Parameters<TriggerStore['settleTouched']>) {
    const { touched, snapshot, verdicts, requests } = evaluation
    const { object, recordUuid, turn } = touched
    if (snapshot !== null && snapshot !== 'none') rows.keep(accountUuid, object, snapshot, now)
    else if (snapshot === null) dropSnapshot.run({ accountUuid, object: `rules:${object}`, recordUuid })
    for (const verdict of verdicts) rows.note(accountUuid, verdict, null, now)
    const started = rows.start(accountUuid, requests, now)
    if (endTouched.run({ accountUuid, object, recordUuid, turn }).changes === 0)
      resetTries.run({ accountUuid, object, recordUuid })
    return started
  }

  const settlePoll = sql.transaction((...[accountUuid, tick, now]: Parameters<TriggerStore['settlePoll']>) => {
    const rule = rows.rule(tick.automationId, accountUuid, tick.version)
    if (!rule || rule.nextRunAt !== tick.expected) return null
    setNext.run({ nextRunAt: tick.nextRunAt, id: tick.automationId })
    for (const verdict of tick.verdicts) rows.note(accountUuid, verdict, null, now)
    return rows.start(accountUuid, tick.requests, now)
  })

  return {
    async settleTouched(accountUuid, evaluation, now) {
      return client.turn.run(() => settleTouched(accountUuid, evaluation, now))
    },
    async settlePoll(accountUuid, tick, now) {
      return settlePoll.immediate(accountUuid, tick, now)
    },
  }
}

/** Earlier firings and writes that an evaluation needs to know. */
function firedBefore({ sql }: Client): Pick<TriggerStore, 'ownWrites' | 'recentRuns' | 'doneBefore'> {
  const writesOn = sql.prepare<{ accountUuid: string; object: string; recordUuid: string; since: number }, OwnWrite>(
    `SELECT field, value, run_id AS runId, automation_id AS automationId, hop, at FROM own_write
     WHERE account_uuid = @accountUuid AND object = @object AND record_uuid = @recordUuid AND at >= @since`,
  )

  const inLedger = sql.prepare<{ automationId: number; recordUuid: string; occurrence: string }, DoneFiring>(
    `SELECT record_uuid AS recordUuid, run_id AS runId, at FROM seen_ledger
     WHERE automation_id = @automationId AND record_uuid = @recordUuid AND occurrence = @occurrence`,
  )
  const runsOn = sql
    .prepare<{ accountUuid: string; recordUuid: string; automationId: number; since: number }, number>(
      `SELECT created_at FROM run WHERE account_uuid = @accountUuid AND record_uuid = @recordUuid
       AND automation_id = @automationId AND created_at >= @since`,
    )
    .pluck()
  const ownedBy = sql
    .prepare<{ automationId: number; accountUuid: string }, 1>(
      'SELECT 1 FROM automation WHERE id = @automationId AND account_uuid = @accountUuid',
    )
    .pluck()
  return {
    async ownWrites(accountUuid, object, recordUuid, since) {
      return writesOn.all({ accountUuid, object, recordUuid, since })
    },
    async recentRuns(accountUuid, automationId, recordUuid, since) {
      return runsOn.all({ accountUuid, recordUuid, automationId, since })
    },
    async doneBefore(accountUuid, automationId, firings) {
      if (ownedBy.get({ automationId, accountUuid }) !== 1) return new Map()
      return new Map(
        firings.flatMap(({ recordUuid, occurrence }): [string, DoneFiring][] => {
          const done = inLedger.get({ automationId, recordUuid, occurrence })
          return done ? [[`${recordUuid}|${occurrence}`, done]] : []
        }),
      )
    },
  }
}

/** Baselines taken when rules are switched on. */
function baselines(client: Client, rows: Rows): Pick<TriggerStore, 'automationsToBaseline' | 'noteBaseline'> {
  const { sql } = client
  const watchedByOthers = sql
    .prepare<{ accountUuid: string; watchedObject: string }, 1>(
      `SELECT 1 FROM automation
       WHERE account_uuid = @accountUuid AND watched_object = @watchedObject AND active = 1 AND baselined = 1
       AND deleted_at IS NULL LIMIT 1`,
    )
    .pluck()
  const setBaselined = sql.prepare('UPDATE automation SET baselined = 1 WHERE id = @id')
  const ledgerRow = sql.prepare(
    `INSERT INTO seen_ledger (automation_id, record_uuid, occurrence, run_id, at, expires_at)
     VALUES (@automationId, @recordUuid, @occurrence, NULL, @now, NULL)
     ON CONFLICT DO NOTHING`,
  )
  const automations = automationStore(client)
  const toBaseline = sql.prepare<{ limit: number }, { id: number; accountUuid: string }>(
    `SELECT id, account_uuid AS accountUuid FROM automation
     WHERE active = 1 AND baselined = 0 AND deleted_at IS NULL AND paused_at IS NULL ORDER BY id LIMIT @limit`,
  )

  const noteBaseline = sql.transaction((...[accountUuid, input, now]: Parameters<TriggerStore['noteBaseline']>) => {
    if (!rows.rule(input.automationId, accountUuid, input.version)) return false
    for (const { recordUuid, occurrence } of input.ledger) {
      ledgerRow.run({ automationId: input.automationId, recordUuid, occurrence, now })
    }
    const alone = watchedByOthers.get({ accountUuid, watchedObject: input.object }) === undefined
    for (const values of input.snapshots) {
      if (alone) rows.keep(accountUuid, input.object, values, now)
      else rows.seed(accountUuid, input.object, values, now)
    }
    if (!input.done) return true
    if (input.partial) rows.moveCursor(accountUuid, `partial:${input.object}`, input.watermark, now, now)
    if (alone && input.watermark !== '')
      rows.moveCursor(accountUuid, `sweep:${input.object}`, input.watermark, now, now)
    setBaselined.run({ id: input.automationId })
    return true
  })

  return {
    async automationsToBaseline(limit): Promise<AutomationRow[]> {
      const rows = toBaseline.all({ limit })
      const rules = await Promise.all(rows.map(({ id, accountUuid }) => automations.findAutomation(accountUuid, id)))
      return rules.filter((rule) => rule !== null)
    },
    async noteBaseline(accountUuid, input, now) {
      return noteBaseline.immediate(accountUuid, input, now)
    },
  }
}

/** Sweeps whole lists for changes that events missed. */
function sweepStore({ sql }: Client, rows: Rows): Pick<TriggerStore, 'dueSweeps' | 'settleSweep' | 'failSweep'> {
  const touchedOf = touchedRows(sql)
  const sweeps = sql.prepare<{ now: number; limit: number }, Omit<SweepTarget, 'partial'> & { partial: number }>(
    `SELECT rule.account_uuid AS accountUuid, rule.object, account.timezone, coalesce(cursor.watermark, '') AS watermark,
       coalesce(cursor.next_at, 0) AS nextAt,
       EXISTS (SELECT 1 FROM poll_cursor AS part
               WHERE part.account_uuid = rule.account_uuid AND part.source = 'partial:' || rule.object) AS partial
     FROM (SELECT DISTINCT account_uuid, watched_object AS object FROM automation
           WHERE active = 1 AND baselined = 1 AND watched_object IS NOT NULL AND deleted_at IS NULL) AS rule
     JOIN account ON account.uuid = rule.account_uuid
     LEFT JOIN poll_cursor AS cursor
       ON cursor.account_uuid = rule.account_uuid AND cursor.source = 'sweep:' || rule.object
     WHERE coalesce(cursor.next_at, 0) <= @now ORDER BY coalesce(cursor.next_at, 0) LIMIT @limit`,
  )
  const failCursor = sql.prepare(
    `INSERT INTO poll_cursor (account_uuid, source, watermark, last_ok_at, last_error, next_at)
     VALUES (@accountUuid, @source, '', NULL, @sentence, @nextAt)
     ON CONFLICT (account_uuid, source) DO UPDATE SET last_error = excluded.last_error, next_at = excluded.next_at`,
  )

  const settleSweep = sql.transaction((...[target, input, now]: Parameters<TriggerStore['settleSweep']>) => {
    const { accountUuid, object } = target
    for (const { values, touch } of input.records) {
      // Keeps the snapshot: the evaluation that follows compares with it and then writes the new one.
      if (touch) {
        const { recordUuid } = values
        touchedOf.touch({ accountUuid, object, recordUuid, ...touch, eventSeq: null, at: now })
      } else rows.keep(accountUuid, object, values, now)
    }
    if (input.cursor) {
      rows.moveCursor(accountUuid, `sweep:${object}`, input.cursor.watermark, now, input.cursor.nextAt)
    }
  })

  return {
    async dueSweeps(now, limit) {
      return sweeps.all({ now, limit }).map((row) => ({ ...row, partial: row.partial === 1 }))
    },
    async settleSweep(target, input, now) {
      settleSweep.immediate(target, input, now)
    },
    async failSweep({ accountUuid, object }, { sentence, nextAt }) {
      failCursor.run({ accountUuid, source: `sweep:${object}`, sentence, nextAt })
    },
  }
}
