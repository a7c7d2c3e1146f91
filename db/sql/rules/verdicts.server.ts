import type { LedgerEntry, StoredVerdict, VerdictStore } from '../../store/verdicts.ts'
import type { Client } from '../../sqlite/client.server.ts'

/** Reads use the read-only connection, so a query delays no rule. */
export function verdictStore({ readerSql }: Client): VerdictStore {
  const verdicts = readerSql.prepare<{ accountUuid: string; recordUuid: string }, StoredVerdict>(
    `SELECT v.automation_id AS automationId, v.verdict, v.at, v.detail, v.run_id AS runId
     FROM rule_verdict v JOIN automation a ON a.id = v.automation_id AND a.account_uuid = v.account_uuid
     WHERE v.account_uuid = @accountUuid AND v.record_uuid = @recordUuid AND a.deleted_at IS NULL`,
  )
  // SQLite takes bare columns next to max() from the row with the maximum.
  const ledger = readerSql.prepare<{ accountUuid: string; recordUuid: string }, LedgerEntry>(
    `SELECT l.automation_id AS automationId, l.run_id AS runId, max(l.at) AS at
     FROM automation a JOIN seen_ledger l ON l.automation_id = a.id
     WHERE a.account_uuid = @accountUuid AND a.deleted_at IS NULL AND l.record_uuid = @recordUuid
     GROUP BY l.automation_id`,
  )
  const upcoming = readerSql
    .prepare<{ accountUuid: string; now: number; limit: number }, number>(
      `SELECT id FROM run INDEXED BY runs_to_do
       WHERE account_uuid = @accountUuid AND state IN ('queued', 'running', 'waiting') AND state <> 'running'
       AND wake_at > @now
       ORDER BY wake_at, id LIMIT @limit`,
    )
    .pluck()
  return {
    async verdictsOn(accountUuid, recordUuid) {
      return verdicts.all({ accountUuid, recordUuid })
    },
    async ledgerOn(accountUuid, recordUuid) {
      return ledger.all({ accountUuid, recordUuid })
    },
    async upcomingRuns(accountUuid, now, limit) {
      return upcoming.all({ accountUuid, now, limit })
    },
  }
}
