import { and, asc, desc, eq, gte, isNotNull, isNull, lte, min, type SQL, sql as template } from 'drizzle-orm'
import type { RuleDefinition, TriggerSource } from '#app/domain/automations/rule.ts'
import type { Reason } from '#app/domain/reason.ts'
import type { Step } from '../../database.ts'
import { built, change, many, type Orm, one } from '../../orm.ts'
import { automation, automationVersion } from '../../schema.ts'
import type { AutomationChange, AutomationRow, AutomationStore, DeletedAutomation } from '../../store/automations.ts'
import type { Connections } from '../connections.ts'
import { RUN_REASON, reasonOf, selectReason, setReason, storedReason } from '../reasons.server.ts'
import { IS_PLACEHOLDER } from '../runs/run-rows.server.ts'

const { placeholder } = template

type Row = typeof automation.$inferSelect

const IN_ACCOUNT = eq(automation.accountUuid, placeholder('accountUuid'))

/** Rules and their versions. A version is written once and never changes: running runs and the history read it. */
export function automationStore({ db, orm, mine, lock }: Connections): AutomationStore {
  const RUNNING = and(eq(automation.active, 1), isNull(automation.deletedAt), isNull(automation.pausedAt))
  const cancelUnbegun = db.prepare(
    `UPDATE run SET state = 'done', outcome = 'cancelled', ${setReason(RUN_REASON)}, ended_at = @at
     WHERE automation_id = @id AND state = @was
       AND NOT EXISTS (SELECT 1 FROM run_step s WHERE s.run_id = run.id AND NOT (${IS_PLACEHOLDER}))`,
  )
  const forgetPlaceholders = db.prepare(
    `DELETE FROM run_step WHERE ${IS_PLACEHOLDER} AND run_id IN (
       SELECT id FROM run WHERE automation_id = @id AND state = 'done' AND outcome = 'cancelled' AND ended_at = @at)`,
  )
  const reviveUnbegun = db.prepare(
    `UPDATE run SET state = @was, outcome = NULL, ${setReason(RUN_REASON)}, ended_at = NULL
     WHERE automation_id = @id AND state = 'done' AND outcome = 'cancelled' AND ended_at = @deletedAt
       AND ${selectReason(RUN_REASON)} = @deletedReason`,
  )
  // Until the commit, so that numbers rise in the order of commits: who has made one sees all with lower numbers.
  const oneAtATime = db.prepare<{ accountUuid: string }, 1>(
    `SELECT 1 FROM account a WHERE a.uuid = @accountUuid ${lock('a')}`,
  )
  const rules = (condition?: SQL) => orm.select().from(automation).where(condition)
  const inAccount = (...conditions: (SQL | undefined)[]) => rules(and(IN_ACCOUNT, ...conditions))
  const withId = eq(automation.id, placeholder('id'))
  const isMine = template.raw(mine('automation'))
  // Every event, tick and step runs these queries: building their SQL each time costs more than running them.
  const deletedSince = built(() => inAccount(withId, gte(automation.deletedAt, placeholder('since'))))
  const watching = built(() =>
    inAccount(eq(automation.watchedObject, placeholder('object')), RUNNING).orderBy(asc(automation.id)),
  )
  const onMessages = built(() =>
    inAccount(eq(automation.triggerSource, 'webhook'), isNull(automation.watchedObject), RUNNING).orderBy(
      asc(automation.id),
    ),
  )
  const due = built(() =>
    rules(and(RUNNING, lte(automation.nextRunAt, placeholder('now')), isMine))
      .orderBy(asc(automation.nextRunAt), asc(automation.id))
      .limit(placeholder('limit')),
  )
  const planned = and(RUNNING, isNotNull(automation.nextRunAt), isMine)
  const earliest = { at: min(automation.nextRunAt) }
  const nextDue = built(() => orm.select(earliest).from(automation).where(planned))
  const found = built(() => inAccount(isNull(automation.deletedAt), withId))
  const size = db.prepare<{ accountUuid: string }, { count: number; characters: number }>(
    `SELECT count(*) AS count, coalesce(sum(length(definition)), 0) AS characters
     FROM automation WHERE account_uuid = @accountUuid AND deleted_at IS NULL`,
  )
  const owes = db
    .prepare<{ accountUuid: string }, number>('SELECT repeats_told FROM account WHERE uuid = @accountUuid')
    .pluck()
  const forget = db.prepare('DELETE FROM seen_ledger WHERE automation_id = @id AND run_id IS NULL')
  const dismiss = db.prepare('UPDATE account SET repeats_told = 1 WHERE uuid = @accountUuid')
  const ofAccount = (accountUuid: string) => and(eq(automation.accountUuid, accountUuid), isNull(automation.deletedAt))

  return {
    listAutomations: db.read(function* (accountUuid) {
      return (yield* many(rules(ofAccount(accountUuid)).orderBy(desc(automation.id)))).map(ruleRow)
    }),

    findAutomation: db.read(function* (accountUuid, id) {
      const row = yield* one(found, { accountUuid, id })
      return row ? ruleRow(row) : null
    }),

    sizeOfAutomations: db.read(function* (accountUuid) {
      return (yield* size.get({ accountUuid })) ?? { count: 0, characters: 0 }
    }),

    createAutomation: db.write(function* (
      accountUuid,
      { name, definition, active, nextRunAt, baselined, triggerKey, at },
    ) {
      yield* oneAtATime.get({ accountUuid })
      const { id } = yield* one(
        orm
          .insert(automation)
          .values({
            accountUuid,
            name,
            active: active ? 1 : 0,
            ...triggerColumns(definition),
            version: 1,
            definition: JSON.stringify(definition),
            ...keyColumns(triggerKey),
            nextRunAt,
            activeSince: active ? at : null,
            baselined: baselined ? 1 : 0,
            executionCount: 0,
            createdAt: at,
            updatedAt: at,
          })
          .returning({ id: automation.id }),
      )
      yield* saveVersion(orm, { id, version: 1, name, definition: JSON.stringify(definition), at })
      return id
    }),

    changeAutomation: db.write(function* (accountUuid, id, wanted) {
      const before = yield* one(found, { accountUuid, id })
      if (!before || (wanted.ifVersion ?? before.version) !== before.version) return null
      if (wanted.forgetsBaseline) yield* forget.run({ id })
      const columns = changedColumns(before, wanted)
      const row = yield* one(orm.update(automation).set(columns).where(eq(automation.id, id)).returning())
      const { version, name, definition } = row
      if (version !== before.version) yield* saveVersion(orm, { id, version, name, definition, at: wanted.at })
      return ruleRow(row)
    }),

    deleteAutomation: db.write(function* (accountUuid, id, { reason, at }) {
      const mine = and(ofAccount(accountUuid), eq(automation.id, id))
      // `activeSince` and `nextRunAt` stay: whether an undo switches it on again, and whether one that runs once has run.
      const gone = { active: 0, triggerKeyHash: null, deletedAt: at, updatedAt: at }
      const deleted = yield* change(orm.update(automation).set(gone).where(mine))
      if (deleted.changes === 0) return false
      for (const was of UNBEGUN) yield* cancelUnbegun.run({ reason: storedReason(noting(reason, was)), at, id, was })
      yield* forgetPlaceholders.run({ id, at })
      return true
    }),

    findDeletedAutomation: db.read(function* (accountUuid, id, since) {
      const row = yield* one(deletedSince, { accountUuid, id, since })
      return row ? deletedRow(row) : null
    }),

    restoreAutomation: db.write(function* (accountUuid, id, { since, deletedReason, reason, at, ...columns }) {
      const before = yield* one(deletedSince, { accountUuid, id, since })
      if (!before) return null
      const active = before.activeSince === null ? 0 : 1
      const changed = { ...columns, active, deletedAt: null, updatedAt: at }
      const row = yield* one(orm.update(automation).set(changed).where(eq(automation.id, id)).returning())
      for (const was of UNBEGUN) {
        const asDeleted = storedReason(noting(deletedReason, was))
        const revived = { id, was, deletedAt: before.deletedAt, deletedReason: asDeleted }
        yield* reviveUnbegun.run({ ...revived, reason: storedReason(reason) })
      }
      return ruleRow(row)
    }),

    owesRepeatNotice: db.read(function* (accountUuid) {
      return (yield* owes.get({ accountUuid })) === 0
    }),

    dismissRepeatNotice: db.write(function* (accountUuid) {
      yield* dismiss.run({ accountUuid })
    }),

    findAutomationByTriggerKey: db.read(function* (keyHash) {
      const row = yield* one(rules(and(eq(automation.triggerKeyHash, keyHash), isNull(automation.deletedAt))))
      return row ? ruleRow(row) : null
    }),

    automationsWatching: db.read(function* (accountUuid, object) {
      return (yield* many(watching, { accountUuid, object })).map(ruleRow)
    }),

    automationsOnMessages: db.read(function* (accountUuid) {
      return (yield* many(onMessages, { accountUuid })).map(ruleRow)
    }),

    dueAutomations: db.read(function* (now, limit) {
      return (yield* many(due, { now, limit })).map(ruleRow)
    }),

    nextAutomationDueAt: db.read(function* () {
      return (yield* one(nextDue))?.at ?? null
    }),
  }
}

