import type { LedgerEntry, StoredVerdict, VerdictStore } from '../../store/verdicts.ts'
import type { Connections } from '../connections.ts'

/** Reads use the read-only connection, so a query delays no rule. */
export function verdictStore({ reader }: Connections): VerdictStore {
  const verdicts = reader.prepare<{ accountUuid: string; recordUuid: string }, StoredVerdict>(
    `SELECT v.automation_id AS automationId, v.verdict, v.at, v.detail, v.run_id AS runId
     FROM rule_verdict v JOIN automation a ON a.id = v.automation_id AND a.account_uuid = v.account_uuid
     WHERE v.account_uuid = @accountUuid AND v.record_uuid = @recordUuid AND a.deleted_at IS NULL`,
  )
  // The newest entry of each rule.
  const ledger = reader.prepare<{ accountUuid: string; recordUuid: string }, LedgerEntry>(
    `SELECT automationId, runId, at FROM (
       SELECT l.automation_id AS automationId, l.run_id AS runId, l.at,
         row_number() OVER (PARTITION BY l.automation_id ORDER BY l.at DESC, l.occurrence) AS place
       FROM automation a JOIN seen_ledger l ON l.automation_id = a.id
       WHERE a.account_uuid = @accountUuid AND a.deleted_at IS NULL AND l.record_uuid = @recordUuid) AS entries
     WHERE place = 1`,
  )
  const upcoming = reader
    .prepare<{ accountUuid: string; now: number; limit: number }, number>(
      `SELECT id FROM run INDEXED BY runs_to_do
       WHERE account_uuid = @accountUuid AND state IN ('queued', 'running', 'waiting') AND state <> 'running'
       AND wake_at > @now
       ORDER BY wake_at, id LIMIT @limit`,
    )
    .pluck()
  return {
    verdictsOn: reader.read((accountUuid, recordUuid) => verdicts.all({ accountUuid, recordUuid })),
    ledgerOn: reader.read((accountUuid, recordUuid) => ledger.all({ accountUuid, recordUuid })),
    upcomingRuns: reader.read((accountUuid, now, limit) => upcoming.all({ accountUuid, now, limit })),
  }
}
