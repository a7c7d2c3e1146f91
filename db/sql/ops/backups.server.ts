// Results of backups and restore drills.

import type { BackupRunRow, BackupStore } from '../../store/backups.ts'
import type { Connections } from '../connections.ts'

type Row = Omit<BackupRunRow, 'detail'> & { detail: string }

const COLUMNS = `id, kind, started_at AS startedAt, ended_at AS endedAt, outcome, name, database_bytes AS databaseBytes,
  stored_bytes AS storedBytes, message, detail`

export function backupStore({ db }: Pick<Connections, 'db'>): BackupStore {
  const endLost = db.prepare(
    "UPDATE backup_run SET outcome = 'failed', ended_at = @startedAt, message = @lost WHERE outcome = 'running'",
  )
  const begin = db
    .prepare<{ kind: string; startedAt: number }, number>(
      `INSERT INTO backup_run (kind, started_at, ended_at, outcome, name, database_bytes, stored_bytes, message, detail)
       VALUES (@kind, @startedAt, NULL, 'running', '', 0, 0, '', '{}') RETURNING id`,
    )
    .pluck()
  const end = db.prepare(
    `UPDATE backup_run SET ended_at = @endedAt, outcome = @outcome, name = @name, database_bytes = @databaseBytes,
       stored_bytes = @storedBytes, message = @message, detail = @detail WHERE id = @id`,
  )
  const newest = db.prepare<{ kind: string }, Row>(
    `SELECT ${COLUMNS} FROM backup_run WHERE kind = @kind AND outcome = 'done' ORDER BY id DESC LIMIT 1`,
  )
  const list = db.prepare<{ limit: number }, Row>(`SELECT ${COLUMNS} FROM backup_run ORDER BY id DESC LIMIT @limit`)
  const forget = db.prepare(
    `DELETE FROM backup_run WHERE kind = @kind
       AND id <= (SELECT id FROM backup_run WHERE kind = @kind ORDER BY id DESC LIMIT 1 OFFSET @keep)`,
  )

  return {
    beginBackupRun: db.write(function* (kind, startedAt, lost) {
      yield* endLost.run({ startedAt, lost })
      const id = yield* begin.get({ kind, startedAt })
      if (id === undefined) throw new Error('a backup run was stored without an id')
      return id
    }),
    endBackupRun: db.write(function* (id, ended) {
      yield* end.run({ ...ended, id, detail: JSON.stringify(ended.detail) })
    }),
    newestBackup: db.read(function* (kind) {
      const row = yield* newest.get({ kind })
      return row ? withDetail(row) : null
    }),
    listBackupRuns: db.read(function* (limit) {
      return (yield* list.all({ limit })).map(withDetail)
    }),
    forgetBackupRuns: db.write(function* (keep) {
      for (const kind of ['backup', 'drill']) yield* forget.run({ kind, keep })
    }),
  }
}

function withDetail(row: Row): BackupRunRow {
  return { ...row, detail: JSON.parse(row.detail) as Record<string, unknown> }
}
