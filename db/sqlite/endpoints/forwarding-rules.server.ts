import { and, asc, eq, isNull, type SQL, sql } from 'drizzle-orm'
import type { Clock } from '#app/lib/clock.ts'
import { endpoint, forwardingRule, subscription } from '../../schema.ts'
import type { ForwardingRuleRecord, ForwardingRuleRow, ForwardingRuleStore } from '../../store/forwarding-rules.ts'
import type { Client } from '../client.server.ts'
import { changeEndpoint, endEndpoint, insertEndpoint } from './endpoint-changes.server.ts'
import { ACTIVE_SUBSCRIPTION, endpointFactsReader } from './endpoint-facts.server.ts'
import { endSubscriptionsOf, switchSubscriptionIn, type Writer } from './subscriptions.server.ts'

/** Forwarding rules with their endpoints. Every change that belongs together is one transaction. */
export function forwardingRuleStore({ db }: Client, clock: Clock): ForwardingRuleStore {
  const reader = ruleReader(db, clock)
  const filters = db
    .select({ objectType: forwardingRule.objectType, fields: endpoint.fieldFilter })
    .from(forwardingRule)
    .innerJoin(endpoint, eq(endpoint.forwardingRuleId, forwardingRule.id))
    .where(and(eq(forwardingRule.accountUuid, sql.placeholder('accountUuid')), isNull(forwardingRule.deletedAt)))
    .orderBy(asc(forwardingRule.id))
    .prepare()
  return {
    async listForwardingRules(accountUuid) {
      return reader.all(accountUuid)
    },

    async listRuleFilters(accountUuid) {
      return filters.all({ accountUuid })
    },

    async findForwardingRule(accountUuid, id) {
      return reader.byId(accountUuid, id)
    },

    async countEndpoints(accountUuid) {
      const row = db
        .select({ count: sql<number>`count(*)` })
        .from(endpoint)
        .where(and(eq(endpoint.accountUuid, accountUuid), sql`${endpoint.state} <> 'deleted'`))
        .get()
      return row?.count ?? 0
    },

    async saveForwardingRule(accountUuid, input) {
      return db.transaction(
        (tx) => {
          const { name, objectType, at } = input
          if (input.subscription) switchSubscriptionIn(tx, accountUuid, input.subscription, at)
          const { id } = tx
            .insert(forwardingRule)
            .values({ accountUuid, name, objectType, createdAt: at, updatedAt: at })
            .returning({ id: forwardingRule.id })
            .get()
          return { id, endpointId: insertEndpoint(tx, accountUuid, { forwardingRuleId: id }, input) }
        },
        { behavior: 'immediate' },
      )
    },

    async updateForwardingRule(accountUuid, id, { name, subscription: next, ...change }) {
      return db.transaction(
        (tx) => {
          const found = liveRule(tx, accountUuid, id)
          if (!found) return null
          if (next) switchSubscriptionIn(tx, accountUuid, next, change.at)
          tx.update(forwardingRule)
            .set({ ...(name !== undefined && { name }), updatedAt: change.at })
            .where(eq(forwardingRule.id, id))
            .run()
          changeEndpoint(tx, found.endpoint, change)
          return { endpointId: found.endpoint.id }
        },
        { behavior: 'immediate' },
      )
    },

    async deleteForwardingRule(accountUuid, id, { reason, endSubscriptions, at }) {
      return db.transaction(
        (tx) => {
          const found = liveRule(tx, accountUuid, id)
          if (!found) return null
          const { rule, endpoint: itsEndpoint } = found
          tx.update(forwardingRule).set({ deletedAt: at, updatedAt: at }).where(eq(forwardingRule.id, id)).run()
          endEndpoint(tx, itsEndpoint.id, { reason, at })
          const ended = endSubscriptions ? endSubscriptionsOf(tx, accountUuid, rule.objectType, at) : []
          return { endpointId: itsEndpoint.id, objectType: rule.objectType, ended }
        },
        { behavior: 'immediate' },
      )
    },
  }
}

/** The rule and its endpoint, unless it is deleted or somebody else's. */
function liveRule(tx: Writer, accountUuid: string, id: number) {
  return tx
    .select({ rule: forwardingRule, endpoint })
    .from(forwardingRule)
    .innerJoin(endpoint, eq(endpoint.forwardingRuleId, forwardingRule.id))
    .where(
      and(eq(forwardingRule.accountUuid, accountUuid), eq(forwardingRule.id, id), isNull(forwardingRule.deletedAt)),
    )
    .get()
}

/** Rules with everything a card shows: all of an account, and one by its id. */
function ruleReader(db: Client['db'], clock: Clock) {
  const { placeholder } = sql
  const select = (condition?: SQL) =>
    db
      .select({ rule: forwardingRule, endpoint, subscription })
      .from(forwardingRule)
      .innerJoin(endpoint, eq(endpoint.forwardingRuleId, forwardingRule.id))
      .leftJoin(subscription, ACTIVE_SUBSCRIPTION)
      .where(
        and(eq(forwardingRule.accountUuid, placeholder('accountUuid')), isNull(forwardingRule.deletedAt), condition),
      )
      .orderBy(asc(forwardingRule.id))
      .prepare()
  const all = select()
  const byId = select(eq(forwardingRule.id, placeholder('id')))
  const factsAt = endpointFactsReader(db)
  const read = (rows: ReturnType<typeof all.all>): ForwardingRuleRecord[] => {
    const factsOf = factsAt(clock.now())
    return rows.map((row) => ({ rule: toRuleRow(row.rule), ...factsOf(row) }))
  }
  return {
    all: (accountUuid: string) => read(all.all({ accountUuid })),
    byId: (accountUuid: string, id: number) => read(byId.all({ accountUuid, id }))[0] ?? null,
  }
}

function toRuleRow({
  id,
  accountUuid,
  name,
  objectType,
  createdAt,
  updatedAt,
}: typeof forwardingRule.$inferSelect): ForwardingRuleRow {
  return { id, accountUuid, name, objectType, createdAt, updatedAt }
}
