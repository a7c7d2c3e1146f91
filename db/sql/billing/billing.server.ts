// Plans and payments. A plan is written only by a caller that has read its latest state: see `savePlan`.
import { and, asc, eq, sql as expression, gt, isNotNull } from 'drizzle-orm'
import type { Plan } from '#app/domain/plan.ts'
import { many, one } from '../../orm.ts'
import { account, plan } from '../../schema.ts'
import type { BillingStore, PlanChange, RenewalState, UsageReport } from '../../store/billing.ts'
import type { Connections } from '../connections.ts'
import { troubleRows } from '../notices/trouble-rows.server.ts'
import { RUN_REASON, setReason, storedReason } from '../reasons.server.ts'

export function billingStore(connections: Connections): BillingStore {
  return {
    ...planStore(connections),
    ...paymentEventStore(connections),
    ...renewalStore(connections),
    ...billingUsageStore(connections),
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

function planStore({ db, orm }: Connections) {
  const NEW_PLAN = `INSERT INTO plan (account_uuid, status, trial_started_at, trial_ends_at, cancel_at_period_end, payment_attempt,
       created_at, updated_at)`
  const insert = db.prepare(
    `${NEW_PLAN} VALUES (@accountUuid, 'trial', @now, @until, 0, 0, @now, @now) ON CONFLICT (account_uuid) DO NOTHING`,
  )
  const insertMissing = db.prepare(
    `${NEW_PLAN} SELECT a.uuid, 'trial', CAST(@now AS bigint), CAST(@until AS bigint), 0, 0, CAST(@now AS bigint), CAST(@now AS bigint)
     FROM account a
     WHERE NOT EXISTS (SELECT 1 FROM plan p WHERE p.account_uuid = a.uuid) ORDER BY a.uuid`,
  )
  const endpoints = db
    .prepare<{ accountUuid: string }, number>(
      "SELECT id FROM endpoint WHERE account_uuid = @accountUuid AND state <> 'deleted' ORDER BY id",
    )
    .pluck()
  const leaveToPerson = db.prepare<object, { id: number }>(
    `UPDATE run SET state = 'held', ${setReason(RUN_REASON)}
     WHERE account_uuid = @accountUuid AND state IN ('queued', 'waiting') AND wake_at < @before RETURNING id`,
  )
  const troubles = troubleRows(db)
  function* find(accountUuid: string): Generator<unknown, Plan | null> {
    const row = yield* one(orm.select().from(plan).where(eq(plan.accountUuid, accountUuid)))
    return row ? planOf(row) : null
  }
  const findPlan = db.read(find)
  const makePlan = db.write(function* (accountUuid: string, trialMs: number, now: number) {
    yield* insert.run({ accountUuid, now, until: now + trialMs })
    const made = yield* find(accountUuid)
    if (!made) throw new Error(`the plan of account ${accountUuid} was made and is not there`)
    return made
  })

  return {
    async ensurePlan(accountUuid, trialMs, now) {
      return (await findPlan(accountUuid)) ?? makePlan(accountUuid, trialMs, now)
    },
    findPlan,
    findPlanInZone: db.read(function* (accountUuid) {
      const [itsAccount, mine] = [eq(account.uuid, plan.accountUuid), eq(plan.accountUuid, accountUuid)]
      const columns = { plan, timezone: account.timezone }
      const row = yield* one(orm.select(columns).from(plan).leftJoin(account, itsAccount).where(mine))
      return row ? { plan: planOf(row.plan), timezone: row.timezone ?? 'UTC' } : null
    }),
    findPlanOfCustomer: db.read(function* (customerId) {
      const row = yield* one(orm.select().from(plan).where(eq(plan.customerId, customerId)))
      return row ? planOf(row) : null
    }),
    savePlan: db.write(function* (accountUuid, seenUpdatedAt, change, now, release = null) {
      const unchanged = and(eq(plan.accountUuid, accountUuid), eq(plan.updatedAt, seenUpdatedAt))
      // Two changes within a millisecond still get different versions.
      const columns = { ...columnsOf(change), updatedAt: Math.max(now, seenUpdatedAt + 1) }
      const row = yield* one(orm.update(plan).set(columns).where(unchanged).returning())
      if (!row) return null
      if (release) {
        const reason = storedReason(release.reason)
        const held = yield* leaveToPerson.all({ accountUuid, before: release.runsDueBefore, reason })
        for (const { id } of held) yield* troubles.giveUp(accountUuid, id, now)
      }
      return planOf(row)
    }),
    beginMissingTrials: db.write(function* (trialMs, now) {
      return (yield* insertMissing.run({ now, until: now + trialMs })).changes
    }),
    plansAfter: db.read(function* (accountUuid, limit) {
      const after = gt(plan.accountUuid, accountUuid)
      const rows = yield* many(orm.select().from(plan).where(after).orderBy(asc(plan.accountUuid)).limit(limit))
      return rows.map(planOf)
    }),
    accountsToSync: db.read(function* (readBefore, limit) {
      const readAt = expression`coalesce(${plan.lastSyncedAt}, 0)`
      const due = and(isNotNull(plan.customerId), expression`${readAt} < ${readBefore}`)
      const columns = { accountUuid: plan.accountUuid }
      const inOrder = orm.select(columns).from(plan).where(due).orderBy(asc(readAt), asc(plan.id))
      const rows = yield* many(inOrder.limit(limit))
      return rows.map((row) => row.accountUuid)
    }),
    endpointsOfAccount: db.read((accountUuid) => endpoints.all({ accountUuid })),
  } satisfies Partial<BillingStore>
}

function paymentEventStore({ db }: Connections) {
  const insert = db.prepare(
    `INSERT INTO payment_event (id, type, created_at, received_at, failures)
     VALUES (@id, @type, @createdAt, @now, 0) ON CONFLICT (id) DO NOTHING`,
  )
  const isOpen = db
    .prepare<{ id: string }, 1>('SELECT 1 FROM payment_event WHERE id = @id AND processed_at IS NULL')
    .pluck()
  const end = db.prepare('UPDATE payment_event SET processed_at = @now, error = NULL WHERE id = @id')
  const fail = db.prepare(
    'UPDATE payment_event SET failures = failures + 1, error = @error WHERE id = @id AND processed_at IS NULL',
  )
  const forget = db.prepare(
    'DELETE FROM payment_event WHERE received_at < @receivedBefore AND processed_at IS NOT NULL',
  )
  return {
    beginPaymentEvent: db.write(function* ({ id, type, createdAt }, now) {
      yield* insert.run({ id, type, createdAt, now })
      return (yield* isOpen.get({ id })) === 1
    }),
    endPaymentEvent: db.write(function* (id, now) {
      yield* end.run({ now, id })
    }),
    failPaymentEvent: db.write(function* (id, error) {
      yield* fail.run({ error, id })
    }),
    forgetPaymentEvents: db.write(function* (receivedBefore) {
      return (yield* forget.run({ receivedBefore })).changes
    }),
  } satisfies Partial<BillingStore>
}

function renewalStore({ db }: Connections) {
  const insert = db.prepare(
    `INSERT INTO renewal_payment (payment_id, account_uuid, state, amount, created_at, updated_at)
     VALUES (@paymentId, @accountUuid, 'paid', @amount, @now, @now) ON CONFLICT (payment_id) DO NOTHING`,
  )
  const stateOf = db
    .prepare<{ paymentId: string; accountUuid: string }, RenewalState>(
      'SELECT state FROM renewal_payment WHERE payment_id = @paymentId AND account_uuid = @accountUuid',
    )
    .pluck()
  const end = db.prepare(
    `UPDATE renewal_payment SET state = @state, updated_at = @now
     WHERE payment_id = @paymentId AND account_uuid = @accountUuid AND state = 'paid'`,
  )
  const forgetOpen = db.prepare(
    `UPDATE plan SET open_renewal_id = NULL, updated_at = max(@now, updated_at + 1)
     WHERE account_uuid = @accountUuid AND open_renewal_id = @paymentId`,
  )
  const toApply = db.prepare<{ limit: number }, { accountUuid: string; paymentId: string }>(
    `SELECT account_uuid AS accountUuid, payment_id AS paymentId FROM renewal_payment
     WHERE state = 'paid' ORDER BY created_at, payment_id LIMIT @limit`,
  )
  return {
    noteRenewalPaid: db.write(function* (accountUuid, payment, now) {
      yield* insert.run({ accountUuid, ...payment, now })
      const state = yield* stateOf.get({ paymentId: payment.paymentId, accountUuid })
      if (!state) throw new Error(`payment ${payment.paymentId} is another account's`)
      return state
    }),
    endRenewal: db.write(function* (accountUuid, paymentId, state, now) {
      yield* end.run({ accountUuid, paymentId, state, now })
      yield* forgetOpen.run({ accountUuid, paymentId, now })
    }),
    renewalsToApply: db.read((limit) => toApply.all({ limit })),
  } satisfies Partial<BillingStore>
}

// Usage of a billing period, from the daily counters, and the days to charge for.

/** The usage kinds that count as operations. Duplicates do not. */
const OPERATIONS = "('api_call', 'webhook_received', 'webhook_forwarded')"
const DAY = 86_400_000

function billingUsageStore({ db }: Connections) {
  const usage = db.prepare<
    { accountUuid: string; fromDay: number; beforeDay: number },
    { kind: string; day: number; count: number }
  >(
    `SELECT kind, day, count FROM usage_day
     WHERE account_uuid = @accountUuid AND day >= @fromDay AND day < @beforeDay AND kind IN ${OPERATIONS} ORDER BY day`,
  )
  // Trial usage is free: a day counts only when it lies wholly after the trial and within the paid month.
  const make = db.prepare(
    `INSERT INTO usage_report (identifier, account_uuid, day, count, failures, created_at)
     SELECT 'use-' || u.account_uuid || '-' || CAST(u.day AS text), u.account_uuid, u.day, sum(u.count), 0, CAST(@now AS bigint)
     FROM plan p JOIN usage_day u ON u.account_uuid = p.account_uuid
     WHERE p.status IN ('active', 'past_due') AND p.customer_id IS NOT NULL AND u.kind IN ${OPERATIONS}
       AND u.day >= @fromDay AND u.day < @today
       AND u.day * ${DAY} >= p.trial_ends_at AND u.day * ${DAY} >= p.current_period_start
       AND (u.day + 1) * ${DAY} <= p.current_period_end
     GROUP BY u.account_uuid, u.day HAVING sum(u.count) > 0
     ON CONFLICT DO NOTHING`,
  )
  const toSend = db.prepare<{ fromDay: number; limit: number }, UsageReport>(
    `SELECT r.identifier, r.account_uuid AS accountUuid, p.customer_id AS customerId, r.day, r.count
     FROM usage_report r JOIN plan p ON p.account_uuid = r.account_uuid
     WHERE r.sent_at IS NULL AND r.day >= @fromDay AND p.customer_id IS NOT NULL
     ORDER BY r.created_at, r.identifier LIMIT @limit`,
  )
  const end = db.prepare(
    'UPDATE usage_report SET sent_at = @now WHERE account_uuid = @accountUuid AND identifier = @identifier',
  )
  const fail = db.prepare(
    'UPDATE usage_report SET failures = failures + 1 WHERE account_uuid = @accountUuid AND identifier = @identifier',
  )

  return {
    usageOfDays: db.read(function* (accountUuid, fromDay, beforeDay) {
      const rows = yield* usage.all({ accountUuid, fromDay, beforeDay })
      const counts = sums(rows, ({ kind }) => kind)
      const apiCalls = counts.get('api_call') ?? 0
      const webhooksReceived = counts.get('webhook_received') ?? 0
      const webhooksForwarded = counts.get('webhook_forwarded') ?? 0
      return {
        apiCalls,
        webhooksReceived,
        webhooksForwarded,
        total: apiCalls + webhooksReceived + webhooksForwarded,
        byDay: [...sums(rows, ({ day }) => day)].map(([day, count]) => ({ day, count })),
      }
    }),
    makeUsageReports: db.write(function* (fromDay, today, now) {
      return (yield* make.run({ fromDay, today, now })).changes
    }),
    usageReportsToSend: db.read((fromDay, limit) => toSend.all({ fromDay, limit })),
    endUsageReport: db.write(function* (accountUuid, identifier, now) {
      yield* end.run({ now, accountUuid, identifier })
    }),
    failUsageReport: db.write(function* (accountUuid, identifier) {
      yield* fail.run({ accountUuid, identifier })
    }),
  } satisfies Partial<BillingStore>
}

/** The counts by kind or by day, in the order of the rows. */
function sums<Row extends { count: number }, Key>(rows: readonly Row[], keyOf: (row: Row) => Key): Map<Key, number> {
  const found = new Map<Key, number>()
  for (const row of rows) found.set(keyOf(row), (found.get(keyOf(row)) ?? 0) + row.count)
  return found
}
