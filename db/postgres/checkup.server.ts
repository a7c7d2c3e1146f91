// Health checks of a PostgreSQL server. Writes nothing.
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import type { ServerFigures } from '#app/domain/server-figures.ts'
import { rowCheckup } from '../sql/ops/checkup.server.ts'
import type { ServerCheckup } from '../store/checkup.ts'
import { connectPostgres, explained, refusalOf, sizeOf, withConnection } from './client.server.ts'
import { serverHold } from './hold.server.ts'
import { PLATFORM } from './installation.server.ts'
import { schemaState } from './migrations.server.ts'

/** Smaller shares of dead rows are the server's usual work. */
const BLOATED = 'n_dead_tup > 10000 AND n_dead_tup > 0.2 * (n_live_tup + n_dead_tup)'
/** A member beats every second. */
const WATCHED_MS = 1_500

const ONE_LOOK = `SELECT current_setting('server_version') AS version,
  current_setting('synchronous_commit') AS "synchronousCommit",
  current_setting('synchronous_standby_names') AS "standbyNames",
  current_setting('archive_mode') AS "archiveMode",
  current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS most,
  (SELECT sum(numbackends)::int FROM pg_stat_database) AS used,
  (SELECT count(*)::int FROM pg_stat_replication) AS standbys,
  (SELECT count(*) FILTER (WHERE sync_state IN ('sync', 'quorum'))::int FROM pg_stat_replication
   HAVING count(sync_state) = count(*)) AS confirming,
  (SELECT extract(epoch FROM last_archived_time)::float8 * 1000 FROM pg_stat_archiver) AS "archivedAt",
  (SELECT extract(epoch FROM last_failed_time)::float8 * 1000 FROM pg_stat_archiver
   WHERE last_failed_time > coalesce(last_archived_time, '-infinity')) AS "failedAt",
  (SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database()
   AND xact_start < now() - interval '1 minute') AS long,
  (SELECT coalesce(max(extract(epoch FROM now() - xact_start)), 0)::float8 * 1000 FROM pg_stat_activity
   WHERE datname = current_database()) AS "longestMs"`

interface Look extends Pick<ServerFigures, 'version' | 'synchronousCommit' | 'standbyNames'> {
  archiveMode: string
  most: number
  used: number
  standbys: number
  confirming: number | null
  archivedAt: number | null
  failedAt: number | null
  long: number
  longestMs: number
}

/** Throws a sentence when the server cannot be reached. Nothing is sent before the first call. */
export function openServerCheckup(url: string, migrationsFolder: string): ServerCheckup {
  const connections = connectPostgres(url, { name: 'fieldhook-doctor' })
  const look = <T>(work: (client: pg.Client) => Promise<T>) =>
    withConnection(url, work).catch((error) => {
      throw explained(error, url)
    })
  return {
    figures: (now) => look((client) => figuresOf(client, url, now)),
    schema: () =>
      look(async (client) => {
        const { newest, pending, ahead } = await schemaState(client, migrationsFolder)
        return { newestApplied: newest, pending, newer: false, ahead }
      }),
    isOwned: (now) =>
      look(async (client) => {
        const beats = await beatsOf(client)
        if (beats !== null) await pause(WATCHED_MS)
        if (beats !== null) return beats !== (await beatsOf(client))
        const { rows } = await client.query('SELECT count(*)::int AS valid FROM lease WHERE expires_at > $1', [now])
        return rows[0]?.valid > 0
      }),
    belongsTo: () =>
      look(async (client) => {
        const { rows } = await client.query('SELECT value FROM installation WHERE name = $1', [PLATFORM])
        return rows[0]?.value ?? null
      }),
    isHeld: () => serverHold(connections.db).isSet(),
    rows: rowCheckup(connections),
    close: () => connections.close(),
  }
}

async function figuresOf(client: pg.Client, url: string, now: () => number): Promise<ServerFigures> {
  const refused = await refusalOf(client, url)
  const { rows } = await client.query<Look>(ONE_LOOK)
  const [found] = rows
  if (!found) throw new Error('the server tells nothing of itself')
  const { rows: bloated } = await client.query<ServerFigures['bloated'][number]>(
    `SELECT relname AS "table", n_dead_tup::float8 / (n_live_tup + n_dead_tup) AS share,
       extract(epoch FROM greatest(last_autovacuum, last_vacuum))::float8 * 1000 AS "vacuumedAt"
     FROM pg_stat_user_tables WHERE ${BLOATED} ORDER BY n_dead_tup DESC LIMIT 3`,
  )
  return {
    version: found.version.split(' ')[0] ?? '',
    refused,
    synchronousCommit: found.synchronousCommit,
    standbyNames: found.standbyNames,
    standbys: { all: found.standbys, confirming: found.confirming },
    archive: {
      mode: found.archiveMode,
      lastAt: found.archivedAt,
      failedAt: found.failedAt,
      baseBackupAt: await baseBackupAt(client),
    },
    longTransactions: { count: found.long, longestMs: found.longestMs },
    bloated,
    connections: { used: found.used, most: found.most },
    clock: await clockOf(client, now),
    bytes: await sizeOf(client),
    members: await membersOf(client),
  }
}

/** Of the note that a base backup leaves in the log's folder. Null = none, or the user may not look there. */
async function baseBackupAt(client: pg.Client): Promise<number | null> {
  const text = `SELECT extract(epoch FROM max(modification))::float8 * 1000 AS at FROM pg_ls_waldir() WHERE name LIKE '%.backup'`
  const { rows } = await client.query<{ at: number | null }>(text).catch(() => ({ rows: [] }))
  return rows[0]?.at ?? null
}

async function clockOf(client: pg.Client, now: () => number): Promise<ServerFigures['clock']> {
  const before = now()
  const { rows } = await client.query<{ at: number }>(
    'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS at',
  )
  const after = now()
  return { offsetMs: (rows[0]?.at ?? 0) - (before + after) / 2, tookMs: after - before }
}

async function hasMembers(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(
    "SELECT (to_regclass('member') IS NOT NULL AND to_regclass('share') IS NOT NULL)::int AS there",
  )
  return rows[0]?.there === 1
}

/** Grows while a member lives. Null = this release knows no members. */
async function beatsOf(client: pg.Client): Promise<number | null> {
  if (!(await hasMembers(client))) return null
  const { rows } = await client.query<{ beats: number }>('SELECT coalesce(sum(beats), 0) AS beats FROM member')
  return rows[0]?.beats ?? 0
}

async function membersOf(client: pg.Client): Promise<ServerFigures['members']> {
  if (!(await hasMembers(client))) return null
  const { rows: members } = await client.query<{ id: string; version: string; shares: number }>(
    'SELECT id, version, (SELECT count(*)::int FROM share WHERE owner = member.id) AS shares FROM member ORDER BY id',
  )
  const { rows } = await client.query<{ shares: number; unowned: number }>(
    'SELECT count(*)::int AS shares, count(*) FILTER (WHERE owner IS NULL)::int AS unowned FROM share',
  )
  return { shares: rows[0]?.shares ?? 0, unowned: rows[0]?.unowned ?? 0, members }
}
