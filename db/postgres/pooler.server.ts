// Tells a PostgreSQL server from a pooler in front of it.
import type { Client } from 'pg'

const ROUNDS = 5

async function sessionOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  return rows[0]?.pid ?? 0
}

/**
 * True when statements of one connection reach different sessions, or those of two the same one: prepared statements,
 * locks and LISTEN would be lost. A server tells the number of the session when it connects, so a direct connection
 * costs one question. A pooler that keeps one session for a connection is none of these.
 *
 * @param another gives a second, connected client; it is ended here
 */
export async function isPooled(client: Client, another: () => Promise<Client>): Promise<boolean> {
  const told = 'processID' in client ? client.processID : null
  if ((await sessionOf(client)) === told) return false
  const other = await another()
  try {
    const own = new Set<number>()
    const others = new Set<number>()
    for (let round = 0; round < ROUNDS; round++) {
      own.add(await sessionOf(client))
      others.add(await sessionOf(other))
    }
    return own.size > 1 || others.size > 1 || [...own].some((pid) => others.has(pid))
  } finally {
    await other.end().catch(() => undefined)
  }
}
