// Tells the other instances at once what they would find out by themselves within a second. May fail: then they do.
import pg from 'pg'
import type { BellTopic } from '../store/cluster.ts'

const CHANNEL = 'fieldhook'
/** Rings of this time are one. ms */
const GATHER = 10
/** How long to wait before listening again after the connection broke. ms */
const LISTEN_AGAIN = 2_000

export interface Bell {
  ring(topic: BellTopic): void
  onRing(hear: (topic: BellTopic) => void): void
  close(): Promise<void>
}

const TOPICS = new Set<string>(['shares', 'deliveries', 'runs', 'rules', 'touched'] satisfies BellTopic[])

/** `pool`: of the acts. `me`: whose rings are not heard here. */
export function openBell(pool: pg.Pool, url: string, me: string): Bell {
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
    ring(topic) {
      if (gathered.size === 0) timer = setTimeout(() => void tell(), GATHER).unref()
      gathered.add(topic)
    },
    onRing: (each) => void hearers.push(each),
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
