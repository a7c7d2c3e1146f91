// The disk proof: a real server whose disk fills up, turns read-only, fails or is slow, and recovers while it runs.
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type ProofArguments, percentile, seededRandom } from '../report/arguments.ts'
import { examineFile, type FileFindings, untilNothingWaits } from '../stage/file.ts'
import { proofLoad } from '../stage/load.ts'
import { proofReceiver } from '../stage/receiver.ts'
import { type LaunchOptions, type ProofServer, pause, proofServer } from '../stage/server.ts'
import { diskControl } from '../stage/shim.ts'
import { makeWebhooks } from '../stage/webhooks.ts'

const OBJECTS = 3
const DELIVERED_WITHIN = 120_000
/** Writes that failed during the disk trouble succeed soon after. */
const SETTLED_WITHIN = 60_000
const REFUSES_WITHIN = 60_000
const PRELOAD = resolve('packages/lab/disk/preload.mjs')
const EIO = 5
const EROFS = 30

/** A disk in trouble. */
export interface Trouble {
  /** Folder for the server's files. */
  folder: string
  launch: LaunchOptions
  begin(server: ProofServer): void
  end(server: ProofServer): void
  /** Syncs of the database and its log so far, if they can be counted. */
  syncs?(): number
  close(): void
}

export type PossibleTrouble = { outcome: 'possible'; trouble: Trouble } | { outcome: 'not_possible'; sentence: string }

