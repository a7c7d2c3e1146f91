// What a PostgreSQL server does by itself, and the little that is left to do.
import type { Pool } from 'pg'
import type { Housekeeping } from '../housekeeping.ts'

/** Bytes of the database, and of the rows in it that are dead already and wait for the server to clear them away. */
const SIZE = `SELECT pg_database_size(current_database()) AS whole,
  (SELECT coalesce(sum(pg_relation_size(relid) * n_dead_tup / greatest(n_live_tup + n_dead_tup, 1)), 0)
   FROM pg_stat_user_tables) AS dead`

export function postgresHousekeeping(pool: Pool): Housekeeping {
  return {
    // Another instance may have written at any time, and asking costs as much as looking.
    async changedElsewhere() {
      return true
    },
    async vacuumStep() {},
    async checkpoint() {},
    async emptyLog() {
      return true
    },
    *pack() {},
    async estimate(table) {
      const { rows } = await pool.query<{ rows: number; bytes: number }>(
        `SELECT greatest(reltuples, 0)::bigint AS rows, pg_total_relation_size(oid) AS bytes FROM pg_class
         WHERE oid = to_regclass($1)`,
        [table],
      )
      return rows[0] ?? null
    },
    async machine() {
      const { rows } = await pool.query<{ version: string; schema: number }>(
        `SELECT current_setting('server_version') AS version, (SELECT count(*) FROM schema_migration) AS schema`,
      )
      const [server] = rows
      return { database: `PostgreSQL ${server?.version ?? ''}`, schema: server?.schema ?? 0, diskFreeBytes: null }
    },
    async spaceUsed() {
      const { rows } = await pool.query<{ whole: number; dead: number }>(SIZE)
      const [size] = rows
      return { fileBytes: size?.whole ?? 0, freeBytes: size?.dead ?? 0, walBytes: 0 }
    },
    /** The server keeps a deleted row until it clears the table. Its log keeps it as long as the log is kept. */
    async erase(work) {
      const value = await work()
      await pool.query('VACUUM account_key')
      return value
    },
  }
}
