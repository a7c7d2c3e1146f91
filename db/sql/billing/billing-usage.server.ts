// Usage of a billing period, from the daily counters, and the days to charge for.
import type { PlanUsage } from '#app/domain/plan.ts'
import type { BillingStore, UsageReport } from '../../store/billing.ts'
import type { Client } from '../../sqlite/client.server.ts'

type UsageStore = Pick<
  BillingStore,
  'usageOfDays' | 'makeUsageReports' | 'usageReportsToSend' | 'endUsageReport' | 'failUsageReport'
>

/** The usage kinds that count as operations. Duplicates do not. */
const OPERATIONS = "('api_call', 'webhook_received', 'webhook_forwarded')"
const DAY = 86_400_000

export function billingUsageStore({ sql }: Client): UsageStore {
  const usage = sql.prepare<
    { accountUuid: string; fromDay: number; beforeDay: number },
    { kind: string; count: number }
  >(
    `SELECT kind, sum(count) AS count FROM usage_day
     WHERE account_uuid = @accountUuid AND day >= @fromDay AND day < @beforeDay AND kind IN ${OPERATIONS} GROUP BY kind`,
  )
  // Trial usage is free: a day counts only when it lies wholly after the trial and within the paid month.
  const make = sql.prepare(
    `INSERT INTO usage_report (identifier, account_uuid, day, count, failures, created_at)
     SELECT 'use-' || u.account_uuid || '-' || u.day, u.account_uuid, u.day, sum(u.count), 0, @now
     FROM plan p JOIN usage_day u ON u.account_uuid = p.account_uuid
     WHERE p.status IN ('active', 'past_due') AND p.customer_id IS NOT NULL AND u.kind IN ${OPERATIONS}
       AND u.day >= @fromDay AND u.day < @today
       AND u.day * ${DAY} >= p.trial_ends_at AND u.day * ${DAY} >= p.current_period_start
       AND (u.day + 1) * ${DAY} <= p.current_period_end
     GROUP BY u.account_uuid, u.day HAVING sum(u.count) > 0
     ON CONFLICT DO NOTHING`,
  )
  const toSend = sql.prepare<{ fromDay: number; limit: number }, UsageReport>(
    `SELECT r.identifier, r.account_uuid AS accountUuid, p.customer_id AS customerId, r.day, r.count
     FROM usage_report r JOIN plan p ON p.account_uuid = r.account_uuid
     WHERE r.sent_at IS NULL AND r.day >= @fromDay AND p.customer_id IS NOT NULL
     ORDER BY r.created_at, r.identifier LIMIT @limit`,
  )
  const end = sql.prepare(
    'UPDATE usage_report SET sent_at = @now WHERE account_uuid = @accountUuid AND identifier = @identifier',
  )
  const fail = sql.prepare(
    'UPDATE usage_report SET failures = failures + 1 WHERE account_uuid = @accountUuid AND identifier = @identifier',
  )

  return {
    async usageOfDays(accountUuid, fromDay, beforeDay) {
      const counts = new Map(usage.all({ accountUuid, fromDay, beforeDay }).map(({ kind, count }) => [kind, count]))
      const apiCalls = counts.get('api_call') ?? 0
      const webhooksReceived = counts.get('webhook_received') ?? 0
      const webhooksForwarded = counts.get('webhook_forwarded') ?? 0
      const sum: PlanUsage = {
        apiCalls,
        webhooksReceived,
        webhooksForwarded,
        total: apiCalls + webhooksReceived + webhooksForwarded,
      }
      return sum
    },
    async makeUsageReports(fromDay, today, now) {
      return make.run({ fromDay, today, now }).changes
    },
    async usageReportsToSend(fromDay, limit) {
      return toSend.all({ fromDay, limit })
    },
    async endUsageReport(accountUuid, identifier, now) {
      end.run({ now, accountUuid, identifier })
    },
    async failUsageReport(accountUuid, identifier) {
      fail.run({ accountUuid, identifier })
    },
  }
}
