// Samples every few seconds during the soak: the process from outside, its heap after garbage collection, the file.
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { residentMb } from '../bench/processes.ts'
import { percentile } from '../report/arguments.ts'
import { type ProofServer, pause } from '../stage/server.ts'

const HEAP_WITHIN_MS = 10_000
const MB = 1024 * 1024

export interface Sample {
  /** Minutes since the load began. */
  at: number
  residentMb: number
  descriptors: number
  /** Those that others opened to the server. */
  incoming: number
  walMb: number
  databaseMb: number
  /** Age of the oldest due delivery of an undisturbed address, ms. */
  oldestDueMs: number
  /** Events acknowledged since the last sample, per second. */
  acksPerSecond: number
  /** Durations of acknowledgements for healthy addresses, ms; NaN without any. */
  ackP50: number
  ackP99: number
  /** Waiting times of people since the last sample, ms. */
  readP99: number
}

export interface HeapSample {
  at: number
  heapMb: number
  /** Memory of buffers and of SQLite, which V8 counts but does not hold. */
  externalMb: number
}

export interface Sampler {
  sample(at: number): Sample
  /** Null when the server did not report it in time. */
  heap(at: number): Promise<HeapSample | null>
}

/** @param taken takes everything collected since the last call; `others` = acknowledged for hostile addresses */
export function sampler(
  server: ProofServer,
  steadyUrl: string,
  taken: () => { acks: number[]; others: number; reads: number[] },
): Sampler {
  let heapsAsked = 0
  let lookedAt = 0
  const port = Number(new URL(server.origin).port)
  return {
    sample(at) {
      const { acks, others, reads } = taken()
      const seconds = (at - lookedAt) * 60
      lookedAt = at
      return {
        at,
        residentMb: residentMb(server.pid) ?? Number.NaN,
        ...descriptorsOf(server.pid, port),
        walMb: sizeOf(`${server.databaseFile}-wal`) / MB,
        databaseMb: sizeOf(server.databaseFile) / MB,
        oldestDueMs: oldestDueMs(server.databaseFile, steadyUrl),
        acksPerSecond: (acks.length + others) / seconds,
        ackP50: percentile(acks, 0.5),
        ackP99: percentile(acks, 0.99),
        readP99: percentile(reads, 0.99),
      }
    },
    async heap(at) {
      const wanted = ++heapsAsked
      process.kill(server.pid, 'SIGUSR2')
      for (const until = performance.now() + HEAP_WITHIN_MS; performance.now() < until; await pause(20)) {
        const said = lastSaid(server.output())
        if (said && said.asked >= wanted)
          return { at, heapMb: said.heapUsed / MB, externalMb: (said.external + said.arrayBuffers) / MB }
      }
      heapsAsked = lastSaid(server.output())?.asked ?? heapsAsked
      return null
    },
  }
}

interface Said {
  asked: number
  heapUsed: number
  external: number
  arrayBuffers: number
}

/** The last output of packages/lab/soak/preload.mjs. */
function lastSaid(output: string): Said | null {
  const from = output.lastIndexOf('SOAK {')
  const end = output.indexOf('\n', from)
  return from < 0 || end < 0 ? null : (JSON.parse(output.slice(from + 5, end)) as Said)
}

function descriptorsOf(pid: number, port: number): Pick<Sample, 'descriptors' | 'incoming'> {
  try {
    const folder = `/proc/${pid}/fd`
    const open = readdirSync(folder).map((name) => targetOf(`${folder}/${name}`))
    const incoming = connectionsTo(port, readFileSync(`/proc/${pid}/net/tcp`, 'utf8'))
    return { descriptors: open.length, incoming: open.filter((target) => incoming.has(target)).length }
  } catch {
    return { descriptors: Number.NaN, incoming: Number.NaN }
  }
}

/** A descriptor that was just closed has no target. */
function targetOf(link: string): string {
  try {
    return readlinkSync(link)
  } catch {
    return ''
  }
}

/** `socket:[inode]` of every connection to this local port. A listening socket has no peer. */
export function connectionsTo(port: number, table: string): Set<string> {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const found = new Set<string>()
  for (const row of table.split('\n').slice(1)) {
    const [, here, there, , , , , , , inode] = row.trim().split(/\s+/)
    if (here?.endsWith(local) && there !== '00000000:0000' && inode) found.add(`socket:[${inode}]`)
  }
  return found
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

/** Opened only for a moment each time: a permanent reader would keep the log from being checkpointed. */
function oldestDueMs(databaseFile: string, url: string): number {
  const sql = new Database(databaseFile, { readonly: true })
  try {
    const due = sql
      .prepare<[string], number | null>(
        `SELECT min((SELECT min(due_at) FROM delivery d WHERE d.endpoint_id = e.id AND d.state = 'pending'))
         FROM endpoint e WHERE e.url = ?`,
      )
      .pluck()
      .get(url)
    return due === null || due === undefined ? 0 : Math.max(0, Date.now() - due)
  } finally {
    sql.close()
  }
}
