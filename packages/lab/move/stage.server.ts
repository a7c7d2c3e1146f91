// The stage of the move's proof: a big file, a PostgreSQL, the real command, and a receiver that counts who calls.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { openPostgres } from '../../../scripts/postgres.mjs'
import { withClient } from '../../../scripts/postgres-databases.mjs'
import { seededRandom } from '../report/arguments.ts'
import { proofReceiver } from '../stage/receiver.ts'
import { type ProofServer, pause, proofServer } from '../stage/server.ts'
import { makeWebhooks } from '../stage/webhooks.ts'

export interface MoveRun {
  code: number | null
  seconds: number
  /** Of the source, as the engine keeps it. */
  bytes: number
  /** As the command tells it. */
  steps: string
  mostMemory: number
  said: string
}

export interface MoveFindings {
  server: string
  fileBytes: number
  serverBytes: number
  rows: number
  there: MoveRun
  back: MoveRun
  leftOnServer: number
  leftFile: boolean
  differences: string[]
  counters: string[]
  held: { there: boolean; back: boolean }
  sentBefore: number
  waiting: number
  missing: number
}

const DATABASE = 'fieldhook_move'
/** Deliveries that a product without a hold would send at once. */
const WAITING = 50
const LOOK_MS = 5_000
const RELEASED_WITHIN_MS = 30_000

