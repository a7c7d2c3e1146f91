// Plans and payments. A plan is written only by a caller that has read its latest state: see `savePlan`.
import { and, asc, eq, sql as expression, gt, isNotNull } from 'drizzle-orm'
import type { Plan } from '#app/domain/plan.ts'
import { account, plan } from '../../schema.ts'
import type { BillingStore, PlanChange, RenewalState } from '../../store/billing.ts'
import type { Client } from '../../sqlite/client.server.ts'
import { RUN_REASON, setReason, storedReason } from '../reasons.server.ts'
import { billingUsageStore } from './billing-usage.server.ts'

export function billingStore(client: Client): BillingStore {
  return {
    ...planStore(client),
    ...paymentEventStore(client),
    ...renewalStore(client),
    ...billingUsageStore(client),
  }
}

type PlanRow = typeof plan.$inferSelect

function planOf({ id: _id, createdAt: _createdAt, ...row }: PlanRow): Plan {
  return {
    ...row,
    cancelAtPeriodEnd: row.cancelAtPeriodEnd === 1,
    openOffer: row.openOffer as Plan['openOffer'],
  }
}

function columnsOf({ cancelAtPeriodEnd, ...change }: PlanChange): Partial<PlanRow> {
  return { ...change, ...(cancelAtPeriodEnd !== undefined && { cancelAtPeriodEnd: cancelAtPeriodEnd ? 1 : 0 }) }
}

type PlanStore = Pick<
  BillingStore,
  | 'ensurePlan'
  | 'findPlan'
  | 'findPlanInZone'
  | 'findPlanOfCustomer'
  | 'savePlan'
  | 'beginMissingTrials'
  | 'plansAfter'
  | 'accountsToSync'
  | 'endpointsOfAccount'
>

function planStore({ db, sql }: Client): PlanStore {
  const NEW_PLAN = `INSERT INTO plan (account_uuid, status, trial_started_at, trial_ends_at, cancel_at_period_end, payment_attempt,
       created_at, updated_at)`
  const insert = sql.prepare(
    `${NEW_PLAN} VALUES (@accountUuid, 'trial', @now, @until, 0, 0, @now, @now) ON CONFLICT (account_uuid) DO NOTHING`,
  )
  const insertMissing = sql.prepare(
    `${NEW_PLAN} SELECT a.uuid, 'trial', @now, @until, 0, 0, @now, @now FROM account a
     WHERE NOT EXISTS (SELECT 1 FROM plan p WHERE p.account_uuid = a.uuid)`,
  )
  const endpoints = sql
    .prepare<{ accountUuid: string }, number>(
      "SELECT id FROM endpoint WHERE account_uuid = @accountUuid AND state <> 'deleted' ORDER BY id",
    )
    .pluck()
  const leaveToPerson = sql.prepare(
    `UPDATE run SET state = 'held', ${setReason(RUN_REASON)}
     WHERE account_uuid = @accountUuid AND state IN ('queued', 'waiting') AND wake_at < @before`,
  )
  const find = (accountUuid: string) => {
    const row = db.select().from(plan).where(eq(plan.accountUuid, accountUuid)).get()
    return row ? planOf(row) : null
  }

  return {
    async ensurePlan(accountUuid, trialMs, now) {
      const known = find(accountUuid)
      if (known) return known
      insert.run({ accountUuid, now, until: now + trialMs })
      const made = find(accountUuid)
      if (!made) throw new Error(`the plan of account ${accountUuid} was made and is not there`)
      return made
    },
    async findPlan(accountUuid) {
      return find(accountUuid)
    },
    async findPlanInZone(accountUuid) {
      const row = db
        .select({ plan, timezone: account.timezone })
        .from(plan)
        .leftJoin(account, eq(account.uuid, plan.accountUuid))
        .where(eq(plan.accountUuid, accountUuid))
        .get()
      return row ? { plan: planOf(row.plan), timezone: row.timezone ?? 'UTC' } : null
    },
    async findPlanOfCustomer(customerId) {
      const row = db.select().from(plan).where(eq(plan.customerId, customerId)).get()
      return row ? planOf(row) : null
    },
    async savePlan(accountUuid, seenUpdatedAt, change, now, release = null) {
      return db.transaction(
        (tx) => {
          const row = tx
            .update(plan)
            // Two changes within a millisecond still get different versions.
            .set({ ...columnsOf(change), updatedAt: Math.max(now, seenUpdatedAt + 1) })
            .where(and(eq(plan.accountUuid, accountUuid), eq(plan.updatedAt, seenUpdatedAt)))
            .returning()
            .get()
          if (row && release)
            leaveToPerson.run({ accountUuid, before: release.runsDueBefore, reason: storedReason(release.reason) })
          return row ? planOf(row) : null
        },
        { behavior: 'immediate' },
      )
    },
    async beginMissingTrials(trialMs, now) {
      return insertMissing.run({ now, until: now + trialMs }).changes
    },
    async plansAfter(accountUuid, limit) {
      const after = gt(plan.accountUuid, accountUuid)
      return db.select().from(plan).where(after).orderBy(asc(plan.accountUuid)).limit(limit).all().map(planOf)
    },
    async accountsToSync(readBefore, limit) {
      const readAt = expression`coalesce(${plan.lastSyncedAt}, 0)`
      const rows = db
        .select({ accountUuid: plan.accountUuid })
        .from(plan)
        .where(and(isNotNull(plan.customerId), expression`${readAt} < ${readBefore}`))
        .orderBy(asc(readAt), asc(plan.id))
        .limit(limit)
        .all()
      return rows.map((row) => row.accountUuid)
    },
    async endpointsOfAccount(accountUuid) {
      return endpoints.all({ accountUuid })
    },
  }
}

