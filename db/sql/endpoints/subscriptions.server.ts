// Statements for our subscriptions at the platform. Part of the endpoint store; other statements here share the switch.
import { and, asc, eq, inArray } from 'drizzle-orm'
import type { Millis } from '#app/lib/clock.ts'
import { change, many, type Orm, one } from '../../orm.ts'
import { subscription } from '../../schema.ts'
import type { EndpointStore, SubscriptionRow, SubscriptionState, SubscriptionSwitch } from '../../store/endpoints.ts'
import type { Connections } from '../connections.ts'
import { changingSubscriptions } from './known-ingress.server.ts'

export function toSubscriptionRow(row: typeof subscription.$inferSelect): SubscriptionRow {
  return { ...row, state: row.state as SubscriptionState }
}

/**
 * Makes a subscription the active one of its object; the previous one stays valid until `replacedUntil`, because the
 * platform's retries still use its address. Call inside a transaction. Throws when the subscription is not of this
 * account or was ended meanwhile: that is a bug of the caller.
 */
export function* switchSubscriptionIn(
  orm: Orm,
  accountUuid: string,
  input: SubscriptionSwitch,
  at: Millis,
): Generator<unknown, void> {
  const mine = and(eq(subscription.accountUuid, accountUuid), eq(subscription.id, input.id))
  const next = yield* one(orm.select().from(subscription).where(mine))
  if (!next || next.state === 'deleted') throw new Error(`subscription ${input.id} cannot become active`)
  const replaced = { state: 'replaced', stateReason: REPLACED_AT_PLATFORM, endsAt: input.replacedUntil, updatedAt: at }
  const previous = and(
    eq(subscription.accountUuid, accountUuid),
    eq(subscription.object, next.object),
    eq(subscription.state, 'active'),
  )
  yield* change(orm.update(subscription).set(replaced).where(previous))
  const active = { state: 'active', stateReason: null, endsAt: null, fields: input.fields, updatedAt: at }
  yield* change(orm.update(subscription).set(active).where(mine))
}

const STILL_AT_PLATFORM = 'ended here; the platform has not been told yet'

/** Turns the subscriptions of an object no one needs into tombstones. Call inside a transaction. */
export function* endSubscriptionsOf(
  orm: Orm,
  accountUuid: string,
  object: string,
  at: Millis,
): Generator<unknown, SubscriptionRow[]> {
  const live = and(
    eq(subscription.accountUuid, accountUuid),
    eq(subscription.object, object),
    inArray(subscription.state, ['pending', 'active', 'replaced']),
  )
  const ended = { state: 'deleted', stateReason: STILL_AT_PLATFORM, endsAt: null, updatedAt: at }
  const rows = yield* many(orm.update(subscription).set(ended).where(live).returning())
  return rows.map(toSubscriptionRow)
}

/** Until the platform is notified, or its list no longer includes the subscription. */
const REPLACED_AT_PLATFORM = 'replaced; the platform has not been told yet'

export function subscriptionStore({ db, orm }: Connections) {
  const toReconcile = (only: string) =>
    db
      .prepare<{ only: string }, string>(
        `SELECT account_uuid FROM subscription
         WHERE (state IN ('pending', 'active', 'replaced') OR state_reason IS NOT NULL) ${only}
         UNION SELECT account_uuid FROM webhook WHERE deleted_at IS NULL ${only}
         UNION SELECT account_uuid FROM forwarding_rule WHERE deleted_at IS NULL ${only}
         UNION SELECT account_uuid FROM automation
         WHERE deleted_at IS NULL AND active = 1 AND watched_object IS NOT NULL ${only}
         ORDER BY 1`,
      )
      .pluck()
  const [ofAll, ofOne] = [toReconcile(''), toReconcile('AND account_uuid = @only')]
  return {
    listSubscriptions: db.read(function* (accountUuid) {
      const ofAccount = eq(subscription.accountUuid, accountUuid)
      const rows = yield* many(orm.select().from(subscription).where(ofAccount).orderBy(asc(subscription.id)))
      return rows.map(toSubscriptionRow)
    }),

    accountsToReconcile: db.read((only) => (only === undefined ? ofAll.all({ only: '' }) : ofOne.all({ only }))),

    beginSubscription: db.write(function* (accountUuid, { object, fields, tokenHash, tokenSealed, at }) {
      const insert = orm
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
      return (yield* one(insert)).id
    }),

    dropPendingSubscription: changingSubscriptions(
      db.write(function* (accountUuid, id) {
        const pending = and(
          eq(subscription.accountUuid, accountUuid),
          eq(subscription.id, id),
          eq(subscription.state, 'pending'),
        )
        yield* change(orm.delete(subscription).where(pending))
      }),
    ),

    switchSubscription: changingSubscriptions(
      db.write((accountUuid, { at, ...input }) => switchSubscriptionIn(orm, accountUuid, input, at)),
    ),

    updateSubscription: changingSubscriptions(
      db.write(function* (accountUuid, id, { at, ...changed }) {
        const mine = and(eq(subscription.accountUuid, accountUuid), eq(subscription.id, id))
        const dated = { ...changed, updatedAt: at }
        yield* change(orm.update(subscription).set(dated).where(mine))
      }),
    ),
  } satisfies Partial<EndpointStore>
}