/** A small in-memory file system that something else fills up. Needs the right to mount. */
export function fullDisk(megabytes: number): PossibleTrouble {
  const folder = mkdtempSync(join(tmpdir(), 'fieldhook-disk-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'fieldhook-proof', folder], {
    encoding: 'utf8',
  })
  if (mounted.status !== 0) {
    rmSync(folder, { recursive: true })
    const why = mounted.error?.message ?? mounted.stderr.trim()
    return { outcome: 'not_possible', sentence: `A small file system to fill up could not be mounted: ${why}` }
  }
  const filler = join(folder, 'filler')
  let open = true
  const close = () => {
    if (!open) return
    open = false
    // After an interruption the server may still run for a moment: a lazy unmount waits until the folder is unused.
    if (spawnSync('umount', [folder]).status !== 0) spawnSync('umount', ['-l', folder])
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', close)
  return {
    outcome: 'possible',
    trouble: {
      folder: join(folder, 'data'),
      launch: {},
      begin: () => fillUp(filler),
      end: () => rmSync(filler, { force: true }),
      close() {
        process.off('exit', close)
        close()
      },
    },
  }
}

function fillUp(file: string): void {
  const handle = openSync(file, 'a')
  const block = Buffer.alloc(4096, 'x')
  try {
    for (;;) writeSync(handle, block)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
  } finally {
    closeSync(handle)
  }
}

/** A limit on the size of every file of the process (RLIMIT_FSIZE): needs no rights, and has a different error code. */
export function fileSizeLimit(): PossibleTrouble {
  const known = spawnSync('prlimit', ['--version'])
  if (known.status !== 0)
    return { outcome: 'not_possible', sentence: 'There is no prlimit here to limit file sizes with.' }
  const { top: folder, remove } = passingFolder()
  const limit = (server: ProofServer, bytes: number | 'unlimited') => {
    const done = spawnSync('prlimit', ['--pid', String(server.pid), `--fsize=${bytes}:`], { encoding: 'utf8' })
    if (done.status !== 0) throw new Error(`prlimit: ${done.stderr}`)
  }
  return {
    outcome: 'possible',
    trouble: {
      folder,
      launch: {},
      // The log may not grow beyond the database's size, and is full before it is long enough to be checkpointed.
      begin: (server) => limit(server, statSync(server.databaseFile).size),
      end: (server) => limit(server, 'unlimited'),
      close: remove,
    },
  }
}

/** Every write to the database is refused, as after an emergency remount; or every sync fails. */
export function refusingDisk(library: string, what: 'read-only' | 'sync fails'): Trouble {
  return shimmed(library, (control, on) => {
    if (what === 'read-only') control.tell('writeError', on ? EROFS : 0)
    else control.tell('syncError', on ? EIO : 0)
  })
}

/** Every sync takes `ms` longer. */
export function slowDisk(library: string, ms: number): Trouble {
  return shimmed(library, (control, on) => control.tell('syncMs', on ? ms : 0))
}

/** A folder that is removed after the proof, even after an interrupted one. */
function passingFolder(): { top: string; remove(): void } {
  const top = mkdtempSync(join(tmpdir(), 'fieldhook-disk-'))
  const remove = () => rmSync(top, { recursive: true, force: true })
  process.once('exit', remove)
  return {
    top,
    remove() {
      process.off('exit', remove)
      remove()
    },
  }
}

function shimmed(library: string, tell: (control: ReturnType<typeof diskControl>, on: boolean) => void): Trouble {
  const { top, remove } = passingFolder()
  const folder = join(top, 'data')
  mkdirSync(folder)
  const control = diskControl(library, top, join(folder, 'fieldhook.db'), null)
  return {
    folder,
    launch: { env: control.env },
    begin: () => tell(control, true),
    end: () => tell(control, false),
    syncs: control.syncs,
    close() {
      control.close()
      remove()
    },
  }
}

interface Told {
  refuses: boolean
  commitMs: number
}

/** A disk that refuses every write, or is slow, by SQLite's own means: for machines where nothing else works. */
export function pretendedDisk(trouble: Partial<Told>): Trouble {
  const { top, remove } = passingFolder()
  const file = join(top, 'told')
  // Atomically: the server reads the file while it is written.
  const tell = (told: Partial<Told>) => {
    writeFileSync(`${file}.new`, JSON.stringify({ refuses: false, commitMs: 0, ...told }))
    renameSync(`${file}.new`, file)
  }
  tell({})
  return {
    folder: join(top, 'data'),
    launch: { preload: PRELOAD, env: { PROOF_DISK: file } },
    begin: () => tell(trouble),
    end: () => tell({}),
    close: remove,
  }
}

type Sending = Pick<ProofArguments, 'rate' | 'seed'>

export interface TroubleFindings {
  acknowledged: number
  /** Answers during the trouble: 200, 503, and everything else (0 = no answer). */
  taken: number
  refused: number
  otherAnswers: string[]
  /** Acknowledged events that were missing in the file during the trouble. */
  falselyAcknowledged: number
  /** `/healthz` and `/readyz` during the trouble. */
  health: number
  readiness: number
  /** Whether a server killed in the middle of the trouble starts again before it ends. Null when it was not killed. */
  startsInTrouble: boolean | null
  /** ms from the end of the trouble to the next event accepted by the same process. Null when it accepted none. */
  backAfter: number | null
  neverAnswered: number
  neverArrived: number
  drained: boolean
  file: FileFindings
}

/**
 * Runs load, then trouble until events are refused and `ms` longer, then no trouble: nothing may be lost and nobody
 * restarts the server. `killed` = the server is killed in the middle of the trouble, and started again.
 */
export async function throughTrouble(
  trouble: Trouble,
  { rate, seed, ms, killed = false }: Sending & { ms: number; killed?: boolean },
): Promise<TroubleFindings> {
  return withLoad(trouble, { rate, seed, connections: 'kept' }, async ({ server, receiver, load }) => {
    await steady(load)
    trouble.begin(server)
    const before = new Map(load.statuses)
    const during = (status: number) => (load.statuses.get(status) ?? 0) - (before.get(status) ?? 0)
    const deadline = Date.now() + REFUSES_WITHIN
    while (during(503) === 0 && Date.now() < deadline) await pause(20)
    await pause(ms)
    const [health, readiness] = await Promise.all(
      ['healthz', 'readyz'].map((path) => statusOf(`${server.origin}/${path}`)),
    )
    const taken = during(200)
    const refused = during(503)
    const others = [...load.statuses.keys()].filter((status) => status !== 200 && status !== 503 && during(status) > 0)
    const falsely = examineFile(server.databaseFile, [...load.acknowledged]).missing.length
    const startsInTrouble = killed ? await startsAgain(trouble, { server, load }) : null

    const { pid } = server
    const endedAt = performance.now()
    trouble.end(server)
    const back = await load.firstAcknowledged(30_000).then(
      () => performance.now() - endedAt,
      () => null,
    )
    const alive = server.pid === pid && (await statusOf(`${server.origin}/healthz`)) === 200
    await pause(500)
    await load.end()
    return {
      taken,
      refused,
      otherAnswers: others.map((status) => `${during(status)} × ${status}`),
      falselyAcknowledged: falsely,
      health: health ?? 0,
      readiness: readiness ?? 0,
      startsInTrouble,
      backAfter: alive ? back : null,
      ...(await settled({ server, receiver, load })),
    }
  })
}

async function startsAgain(trouble: Trouble, { server, load }: Pick<Scene, 'server' | 'load'>): Promise<boolean> {
  await load.end()
  await server.killHard()
  const starts = (await server.launch(trouble.launch)) === 'listening'
  if (!starts) {
    trouble.end(server)
    await server.launch(trouble.launch)
  }
  load.begin()
  await pause(1_000)
  return starts
}

export interface SlownessFindings {
  acknowledged: number
  /** Acknowledged during the measurement. */
  meanwhile: number
  perSecond: number
  p50: number
  p99: number
  max: number
  /** Syncs during the measurement; null when not counted. */
  syncs: number | null
  otherAnswers: string[]
  neverAnswered: number
  neverArrived: number
  drained: boolean
  file: FileFindings
}

/**
 * Load on a disk that is slow from the first event on, for `ms`. New connections are the harder case: Node accepts one
 * per turn of the event loop, and every turn that commits waits for the disk.
 */
export async function onSlowDisk(
  trouble: Trouble,
  { rate, seed, ms, connections }: Sending & { ms: number; connections: 'kept' | 'new' },
): Promise<SlownessFindings> {
  return withLoad(trouble, { rate, seed, connections }, async ({ server, receiver, load }) => {
    trouble.begin(server)
    await steady(load)
    const from = load.latencies.length
    const syncsBefore = trouble.syncs?.()
    const began = performance.now()
    await pause(ms)
    const syncs = syncsBefore === undefined ? null : (trouble.syncs?.() ?? 0) - syncsBefore
    const latencies = load.latencies.slice(from)
    const seconds = (performance.now() - began) / 1000
    await load.end()
    const others = [...load.statuses].filter(([status]) => status !== 200)
    return {
      perSecond: latencies.length / seconds,
      p50: percentile(latencies, 0.5),
      p99: percentile(latencies, 0.99),
      max: Math.max(...latencies),
      meanwhile: latencies.length,
      syncs,
      otherAnswers: others.map(([status, count]) => `${count} × ${status}`),
      ...(await settled({ server, receiver, load })),
    }
  })
}

interface Scene {
  server: ProofServer
  receiver: Awaited<ReturnType<typeof proofReceiver>>
  load: ReturnType<typeof proofLoad>
}

async function withLoad<T>(
  trouble: Trouble,
  { rate, seed, connections }: Sending & { connections: 'kept' | 'new' },
  run: (scene: Scene) => Promise<T>,
): Promise<T> {
  const receiver = await proofReceiver(seededRandom(seed))
  const env = { EGRESS_ALLOW: receiver.hostAndPort, LOG_LEVEL: 'error' }
  const server = await proofServer({ env, folder: trouble.folder })
  let load: Scene['load'] | null = null
  try {
    await server.launch(trouble.launch)
    await server.ready()
    load = proofLoad(await makeWebhooks(server, receiver.url, OBJECTS), rate, randomUUID, connections)
    return await run({ server, receiver, load })
  } finally {
    load?.close()
    await server.dispose()
    await receiver.close()
    trouble.close()
  }
}

/** Warm-up: the first second of a process is not measured. */
async function steady(load: Scene['load']): Promise<void> {
  const first = load.firstAcknowledged(30_000)
  load.begin()
  await first
  await pause(1_000)
}

async function settled({ server, receiver, load }: Scene) {
  const neverAnswered = await load.settleUp(30_000)
  const neverArrived = await receiver.stillMissing(load.acknowledged, DELIVERED_WITHIN)
  await untilNothingWaits(server.databaseFile, SETTLED_WITHIN)
  const { code } = await server.drain()
  return {
    acknowledged: load.acknowledged.size,
    neverAnswered,
    neverArrived,
    drained: code === 0,
    file: examineFile(server.databaseFile, load.acknowledged),
  }
}

async function statusOf(url: string): Promise<number> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(10_000) }).catch(() => null)
  return answer?.status ?? 0
}
