// Results of backups and restore drills.
import Database from 'better-sqlite3'
import type { BackupRunRow, BackupStore } from '../../store/backups.ts'
import type { Client } from '../../sqlite/client.server.ts'

type Row = Omit<BackupRunRow, 'detail'> & { detail: string }

const COLUMNS = `id, kind, started_at AS startedAt, ended_at AS endedAt, outcome, name, database_bytes AS databaseBytes,
  stored_bytes AS storedBytes, message, detail`

export function backupStore({ sql }: Pick<Client, 'sql'>): BackupStore {
  const endLost = sql.prepare(
    "UPDATE backup_run SET outcome = 'failed', ended_at = @startedAt, message = @lost WHERE outcome = 'running'",
  )
  const begin = sql.prepare(
    `INSERT INTO backup_run (kind, started_at, ended_at, outcome, name, database_bytes, stored_bytes, message, detail)
     VALUES (@kind, @startedAt, NULL, 'running', '', 0, 0, '', '{}')`,
  )
  const end = sql.prepare(
    `UPDATE backup_run SET ended_at = @endedAt, outcome = @outcome, name = @name, database_bytes = @databaseBytes,
       stored_bytes = @storedBytes, message = @message, detail = @detail WHERE id = @id`,
  )
  const newest = sql.prepare<{ kind: string }, Row>(
    `SELECT ${COLUMNS} FROM backup_run WHERE kind = @kind AND outcome = 'done' ORDER BY id DESC LIMIT 1`,
  )
  const list = sql.prepare<{ limit: number }, Row>(`SELECT ${COLUMNS} FROM backup_run ORDER BY id DESC LIMIT @limit`)
  const forget = sql.prepare(
    `DELETE FROM backup_run WHERE kind = @kind
       AND id <= (SELECT id FROM backup_run WHERE kind = @kind ORDER BY id DESC LIMIT 1 OFFSET @keep)`,
  )
  const beginOne = sql.transaction((kind: string, startedAt: number, lost: string): number => {
    endLost.run({ startedAt, lost })
    return Number(begin.run({ kind, startedAt }).lastInsertRowid)
  })

  return {
    async beginBackupRun(kind, startedAt, lost) {
      return beginOne.immediate(kind, startedAt, lost)
    },
    async endBackupRun(id, ended) {
      end.run({ ...ended, id, detail: JSON.stringify(ended.detail) })
    },
    async newestBackup(kind) {
      const row = newest.get({ kind })
      return row ? withDetail(row) : null
    },
    async listBackupRuns(limit) {
      return list.all({ limit }).map(withDetail)
    },
    async forgetBackupRuns(keep) {
      for (const kind of ['backup', 'drill']) forget.run({ kind, keep })
    },
  }
}

/** For a command with or without the running product. Null = the file's schema is older than the table of backups. */
export function openBackupStore(file: string): { store: BackupStore; close(): void } | null {
  const sql = new Database(file, { fileMustExist: true, timeout: 10_000 })
  sql.pragma('synchronous = FULL')
  const known = sql.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'backup_run'").get()
  if (known) return { store: backupStore({ sql }), close: () => void sql.close() }
  sql.close()
  return null
}

function withDetail(row: Row): BackupRunRow {
  return { ...row, detail: JSON.parse(row.detail) as Record<string, unknown> }
}
