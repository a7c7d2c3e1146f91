// The stage of the backup proof: the built server with a big file, its commands, and an empty folder to restore to.
import { spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { newBackupKey } from '#app/adapters/backup-seal.server.ts'
import { BACKUP_FLAGS } from '#app/boot/backup-jobs.server.ts'
import { seededRandom } from '../report/arguments.ts'
import { proofLoad } from '../stage/load.ts'
import { proofReceiver } from '../stage/receiver.ts'
import { type ProofServer, pause, proofServer } from '../stage/server.ts'
import { makeWebhooks } from '../stage/webhooks.ts'

export interface Command {
  code: number | null
  seconds: number
  mostMemory: number
  /** Seconds by step, where the command reported them. */
  steps: Record<string, number>
  said: string
}

export interface RestoreFindings {
  databaseBytes: number
  events: number
  storedBytes: number
  parts: number
  backup: Command
  drill: Command
  restore: Command
  startSeconds: number
  /** ms until an event was acknowledged. */
  delays: { usual: number[]; backup: number[]; drill: number[] }
  serverMemory: number
  /** Answered with another status than 200. */
  otherAnswers: number
  /** Calls that ended without an answer, and were repeated. */
  cutOff: number
  /** Events that were never accepted. */
  neverAnswered: number
  missing: number
  held: boolean
  sentByCopy: number
  leftBehind: string[]
}

/** Size of an event's body, in characters that hold 6 random bits each. */
const BODY_CHARACTERS = 3_000
const ROWS_PER_COMMIT = 2_000
const USUAL_MS = 15_000
const ACCOUNT = 'cccccccc-0000-4000-8000-000000000003'

export async function proveRestore(
  asked: { gib: number; rate: number; seed: number },
  tell: (label: string, value: string) => void,
): Promise<RestoreFindings> {
  const receiver = await proofReceiver(seededRandom(asked.seed))
  const folder = mkdtempSync(join(tmpdir(), 'fieldhook-restore-'))
  const backupEnv = { BACKUP_TO: join(folder, 'place'), BACKUP_KEY: (await newBackupKey()).identity }
  const env = {
    ...backupEnv,
    // The copy opens what the live one sealed.
    ENC_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    EGRESS_ALLOW: receiver.hostAndPort,
    MAX_DB_MB: String(Math.ceil(asked.gib * 4 * 1024)),
    RETENTION_DAYS: '30',
  }
  const server = await proofServer({ env, folder: join(folder, 'live') })
  const copy = await proofServer({ env, folder: join(folder, 'copy') })
  try {
    await server.launch()
    await server.ready()
    const targets = await makeWebhooks(server, receiver.url, 2)
    await server.drain()
    const filled = fill(server.databaseFile, asked.gib, tell)
    await server.launch()
    await server.ready()

    const load = proofLoad(targets, asked.rate, randomUUID)
    const delays = { usual: [] as number[], backup: [] as number[], drill: [] as number[] }
    const during = async <T>(into: number[], work: () => Promise<T>): Promise<T> => {
      const from = load.latencies.length
      load.begin()
      const result = await work()
      await load.end()
      into.push(...load.latencies.slice(from))
      return result
    }
    await during(delays.usual, () => pause(USUAL_MS))
    tell('load without a backup', 'done')
    const before = new Set(load.acknowledged)
    const beside = { ...env, ...environmentOf(server) }
    const backup = await during(delays.backup, () => command('backup', ['--json'], beside))
    tell('backup', `${backup.seconds.toFixed(1)} s`)
    const taken = JSON.parse(backup.said) as { storedBytes?: number; detail?: { parts: number } }
    const drill = await during(delays.drill, () => command('drill', ['--json'], beside))
    tell('drill', `${drill.seconds.toFixed(1)} s`)
    const neverAnswered = await load.settleUp(30_000)
    const cutOff = load.statuses.get(0) ?? 0
    const answers = [...load.statuses].reduce((sum, [, count]) => sum + count, 0)
    const otherAnswers = answers - cutOff - (load.statuses.get(200) ?? 0)
    const serverMemory = peakOf(server.pid)
    await receiver.stillMissing(load.acknowledged, 30_000)
    load.close()
    await server.drain()

    const arrived = [...receiver.arrivals.values()].reduce((sum, times) => sum + times, 0)
    const restore = await command('restore', ['latest'], { ...env, ...environmentOf(copy) })
    tell('restore', `${restore.seconds.toFixed(1)} s`)
    const began = performance.now()
    await copy.launch()
    await copy.ready()
    const startSeconds = (performance.now() - began) / 1000
    await pause(3_000)
    await copy.drain()
    const sentByCopy = [...receiver.arrivals.values()].reduce((sum, times) => sum + times, 0) - arrived
    return {
      databaseBytes: filled.bytes,
      events: filled.events,
      storedBytes: taken.storedBytes ?? 0,
      parts: taken.detail?.parts ?? 0,
      backup,
      drill,
      restore,
      startSeconds,
      delays,
      serverMemory,
      otherAnswers,
      cutOff,
      neverAnswered,
      missing: missingIn(copy.databaseFile, before, filled.events),
      held: readdirSync(dirname(copy.databaseFile)).includes(`${basename(copy.databaseFile)}.held`),
      sentByCopy,
      leftBehind: [server, copy].flatMap((one) =>
        readdirSync(dirname(one.databaseFile)).filter((name) => /\.(backup|restore|drill)-\d+$/.test(name)),
      ),
    }
  } finally {
    await server.dispose()
    await copy.dispose()
    await receiver.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function environmentOf(server: ProofServer): Record<string, string> {
  return { DATABASE_URL: `file:${server.databaseFile}`, APP_ORIGIN: server.origin, PLATFORM: 'sandbox' }
}

/** Adds events of a separate account, with incompressible bodies, until the file has that size. */
function fill(
  file: string,
  gib: number,
  tell: (label: string, value: string) => void,
): { bytes: number; events: number } {
  const sql = new Database(file)
  try {
    // Losing this data in a power failure does no harm.
    sql.pragma('synchronous = OFF')
    sql.exec(
      `INSERT INTO account (uuid, name, timezone, created_at, updated_at) VALUES ('${ACCOUNT}', 'Filled', 'UTC', 0, 0)`,
    )
    const event = sql.prepare(
      `INSERT INTO event (id, account_uuid, source, object, object_uuid, changed_fields, received_at, dedupe)
       VALUES (?, ?, 'object', 'job', ?, '["status"]', ?, ?)`,
    )
    const body = sql.prepare('INSERT INTO event_body (seq, body) VALUES (?, ?)')
    const some = sql.transaction(() => {
      for (let n = 0; n < ROWS_PER_COMMIT; n++) {
        const record = randomUUID()
        const { lastInsertRowid } = event.run(record, ACCOUNT, record, Date.now(), record)
        body.run(lastInsertRowid, randomBytes((BODY_CHARACTERS * 3) / 4).toString('base64'))
      }
    })
    const pages = () => sql.pragma('page_count', { simple: true }) as number
    const pageSize = sql.pragma('page_size', { simple: true }) as number
    const wanted = gib * 2 ** 30
    const began = performance.now()
    while (pages() * pageSize < wanted) some()
    sql.pragma('wal_checkpoint(TRUNCATE)')
    tell('filled in', `${((performance.now() - began) / 1000).toFixed(0)} s`)
    const events = sql.prepare<[], number>('SELECT count(*) FROM event').pluck().get() ?? 0
    return { bytes: statSync(file).size, events }
  } finally {
    sql.close()
  }
}

/** One of our commands as the product's job runs it: a low-priority process with a small heap. */
async function command(name: string, args: string[], env: Record<string, string>): Promise<Command> {
  const began = performance.now()
  const script = resolve(`scripts/${name}.mjs`)
  const child = spawn('nice', ['-n', '10', process.execPath, ...BACKUP_FLAGS, script, ...args], {
    env: { PATH: process.env.PATH ?? '', NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
  let mostMemory = 0
  const look = setInterval(() => {
    mostMemory = Math.max(mostMemory, peakOf(child.pid ?? 0))
  }, 100)
  const code = await new Promise<number | null>((done) => child.once('close', done))
  clearInterval(look)
  const last = said.trimEnd().split('\n').at(-1) ?? ''
  const seconds = (performance.now() - began) / 1000
  return { code, seconds, mostMemory, steps: stepsIn(said, last), said: last }
}

/** From the JSON answer, or from "find 0.1 s, fetch 2.0 s". */
function stepsIn(said: string, last: string): Record<string, number> {
  if (last.startsWith('{'))
    return (JSON.parse(last) as { detail?: { seconds?: Record<string, number> } }).detail?.seconds ?? {}
  const line = said.split('\n').find((one) => /^find [\d.]+ s,/.test(one)) ?? ''
  return Object.fromEntries(
    [...line.matchAll(/(\w+) ([\d.]+) s/g)].map(([, step = '', value]) => [step, Number(value)]),
  )
}

/** Peak memory of a process, bytes; 0 where the system has no figure, or the process has ended. */
function peakOf(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}

function missingIn(file: string, records: ReadonlySet<string>, filled: number): number {
  const sql = new Database(file, { readonly: true })
  try {
    const all = sql.prepare<[string], number>('SELECT count(*) FROM event WHERE account_uuid = ?').pluck()
    const ofFilled = Math.max(0, filled - (all.get(ACCOUNT) ?? 0))
    const sent = new Set(
      sql.prepare<[string], string>('SELECT object_uuid FROM event WHERE account_uuid <> ?').pluck().all(ACCOUNT),
    )
    return ofFilled + [...records].filter((record) => !sent.has(record)).length
  } finally {
    sql.close()
  }
}
