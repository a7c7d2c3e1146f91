// Statements for our subscriptions at the platform. Part of the endpoint store; other statements here share the switch.
import { and, asc, eq, inArray, isNotNull, isNull, or } from 'drizzle-orm'
import type { Millis } from '#app/lib/clock.ts'
import { account, automation, forwardingRule, subscription, webhook } from '../../schema.ts'
import type { EndpointStore, SubscriptionRow, SubscriptionState, SubscriptionSwitch } from '../../store/endpoints.ts'
import type { Client, Db } from '../../sqlite/client.server.ts'
import { noteSubscriptionChange } from './known-ingress.server.ts'

/** A transaction, or the connection itself. */
export type Writer = Pick<Db, 'select' | 'insert' | 'update' | 'delete'>

type SubscriptionStore = Pick<
  EndpointStore,
  | 'listSubscriptions'
  | 'accountsToReconcile'
  | 'beginSubscription'
  | 'dropPendingSubscription'
  | 'switchSubscription'
  | 'updateSubscription'
>

export function toSubscriptionRow(row: typeof subscription.$inferSelect): SubscriptionRow {
  return { ...row, state: row.state as SubscriptionState }
}

/**
 * Makes a subscription the active one of its object; the previous one stays valid until `replacedUntil`, because the
 * platform's retries still use its address. Call inside a transaction. Throws when the subscription is not of this
 * account or was ended meanwhile: that is a bug of the caller.
 */
export function switchSubscriptionIn(tx: Writer, accountUuid: string, input: SubscriptionSwitch, at: Millis): void {
  noteSubscriptionChange()
  const mine = and(eq(subscription.accountUuid, accountUuid), eq(subscription.id, input.id))
  const next = tx.select().from(subscription).where(mine).get()
  if (!next || next.state === 'deleted') throw new Error(`subscription ${input.id} cannot become active`)
  tx.update(subscription)
    .set({ state: 'replaced', stateReason: REPLACED_AT_PLATFORM, endsAt: input.replacedUntil, updatedAt: at })
    .where(
      and(
        eq(subscription.accountUuid, accountUuid),
        eq(subscription.object, next.object),
        eq(subscription.state, 'active'),
      ),
    )
    .run()
  tx.update(subscription)
    .set({ state: 'active', stateReason: null, endsAt: null, fields: input.fields, updatedAt: at })
    .where(mine)
    .run()
}

const STILL_AT_PLATFORM = 'ended here; the platform has not been told yet'

/** Turns the subscriptions of an object no one needs into tombstones. Call inside a transaction. */
export function endSubscriptionsOf(tx: Writer, accountUuid: string, object: string, at: Millis): SubscriptionRow[] {
  noteSubscriptionChange()
  const rows = tx
    .update(subscription)
    .set({ state: 'deleted', stateReason: STILL_AT_PLATFORM, endsAt: null, updatedAt: at })
    .where(
      and(
        eq(subscription.accountUuid, accountUuid),
        eq(subscription.object, object),
        inArray(subscription.state, ['pending', 'active', 'replaced']),
      ),
    )
    .returning()
    .all()
  return rows.map(toSubscriptionRow)
}

/** Until the platform is notified, or its list no longer includes the subscription. */
const REPLACED_AT_PLATFORM = 'replaced; the platform has not been told yet'

export function subscriptionStore({ db }: Client): SubscriptionStore {
  return {
    async listSubscriptions(accountUuid) {
      const rows = db
        .select()
        .from(subscription)
        .where(eq(subscription.accountUuid, accountUuid))
        .orderBy(asc(subscription.id))
        .all()
      return rows.map(toSubscriptionRow)
    },

    async accountsToReconcile() {
      const unsettled = db
        .select({ uuid: subscription.accountUuid })
        .from(subscription)
        .where(or(inArray(subscription.state, ['pending', 'active', 'replaced']), isNotNull(subscription.stateReason)))
      const withWebhooks = db.select({ uuid: webhook.accountUuid }).from(webhook).where(isNull(webhook.deletedAt))
      const withRules = db
        .select({ uuid: forwardingRule.accountUuid })
        .from(forwardingRule)
        .where(isNull(forwardingRule.deletedAt))
      const withAutomations = db
        .select({ uuid: automation.accountUuid })
        .from(automation)
        .where(and(isNull(automation.deletedAt), eq(automation.active, 1), isNotNull(automation.watchedObject)))
      const rows = db
        .select({ uuid: account.uuid })
        .from(account)
        .where(
          or(
            inArray(account.uuid, unsettled),
            inArray(account.uuid, withWebhooks),
            inArray(account.uuid, withRules),
            inArray(account.uuid, withAutomations),
          ),
        )
        .orderBy(asc(account.uuid))
        .all()
      return rows.map((row) => row.uuid)
    },

    async beginSubscription(accountUuid, { object, fields, tokenHash, tokenSealed, at }) {
      const row = db
        .insert(subscription)
        .values({
          accountUuid,
          object,
          fields,
          tokenHash,
          tokenSealed,
          platformUuid: null,
          state: 'pending',
          stateReason: null,
          endsAt: null,
          createdAt: at,
          updatedAt: at,
        })
        .returning({ id: subscription.id })
        .get()
      return row.id
    },

    async dropPendingSubscription(accountUuid, id) {
      noteSubscriptionChange()
      db.delete(subscription)
        .where(
          and(eq(subscription.accountUuid, accountUuid), eq(subscription.id, id), eq(subscription.state, 'pending')),
        )
        .run()
    },

    async switchSubscription(accountUuid, { at, ...input }) {
      db.transaction((tx) => switchSubscriptionIn(tx, accountUuid, input, at), { behavior: 'immediate' })
    },

    async updateSubscription(accountUuid, id, { at, ...change }) {
      noteSubscriptionChange()
      db.update(subscription)
        .set({ ...change, updatedAt: at })
        .where(and(eq(subscription.accountUuid, accountUuid), eq(subscription.id, id)))
        .run()
    },
  }
}
