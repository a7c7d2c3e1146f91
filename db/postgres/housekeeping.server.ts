// What a PostgreSQL server does by itself, and the little that is left to do.
import type { Pool } from 'pg'
import type { Housekeeping } from '../housekeeping.ts'

/**
 * Bytes of the database, and about how many of them are free for new rows: a table does not shrink when rows are deleted.
 * The rows that live are counted by the server; how long they are, it knows after ANALYZE. Until then only dead rows are
 * taken for free. A tenth of each page is lost anyway.
 */
const SIZE = `WITH sized AS (
  SELECT c.oid, pg_relation_size(c.oid) AS bytes, pg_indexes_size(c.oid) AS indexes,
    s.n_live_tup AS live, s.n_dead_tup AS dead,
    CASE WHEN c.relkind = 't' THEN 2050
      ELSE (SELECT 28 + sum(w.avg_width * (1 - w.null_frac)) FROM pg_stats w
            WHERE w.schemaname = current_schema() AND w.tablename = c.relname) END AS width
  FROM pg_class c JOIN pg_stat_all_tables s ON s.relid = c.oid
  WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
     OR c.oid IN (SELECT t.reltoastrelid FROM pg_class t WHERE t.relnamespace = current_schema()::regnamespace)
), parts AS (
  SELECT bytes + indexes AS all_bytes, CASE
    WHEN bytes = 0 THEN 0
    WHEN width IS NULL THEN dead::float / greatest(live + dead, 1)
    ELSE greatest(0, 0.9 - live * width / bytes) END AS free_part
  FROM sized
)
SELECT pg_database_size(current_database()) AS whole, (SELECT coalesce(sum(all_bytes * free_part), 0)::bigint FROM parts) AS free`

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
      const { rows } = await pool.query<{ whole: number; free: number }>(SIZE)
      const [size] = rows
      return { fileBytes: size?.whole ?? 0, freeBytes: size?.free ?? 0, walBytes: 0 }
    },
    /** The server keeps a deleted row until it clears the table. Its log keeps it as long as the log is kept. */
    async erase(work) {
      const value = await work()
      await pool.query('VACUUM account_key')
      return value
    },
  }
}
