// Usage of a billing period, from the daily counters, and the days to charge for.
import type { BillingStore, UsageReport } from '../../store/billing.ts'
import type { Connections } from '../connections.ts'

type UsageStore = Pick<
  BillingStore,
  'usageOfDays' | 'makeUsageReports' | 'usageReportsToSend' | 'endUsageReport' | 'failUsageReport'
>

/** The usage kinds that count as operations. Duplicates do not. */
const OPERATIONS = "('api_call', 'webhook_received', 'webhook_forwarded')"
const DAY = 86_400_000

export function billingUsageStore({ db }: Connections): UsageStore {
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
  }
}

/** The counts by kind or by day, in the order of the rows. */
function sums<Row extends { count: number }, Key>(rows: readonly Row[], keyOf: (row: Row) => Key): Map<Key, number> {
  const found = new Map<Key, number>()
  for (const row of rows) found.set(keyOf(row), (found.get(keyOf(row)) ?? 0) + row.count)
  return found
}
