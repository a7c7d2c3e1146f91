// This process as a member of the installation's instances.
import pg from 'pg'
import type { Clock } from '#app/lib/clock.ts'
import type { Database } from '../database.ts'
import type { BellTopic, Cluster, ClusterView, Member, ShareRow } from '../store/cluster.ts'
import { connectPostgres } from './client.server.ts'
import { MEMBER, type PostgresCounts } from './database.server.ts'
import { newsOf } from './news.server.ts'
import { shareOf } from './share-of.server.ts'

interface MemberOptions extends Pick<Member, 'id' | 'process' | 'version'> {
  clock: Clock
  counts?: PostgresCounts
  /** How the server lists its connections. */
  name?: string
}

export type PostgresMember = Awaited<ReturnType<typeof joinCluster>>

/** Connects an instance to a database whose schema is up to date, and joins. `close` does not leave: see `Cluster.leave`. */
export async function joinCluster(url: string, { id, process, version, clock, name, counts }: MemberOptions) {
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
    } satisfies Cluster,
    close,
  }
}

// Tells the other instances at once what they would find out by themselves within a second. May fail: then they do.
const CHANNEL = 'fieldhook'
/** Rings of this time are one. ms */
const GATHER = 10
/** How long to wait before listening again after the connection broke. ms */
const LISTEN_AGAIN = 2_000

const TOPICS = new Set<string>(['shares', 'deliveries', 'runs', 'rules', 'touched'] satisfies BellTopic[])

/** `pool`: of the acts. `me`: whose rings are not heard here. */
function openBell(pool: pg.Pool, url: string, me: string) {
  const hearers: ((topic: BellTopic) => void)[] = []
  const gathered = new Set<BellTopic>()
  let listener: pg.Client | null = null
  let timer: NodeJS.Timeout | undefined
  let again: NodeJS.Timeout | undefined
  let closed = false

  function hear({ payload = '' }: { payload?: string | undefined }): void {
    const [from, ...topics] = payload.split(' ')
    if (from === me) return
    for (const topic of topics) if (isTopic(topic)) for (const each of hearers) each(topic)
  }

  async function listen(): Promise<void> {
    const client = new pg.Client({ connectionString: url, application_name: 'fieldhook bell', keepAlive: true })
    listener = client
    const lost = () => {
      if (listener !== client) return
      listener = null
      void client.end().catch(() => {})
      if (!closed) again = setTimeout(() => void listen(), LISTEN_AGAIN).unref()
    }
    client.on('error', lost)
    client.on('end', lost)
    client.on('notification', hear)
    try {
      await client.connect()
      await client.query(`LISTEN ${CHANNEL}`)
    } catch {
      lost()
    }
  }

  /** Apart from the transaction it tells of, which would otherwise wait for every other one that rings. */
  async function tell(): Promise<void> {
    const payload = [me, ...gathered].join(' ')
    gathered.clear()
    try {
      await pool.query(`BEGIN; SET LOCAL synchronous_commit = off; NOTIFY ${CHANNEL}, '${payload}'; COMMIT`)
    } catch {
      // They look by themselves.
    }
  }

  void listen()
  return {
    ring(topic: BellTopic) {
      if (gathered.size === 0) timer = setTimeout(() => void tell(), GATHER).unref()
      gathered.add(topic)
    },
    onRing: (each: (topic: BellTopic) => void) => void hearers.push(each),
    async close() {
      closed = true
      clearTimeout(timer)
      clearTimeout(again)
      const open = listener
      listener = null
      await open?.end().catch(() => {})
    },
  }
}

function isTopic(topic: string): topic is BellTopic {
  return TOPICS.has(topic)
}

// The instances of one installation as rows: their beats, and the shares of the accounts they work for.
interface MemberInput extends Pick<Member, 'id' | 'process' | 'version'> {
  now: number
}

/** `db`: connections of this member (`connectPostgres`). Each statement is right whatever the others do meanwhile. */
export function memberRows(db: Database) {
  const join = db.prepare<MemberInput>(
    'INSERT INTO member (id, process, version, started_at) VALUES (@id, @process, @version, @now)',
  )
  const beat = db.prepare<{ takes: 0 | 1 }>(`UPDATE member SET beats = beats + 1, takes = @takes WHERE id = ${MEMBER}`)
  const members = db.prepare<[], Omit<Member, 'takes'> & { takes: 0 | 1 }>(
    'SELECT id, process, version, beats, takes FROM member ORDER BY id',
  )
  const shares = db.prepare<[], ShareRow>('SELECT part, owner FROM share ORDER BY part')
  const clock = db.prepare<[], number>('SELECT extract(epoch FROM clock_timestamp()) * 1000').pluck()
  // Waits for acts of that member that are under way: each of them locks its row.
  const remove = db.prepare<{ id: string; beats: number }>('DELETE FROM member WHERE id = @id AND beats = @beats')
  // Asked again for each row when another has just taken it, so nobody takes one twice.
  const take = db
    .prepare<{ count: number }, number>(
      `UPDATE share SET owner = ${MEMBER}, fresh = 1
       WHERE owner IS NULL AND part IN (SELECT part FROM share WHERE owner IS NULL ORDER BY part LIMIT @count FOR UPDATE SKIP LOCKED)
       RETURNING part`,
    )
    .pluck()
  const looked = db.prepare<{ parts: string }>(
    `UPDATE share SET fresh = 0 WHERE owner = ${MEMBER} AND part IN (SELECT value::integer FROM json_array_elements_text(@parts::json))`,
  )
  const give = db.prepare<{ parts: string }>(
    `UPDATE share SET owner = NULL, fresh = 1
     WHERE owner = ${MEMBER} AND part IN (SELECT value::integer FROM json_array_elements_text(@parts::json))`,
  )
  const leave = db.prepare(`DELETE FROM member WHERE id = ${MEMBER}`)

  return {
    join: db.single(function* (member: MemberInput) {
      yield* join.run(member)
    }),
    /** Null = this instance is no member any more. */
    beat: db.single(function* (takes: boolean, now: () => number): Generator<unknown, ClusterView | null> {
      if ((yield* beat.run({ takes: takes ? 1 : 0 })).changes === 0) return null
      const all = yield* members.all()
      const owned = yield* shares.all()
      const asked = now()
      const told = (yield* clock.get()) ?? asked
      // The answer was on its way for half of the time.
      return {
        members: all.map((member) => ({ ...member, takes: member.takes === 1 })),
        shares: owned,
        clockAhead: Math.round(told - (asked + now()) / 2),
      }
    }),
    remove: db.single(function* ({ id, beats }: Pick<Member, 'id' | 'beats'>) {
      return (yield* remove.run({ id, beats })).changes === 1
    }),
    take: db.single((count: number) => take.all({ count })),
    lookedThrough: db.single(function* (parts: readonly number[]) {
      yield* looked.run({ parts: JSON.stringify(parts) })
    }),
    give: db.single(function* (parts: readonly number[]) {
      yield* give.run({ parts: JSON.stringify(parts) })
    }),
    leave: db.single(function* () {
      yield* leave.run()
    }),
  }
}