type EventsOfPayments = Pick<
  BillingStore,
  'beginPaymentEvent' | 'endPaymentEvent' | 'failPaymentEvent' | 'forgetPaymentEvents'
>

function paymentEventStore({ sql }: Client): EventsOfPayments {
  const insert = sql.prepare(
    `INSERT INTO payment_event (id, type, created_at, received_at, failures)
     VALUES (@id, @type, @createdAt, @now, 0) ON CONFLICT (id) DO NOTHING`,
  )
  const isOpen = sql
    .prepare<{ id: string }, 1>('SELECT 1 FROM payment_event WHERE id = @id AND processed_at IS NULL')
    .pluck()
  const end = sql.prepare('UPDATE payment_event SET processed_at = @now, error = NULL WHERE id = @id')
  const fail = sql.prepare(
    'UPDATE payment_event SET failures = failures + 1, error = @error WHERE id = @id AND processed_at IS NULL',
  )
  const forget = sql.prepare(
    'DELETE FROM payment_event WHERE received_at < @receivedBefore AND processed_at IS NOT NULL',
  )
  return {
    async beginPaymentEvent({ id, type, createdAt }, now) {
      insert.run({ id, type, createdAt, now })
      return isOpen.get({ id }) === 1
    },
    async endPaymentEvent(id, now) {
      end.run({ now, id })
    },
    async failPaymentEvent(id, error) {
      fail.run({ error, id })
    },
    async forgetPaymentEvents(receivedBefore) {
      return forget.run({ receivedBefore }).changes
    },
  }
}

type Renewals = Pick<BillingStore, 'noteRenewalPaid' | 'endRenewal' | 'renewalsToApply'>

function renewalStore({ sql }: Client): Renewals {
  const insert = sql.prepare(
    `INSERT INTO renewal_payment (payment_id, account_uuid, state, amount, created_at, updated_at)
     VALUES (@paymentId, @accountUuid, 'paid', @amount, @now, @now) ON CONFLICT (payment_id) DO NOTHING`,
  )
  const stateOf = sql
    .prepare<{ paymentId: string; accountUuid: string }, RenewalState>(
      'SELECT state FROM renewal_payment WHERE payment_id = @paymentId AND account_uuid = @accountUuid',
    )
    .pluck()
  const end = sql.prepare(
    `UPDATE renewal_payment SET state = @state, updated_at = @now
     WHERE payment_id = @paymentId AND account_uuid = @accountUuid AND state = 'paid'`,
  )
  const forgetOpen = sql.prepare(
    `UPDATE plan SET open_renewal_id = NULL, updated_at = max(@now, updated_at + 1)
     WHERE account_uuid = @accountUuid AND open_renewal_id = @paymentId`,
  )
  const toApply = sql.prepare<{ limit: number }, { accountUuid: string; paymentId: string }>(
    `SELECT account_uuid AS accountUuid, payment_id AS paymentId FROM renewal_payment
     WHERE state = 'paid' ORDER BY created_at, payment_id LIMIT @limit`,
  )
  const note = sql.transaction(
    (accountUuid: string, payment: { paymentId: string; amount: number }, now: number): RenewalState => {
      insert.run({ accountUuid, ...payment, now })
      const state = stateOf.get({ paymentId: payment.paymentId, accountUuid })
      if (!state) throw new Error(`payment ${payment.paymentId} is another account's`)
      return state
    },
  )
  const settle = sql.transaction((accountUuid: string, paymentId: string, state: RenewalState, now: number): void => {
    end.run({ accountUuid, paymentId, state, now })
    forgetOpen.run({ accountUuid, paymentId, now })
  })
  return {
    async noteRenewalPaid(accountUuid, payment, now) {
      return note.immediate(accountUuid, payment, now)
    },
    async endRenewal(accountUuid, paymentId, state, now) {
      settle.immediate(accountUuid, paymentId, state, now)
    },
    async renewalsToApply(limit) {
      return toApply.all({ limit })
    },
  }
}