/** States of a run that has not begun. */
const UNBEGUN = ['queued', 'waiting', 'held'] as const

/** Remembers the state that the deletion ended. */
function noting(reason: Reason, was: (typeof UNBEGUN)[number]): Reason {
  return typeof reason === 'string' ? reason : { ...reason, params: { ...reason.params, was } }
}

function deletedRow(row: Row): DeletedAutomation {
  return { ...ruleRow(row), active: row.activeSince !== null, deletedAt: row.deletedAt ?? 0 }
}

function* saveVersion(
  orm: Orm,
  { id, version, name, definition, at }: { id: number; version: number; name: string; definition: string; at: number },
): Step<void> {
  yield* change(orm.insert(automationVersion).values({ automationId: id, version, name, definition, createdAt: at }))
}

const ON_MESSAGES = ['customer_replied', 'message_opened', 'message_failed']

function triggerColumns({ trigger }: RuleDefinition): Pick<Row, 'triggerSource' | 'watchedObject' | 'atOnce'> {
  // What becomes of messages is no event of the platform.
  const onEvents = trigger.source === 'webhook' && !ON_MESSAGES.includes(trigger.type)
  return {
    triggerSource: trigger.source,
    watchedObject: onEvents ? trigger.object : null,
    atOnce: onEvents && trigger.atOnce ? 1 : 0,
  }
}