export async function proveMove(events: number, tell: (label: string, value: string) => void): Promise<MoveFindings> {
  const receiver = await proofReceiver(seededRandom(1))
  const postgres = await openPostgres()
  const folder = mkdtempSync(join(tmpdir(), 'fieldhook-move-'))
  const env = { EGRESS_ALLOW: receiver.hostAndPort, MAX_DB_MB: '200000', DATA_FOLDER: folder }
  const server = await proofServer({ env, folder })
  try {
    await server.launch()
    await server.ready()
    await makeWebhooks(server, receiver.url, 2)
    await server.drain()
    const file = server.databaseFile
    const waiting = fill(file, events)
    const fileBytes = statSync(file).size
    tell('filled', `${(fileBytes / 2 ** 20).toFixed(0)} MB`)
    await postgres.createDatabase(DATABASE)
    const url = postgres.url(DATABASE)

    await interrupted(server, ['--to', url], events)
    await settled(url)
    const leftOnServer = await rowsOnServer(url)
    const there = await moving(server, ['--to', url], fileBytes)
    tell('there', `${there.seconds.toFixed(0)} s`)
    const serverBytes = await numberFrom(url, 'SELECT pg_database_size(current_database()) AS n')
    const heldThere = (await numberFrom(url, "SELECT count(*) AS n FROM installation WHERE name = 'held'")) === 1

    const back = join(folder, 'back.db')
    await interrupted(server, ['--from', url, '--to', `file:${back}`], events)
    await settled(url)
    const leftFile = existsSync(back)
    const backRun = await moving(server, ['--from', url, '--to', `file:${back}`], serverBytes)
    tell('back', `${backRun.seconds.toFixed(0)} s`)
    const compared = compare(file, back)

    await server.launch({ env: { DATABASE_URL: url } })
    await server.ready()
    await pause(LOOK_MS)
    const sentBefore = receiver.arrivals.size
    await command(server, 'release.mjs', ['--yes'], { DATABASE_URL: url })
    const missing = await receiver.stillMissing(waiting, RELEASED_WITHIN_MS)
    await server.drain()
    return {
      ...{
        server: `${postgres.version}, ${postgres.source}`,
        fileBytes,
        serverBytes,
        leftOnServer,
        leftFile,
        ...compared,
      },
      ...{ there, back: backRun, held: { there: heldThere, back: existsSync(`${back}.held`) } },
      ...{ sentBefore, waiting: waiting.length, missing },
    }
  } finally {
    await server.dispose()
    await postgres.stop()
    await receiver.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Events of the past with body, delivery and attempt, and some that wait. Returns the records of those. */
function fill(file: string, events: number): string[] {
  const sql = new Database(file)
  sql.pragma('synchronous = OFF')
  sql.pragma('cache_size = -200000')
  const endpoint = sql
    .prepare<[], { id: number; account: string; url: string }>(
      "SELECT id, account_uuid AS account, url FROM endpoint WHERE object_type = 'job' LIMIT 1",
    )
    .get()
  if (!endpoint) throw new Error('the product has made no endpoint')
  const given = { ...endpoint, now: Date.now(), last: events - WAITING, all: events, day: 86_400_000 }
  const numbers = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < @all)'
  const first = sql.prepare<[], number>('SELECT coalesce(max(seq), 0) FROM event').pluck().get() ?? 0
  const run = (text: string) => sql.prepare(text).run({ ...given, first })
  sql.transaction(() => {
    run(`${numbers} INSERT INTO event (seq, id, account_uuid, source, object, object_uuid, changed_fields, received_at, dedupe)
      SELECT @first + i, lower(hex(randomblob(16))), CASE WHEN i > @last OR i % 100 = 0 THEN @account ELSE 'account-' || (i % 1000) END,
        'object', 'job', 'record-' || i, '["status","job_address"]', @now - @day + i / 12, lower(hex(randomblob(20))) FROM n`)
    run(`${numbers} INSERT INTO event_body (seq, body) SELECT @first + i,
        '{"object":"job","entry":[{"uuid":"record-' || i || '","changed_fields":["status"],"note":"' || hex(randomblob(450)) || '"}]}' FROM n`)
    run(`INSERT INTO delivery (event_seq, endpoint_id, account_uuid, object_uuid, cause, cause_no, state, due_at, deadline_at, attempts,
        steps, last_code, created_at, settled_at)
      SELECT seq, @id, account_uuid, object_uuid, 'live', 0, CASE WHEN seq > @first + @last THEN 'pending' ELSE 'delivered' END,
        received_at, @now + 2 * @day, seq <= @first + @last, 0, CASE WHEN seq <= @first + @last THEN 200 END, received_at,
        CASE WHEN seq <= @first + @last THEN received_at + 300 END FROM event WHERE seq > @first`)
    run(`INSERT INTO attempt (delivery_id, account_uuid, endpoint_id, url, number, at, duration_ms, dns_ms, connect_ms, tls_ms,
        first_byte_ms, outcome, status_code, sentence, peer_ip, response_body)
      SELECT id, account_uuid, @id, @url, 1, created_at, 120, 3, 20, 40, 110, 'delivered', 200, 'Delivered with 200.', '203.0.113.9',
        'thank you' FROM delivery WHERE state = 'delivered'`)
    run(`UPDATE endpoint SET pending_count = pending_count + (@all - @last) WHERE id = @id`)
    run(`INSERT INTO account_load (account_uuid, pending_count, pending_bytes) VALUES (@account, @all - @last, 50000)
      ON CONFLICT (account_uuid) DO UPDATE SET pending_count = pending_count + excluded.pending_count`)
  })()
  sql.pragma('wal_checkpoint(TRUNCATE)')
  sql.close()
  return Array.from({ length: WAITING }, (_, at) => `record-${events - at}`)
}

interface Ran {
  code: number | null
  said: string
  mostMemory: number
}

/** Runs a command of the product as an operator does. `killAfterMs` counts from its first line. */
function command(
  server: ProofServer,
  script: string,
  args: string[],
  more: Record<string, string> = {},
  killAfterMs?: number,
): Promise<Ran> {
  const child = spawn(process.execPath, [resolve('scripts', script), ...args], {
    env: {
      PATH: process.env.PATH ?? '',
      DATABASE_URL: `file:${server.databaseFile}`,
      DATA_FOLDER: join(server.databaseFile, '..'),
      PLATFORM: 'sandbox',
      NODE_ENV: 'production',
      ...more,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  let mostMemory = 0
  let killing: NodeJS.Timeout | undefined
  const hear = (chunk: Buffer) => {
    said += chunk.toString()
    if (killAfterMs === undefined || killing || !said.includes('Moving')) return
    killing = setTimeout(() => child.kill('SIGKILL'), killAfterMs)
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', hear)
  const look = setInterval(() => {
    mostMemory = Math.max(mostMemory, memoryOf(child.pid))
  }, 100)
  return new Promise((done) =>
    child.once('close', (code) => {
      clearInterval(look)
      clearTimeout(killing)
      done({ code, said, mostMemory })
    }),
  )
}

/** Bytes, 0 where the system does not say. */
function memoryOf(pid: number | undefined): number {
  try {
    return 1024 * Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

async function moving(server: ProofServer, args: string[], bytes: number): Promise<MoveRun> {
  const began = performance.now()
  const { code, said, mostMemory } = await command(server, 'move.mjs', args)
  const seconds = (performance.now() - began) / 1000
  return { code, said, mostMemory, bytes, seconds, steps: /MB\/s\): (.*)\./.exec(said)?.[1] ?? '' }
}

/** Ends a move by kill -9 while it copies. */
async function interrupted(server: ProofServer, args: string[], events: number): Promise<void> {
  const killed = await command(server, 'move.mjs', args, {}, events / 100)
  if (killed.code !== null) throw new Error(`the move ended before it was killed: ${killed.said}`)
}

/** Until the server has noticed that the killed move is gone. */
async function settled(url: string): Promise<void> {
  for (;;) {
    const left = await numberFrom(
      url,
      "SELECT count(*) AS n FROM pg_stat_activity WHERE application_name = 'fieldhook move'",
    )
    if (left === 0) return
    await pause(100)
  }
}

async function numberFrom(url: string, text: string): Promise<number> {
  return withClient(url, async (client) => Number((await client.query<{ n: string }>(text)).rows[0]?.n))
}

async function rowsOnServer(url: string): Promise<number> {
  const tables = ['account', 'event', 'event_body', 'delivery', 'attempt', 'installation']
  return numberFrom(url, `SELECT ${tables.map((table) => `(SELECT count(*) FROM ${table})`).join(' + ')} AS n`)
}

/** Independent of the command: both files are read side by side. */
function compare(one: string, other: string): Pick<MoveFindings, 'rows' | 'differences' | 'counters'> {
  const [left, right] = [one, other].map((file) => new Database(file, { readonly: true }))
  if (!left || !right) throw new Error('no files')
  const differences: string[] = []
  let rows = 0
  const tables = left
    .prepare<[], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('lease', '__drizzle_migrations') AND name NOT LIKE 'sqlite_%'",
    )
    .pluck()
    .all()
  for (const table of tables) {
    const key = (left.pragma(`table_info("${table}")`) as { name: string; pk: number }[])
      .filter(({ pk }) => pk > 0)
      .map(({ name }) => `"${name}"`)
    const text = `SELECT * FROM "${table}" ORDER BY ${key.join(', ')}`
    const there = right.prepare(text).raw().iterate()
    for (const row of left.prepare(text).raw().iterate()) {
      rows += 1
      const beside = there.next()
      if (JSON.stringify(row) !== JSON.stringify(beside.value))
        differences.push(`${table} ${JSON.stringify(row).slice(0, 80)}`)
    }
    if (!there.next().done) differences.push(`${table} has more rows`)
  }
  const numbers = 'SELECT name, seq FROM sqlite_sequence WHERE seq > 0 ORDER BY name'
  const [before, after] = [left, right].map((sql) => sql.prepare<[], { name: string; seq: number }>(numbers).all())
  const counters = (before ?? []).filter(({ name, seq }) => after?.find((one) => one.name === name)?.seq !== seq)
  left.close()
  right.close()
  return { rows, differences, counters: counters.map(({ name }) => name) }
}
