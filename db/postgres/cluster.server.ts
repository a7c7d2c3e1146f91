// This process as a member of the installation's instances.
import type { Clock } from '#app/lib/clock.ts'
import type { Cluster } from '../store/cluster.ts'
import { openBell } from './bell.server.ts'
import { connectPostgres, type PostgresClient } from './client.server.ts'
import type { PostgresCounts } from './database.server.ts'
import { memberRows } from './members.server.ts'
import { newsOf } from './news.server.ts'
import { shareOf } from './share-of.server.ts'

interface MemberOptions {
  /** New with each start. */
  id: string
  /** The machine, the process on it and its start. */
  process: string
  version: string
  clock: Clock
  counts?: PostgresCounts
  /** How the server lists its connections. */
  name?: string
}

export interface PostgresMember {
  client: PostgresClient
  cluster: Cluster
  close(): Promise<void>
}

/** Connects an instance to a database whose schema is up to date, and joins. `close` does not leave: see `Cluster.leave`. */
export async function joinCluster(
  url: string,
  { id, process, version, clock, name, counts }: MemberOptions,
): Promise<PostgresMember> {
  let ring = () => {}
  const client = connectPostgres(url, {
    member: id,
    ...(name !== undefined && { name }),
    ...(counts && { counts }),
    onNews: () => ring(),
  })
  const rows = memberRows(client.beats)
  const news = newsOf(client.db)
  const bell = openBell(client.acts, url, id)
  ring = () => bell.ring('deliveries')
  async function close(): Promise<void> {
    await bell.close()
    await client.close()
  }
  try {
    // May wait longer than a beat.
    await memberRows(client.db).join({ id, process, version, now: clock.now() })
  } catch (error) {
    await close()
    throw error
  }
  return {
    client,
    cluster: {
      ...rows,
      me: id,
      shareOf,
      beat: (takes) => rows.beat(takes, () => clock.now()),
      takeNews: news.takeNews,
      async tell(endpointId) {
        if (await news.tell(endpointId)) ring()
      },
      ring: bell.ring,
      onRing: bell.onRing,
    },
    close,
  }
}
