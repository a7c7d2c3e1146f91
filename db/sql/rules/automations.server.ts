import { and, asc, desc, eq, isNotNull, isNull, lte, min, sql as template } from 'drizzle-orm'
import type { RuleDefinition, TriggerSource } from '#app/domain/automations/rule.ts'
import type { Reason } from '#app/domain/reason.ts'
import { automation, automationVersion } from '../../schema.ts'
import type { AutomationChange, AutomationRow, AutomationStore } from '../../store/automations.ts'
import type { Client, Db } from '../../sqlite/client.server.ts'
import { RUN_REASON, reasonOf, setReason, storedReason } from '../reasons.server.ts'

const { placeholder } = template

type Row = typeof automation.$inferSelect
type Writer = Parameters<Parameters<Db['transaction']>[0]>[0]

/** Rules and their versions. A version is written once and never changes: running runs and the history read it. */
export function automationStore({ db, sql }: Client): AutomationStore {
  const RUNNING = and(eq(automation.active, 1), isNull(automation.deletedAt), isNull(automation.pausedAt))
  const cancelUnbegun = sql.prepare(
    `UPDATE run SET state = 'done', outcome = 'cancelled', ${setReason(RUN_REASON)}, ended_at = @at
     WHERE automation_id = @id AND state IN ('queued', 'waiting', 'held')
       AND NOT EXISTS (SELECT 1 FROM run_step s WHERE s.run_id = run.id)`,
  )
  // Every event, tick and step runs these queries: building their SQL each time costs more than running them.
  const watching = db
    .select()
    .from(automation)
    .where(
      and(
        eq(automation.accountUuid, placeholder('accountUuid')),
        eq(automation.watchedObject, placeholder('object')),
        RUNNING,
      ),
    )
    .orderBy(asc(automation.id))
    .prepare()
  const due = db
    .select()
    .from(automation)
    .where(and(RUNNING, lte(automation.nextRunAt, placeholder('now'))))
    .orderBy(asc(automation.nextRunAt), asc(automation.id))
    .limit(placeholder('limit'))
    .prepare()
  const nextDue = db
    .select({ at: min(automation.nextRunAt) })
    .from(automation)
    .where(and(RUNNING, isNotNull(automation.nextRunAt)))
    .prepare()
  const found = db
    .select()
    .from(automation)
    .where(
      and(
        eq(automation.accountUuid, placeholder('accountUuid')),
        isNull(automation.deletedAt),
        eq(automation.id, placeholder('id')),
      ),
    )
    .prepare()
  const foundVersion = db
    .select({ name: automationVersion.name, definition: automationVersion.definition })
    .from(automationVersion)
    .innerJoin(automation, eq(automation.id, automationVersion.automationId))
    .where(
      and(
        eq(automation.accountUuid, placeholder('accountUuid')),
        eq(automationVersion.automationId, placeholder('id')),
        eq(automationVersion.version, placeholder('version')),
      ),
    )
    .prepare()
  const size = sql.prepare<{ accountUuid: string }, { count: number; characters: number }>(
    `SELECT count(*) AS count, coalesce(sum(length(definition)), 0) AS characters
     FROM automation WHERE account_uuid = @accountUuid AND deleted_at IS NULL`,
  )
  const owes = sql
    .prepare<{ accountUuid: string }, number>('SELECT repeats_told FROM account WHERE uuid = @accountUuid')
    .pluck()
  const dismiss = sql.prepare('UPDATE account SET repeats_told = 1 WHERE uuid = @accountUuid')
  const ofAccount = (accountUuid: string) => and(eq(automation.accountUuid, accountUuid), isNull(automation.deletedAt))
  return {
    async listAutomations(accountUuid) {
      return db.select().from(automation).where(ofAccount(accountUuid)).orderBy(desc(automation.id)).all().map(ruleRow)
    },

    async findAutomation(accountUuid, id) {
      const row = found.get({ accountUuid, id })
      return row ? ruleRow(row) : null
    },

    async sizeOfAutomations(accountUuid) {
      return size.get({ accountUuid }) ?? { count: 0, characters: 0 }
    },

    async createAutomation(accountUuid, { name, definition, active, nextRunAt, baselined, triggerKey, at }) {
      return db.transaction(
        (tx) => {
          const { id } = tx
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
            .returning({ id: automation.id })
            .get()
          saveVersion(tx, { id, version: 1, name, definition: JSON.stringify(definition), at })
          return id
        },
        { behavior: 'immediate' },
      )
    },

    async changeAutomation(accountUuid, id, change) {
      return db.transaction(
        (tx) => {
          const before = found.get({ accountUuid, id })
          if (!before) return null
          const columns = changedColumns(before, change)
          const row = tx.update(automation).set(columns).where(eq(automation.id, id)).returning().get()
          const { version, name, definition } = row
          if (version !== before.version) saveVersion(tx, { id, version, name, definition, at: change.at })
          return ruleRow(row)
        },
        { behavior: 'immediate' },
      )
    },

    async deleteAutomation(accountUuid, id, { reason, at }) {
      return db.transaction(
        (tx) => {
          const deleted = tx
            .update(automation)
            .set({ active: 0, activeSince: null, nextRunAt: null, triggerKeyHash: null, deletedAt: at, updatedAt: at })
            .where(and(ofAccount(accountUuid), eq(automation.id, id)))
            .run().changes
          if (deleted === 0) return false
          cancelUnbegun.run({ reason: storedReason(reason), at, id })
          return true
        },
        { behavior: 'immediate' },
      )
    },

    async findAutomationVersion(accountUuid, id, version) {
      const row = foundVersion.get({ accountUuid, id, version })
      return row ? { name: row.name, definition: JSON.parse(row.definition) as RuleDefinition } : null
    },

    async owesRepeatNotice(accountUuid) {
      return owes.get({ accountUuid }) === 0
    },

    async dismissRepeatNotice(accountUuid) {
      dismiss.run({ accountUuid })
    },

    async findAutomationByTriggerKey(keyHash) {
      const row = db
        .select()
        .from(automation)
        .where(and(eq(automation.triggerKeyHash, keyHash), isNull(automation.deletedAt)))
        .get()
      return row ? ruleRow(row) : null
    },

    async automationsWatching(accountUuid, object) {
      return watching.all({ accountUuid, object }).map(ruleRow)
    },

    async dueAutomations(now, limit) {
      return due.all({ now, limit }).map(ruleRow)
    },

    async nextAutomationDueAt() {
      return nextDue.get()?.at ?? null
    },
  }
}

function saveVersion(
  tx: Writer,
  { id, version, name, definition, at }: { id: number; version: number; name: string; definition: string; at: number },
): void {
  tx.insert(automationVersion).values({ automationId: id, version, name, definition, createdAt: at }).run()
}

function triggerColumns({ trigger }: RuleDefinition): Pick<Row, 'triggerSource' | 'watchedObject'> {
  return { triggerSource: trigger.source, watchedObject: trigger.source === 'webhook' ? trigger.object : null }
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
function ruleRow(row: Row): AutomationRow {
  return {
    id: row.id,
    accountUuid: row.accountUuid,
    name: row.name,
    active: row.active === 1,
    triggerSource: row.triggerSource as TriggerSource,
    watchedObject: row.watchedObject,
    version: row.version,
    definition: JSON.parse(row.definition) as RuleDefinition,
    triggerKeySealed: row.triggerKeySealed,
    nextRunAt: row.nextRunAt,
    activeSince: row.activeSince,
    baselined: row.baselined === 1,
    pausedReason: reasonOf(row.pausedReason, row.pausedReasonCode, row.pausedReasonParams),
    pausedAt: row.pausedAt,
    executionCount: row.executionCount,
    lastExecutedAt: row.lastExecutedAt,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}