/** Only the changed columns, and those that depend on them. */
function changedColumns(before: Row, change: AutomationChange): Partial<Row> {
  const definition = change.definition && JSON.stringify(change.definition)
  const says =
    (change.name !== undefined && change.name !== before.name) ||
    (definition !== undefined && definition !== before.definition)
  return {
    updatedAt: change.at,
    ...(change.name !== undefined && { name: change.name }),
    ...(change.definition && { definition, ...triggerColumns(change.definition) }),
    ...(says && { version: before.version + 1 }),
    ...(change.active !== undefined && activeColumns(before, change.active, change.at)),
    ...(change.nextRunAt !== undefined && { nextRunAt: change.nextRunAt }),
    ...(change.baselined !== undefined && { baselined: change.baselined ? 1 : 0 }),
    ...(change.pausedReason !== undefined && pauseColumns(change.pausedReason, change.at)),
    ...(change.triggerKey !== undefined && keyColumns(change.triggerKey)),
  }
}

function activeColumns(before: Row, active: boolean, at: number): Pick<Row, 'active' | 'activeSince'> {
  if (!active) return { active: 0, activeSince: null }
  return { active: 1, activeSince: before.active === 1 ? before.activeSince : at }
}

function keyColumns(key: { hash: string; sealed: string } | null | undefined) {
  return { triggerKeyHash: key?.hash ?? null, triggerKeySealed: key?.sealed ?? null }
}

function pauseColumns(reason: Reason | null, at: number): Partial<Row> {
  const coded = typeof reason === 'string' ? null : reason
  return {
    pausedReason: typeof reason === 'string' ? reason : null,
    pausedReasonCode: coded?.code ?? null,
    pausedReasonParams: coded?.params ? JSON.stringify(coded.params) : null,
    pausedAt: reason === null ? null : at,
  }
}

/** A rule in the store's format. */
function ruleRow(stored: Row): AutomationRow {
  const { atOnce: _a, triggerKeyHash: _k, deletedAt: _d, pausedReasonCode, pausedReasonParams, ...row } = stored
  return {
    ...row,
    active: row.active === 1,
    triggerSource: row.triggerSource as TriggerSource,
    definition: JSON.parse(row.definition) as RuleDefinition,
    baselined: row.baselined === 1,
    pausedReason: reasonOf(row.pausedReason, pausedReasonCode, pausedReasonParams),
  }
}
