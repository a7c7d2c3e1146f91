// The power proof: after a cut the disk holds everything synced, and any page or none of the rest.
import { randomUUID } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { type ProofArguments, type Random, seededRandom, wholeFrom } from '../report/arguments.ts'
import { examineFile, type FileFindings, untilNothingWaits } from '../stage/file.ts'
import { type ProofLoad, proofLoad } from '../stage/load.ts'
import { proofReceiver } from '../stage/receiver.ts'
import { type LaunchOptions, type ProofServer, pause, proofServer } from '../stage/server.ts'
import { type DiskControl, diskControl } from '../stage/shim.ts'
import { makeWebhooks } from '../stage/webhooks.ts'

const OBJECTS = 3
/** Disks examined after one cut: one with only the synced pages, the others with a random part of the rest. */
const TORN = 3
const PAGE = 4096
const DELIVERED_WITHIN = 120_000
const SETTLED_WITHIN = 60_000
const PRELOAD = resolve('packages/lab/power/preload.mjs')
/** Events acknowledged since the last sync: enough that a cut surely loses some. */
const UNSYNCED = 20

export interface PowerFindings {
  cuts: number
  disks: number
  acknowledged: number
  /** Acknowledged events missing on a disk after a cut: the maximum over its disks, summed over all cuts. */
  lost: number
  /** Cuts that lost something. */
  lossyCuts: number
  /** Damage of a file after a cut, each kind once. */
  damage: string[]
  syncs: number
}

export interface PowerOutcome extends PowerFindings {
  repeats: number
  differentIds: number
  neverArrived: number
  file: FileFindings
}

/**
 * Cuts the power `rounds` times, 200 to 1,500 ms into each round or at a random write, and continues with the disk's
 * content. `sync` = as the server does it, or never, forced from outside: the control must lose.
 */
export async function cutPower(
  library: string,
  { rounds, rate, seed }: ProofArguments,
  sync: 'as it is' | 'never',
): Promise<PowerOutcome> {
  const random = seededRandom(seed)
  const folder = mkdtempSync(join(tmpdir(), 'fieldhook-power-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  // Clean up even when the proof is interrupted.
  process.once('exit', remove)
  const receiver = await proofReceiver(random)
  const server = await proofServer({ env: { EGRESS_ALLOW: receiver.hostAndPort }, folder: join(folder, 'disk') })
  const disk = twoDisks(server.databaseFile, join(folder, 'shadow'))
  const control = diskControl(library, folder, server.databaseFile, disk.shadow)
  const how: LaunchOptions =
    sync === 'never' ? { env: { ...control.env, PROOF_SYNC: 'never' }, preload: PRELOAD } : { env: control.env }
  const found: PowerFindings = { cuts: 0, disks: 0, acknowledged: 0, lost: 0, lossyCuts: 0, damage: [], syncs: 0 }
  const launch = async (): Promise<void> => {
    disk.begin()
    const state = await server.launch(how)
    if (state !== 'listening') throw new Error(`the server ended while starting:\n${server.output().slice(-4_000)}`)
  }
  let load: ProofLoad | null = null
  try {
    await launch()
    await server.ready()
    load = proofLoad(await makeWebhooks(server, receiver.url, OBJECTS), rate, randomUUID)
    // The control loses unsynced data: the load's prerequisites must be on the disk before it starts.
    await server.drain()
    for (let cut = 1; cut <= rounds; cut++) {
      await launch()
      await begin(load)
      if (sync === 'never') await untilUnsynced(load.acknowledged, control)
      else await untilAnyMoment(server, control, random)
      await server.killHard()
      await load.end()
      found.cuts++
      evaluateRecord(disk, load.acknowledged, random, found)
    }
    found.acknowledged += load.acknowledged.size
    await launch()
    const neverAnswered = await load.settleUp(30_000)
    if (neverAnswered > 0) throw new Error(`${neverAnswered} events could not be handed in afterwards`)
    const neverArrived = await receiver.stillMissing(load.acknowledged, DELIVERED_WITHIN)
    await untilNothingWaits(server.databaseFile, SETTLED_WITHIN)
    await server.ready()
    await server.drain()
    found.syncs = control.syncs()
    return {
      ...found,
      repeats: receiver.repeats(),
      differentIds: receiver.differentIds(),
      neverArrived,
      file: examineFile(server.databaseFile, load.acknowledged),
    }
  } finally {
    load?.close()
    control.close()
    await server.dispose()
    await receiver.close()
    process.off('exit', remove)
    remove()
  }
}

async function begin(load: ProofLoad): Promise<void> {
  const first = load.firstAcknowledged(30_000)
  load.begin()
  await first
}

async function untilAnyMoment(server: ProofServer, control: DiskControl, random: Random): Promise<void> {
  if (random() < 0.5) {
    // In the middle of a commit or a checkpoint, between two of its writes.
    control.tell('killAtWrite', wholeFrom(random, 300, 3_000))
    await Promise.race([server.ended(), pause(3_000)])
    control.tell('killAtWrite', 0)
  } else {
    await pause(wholeFrom(random, 200, 1_500))
  }
}

/** The control has to lose something: cut when enough events have been acknowledged without a sync. */
async function untilUnsynced(acknowledged: ReadonlySet<string>, control: DiskControl): Promise<void> {
  const deadline = Date.now() + 10_000
  let syncs = control.syncs()
  let mark = acknowledged.size
  while (acknowledged.size < mark + UNSYNCED && Date.now() < deadline) {
    await pause(5)
    if (control.syncs() === syncs) continue
    syncs = control.syncs()
    mark = acknowledged.size
  }
}

function evaluateRecord(disk: TwoDisks, acknowledged: Set<string>, random: Random, found: PowerFindings): void {
  let worst: string[] = []
  const tearings: (Random | null)[] = [null, ...Array.from({ length: TORN }, () => random)]
  for (const tearing of tearings) {
    disk.cut(tearing)
    found.disks++
    const { integrity, missing } = examineFile(disk.after, acknowledged)
    if (integrity !== 'ok' && !found.damage.includes(integrity)) found.damage.push(integrity)
    if (missing.length > worst.length) worst = missing
  }
  found.lost += worst.length
  if (worst.length > 0) found.lossyCuts++
  // Already counted as lost: the next cut counts only its own.
  for (const record of worst) acknowledged.delete(record)
  found.acknowledged += worst.length
  // The server finds the last of these disks when the power is back.
  disk.goOn()
}

/**
 * For machines where no layer fits between SQLite and the disk: under load, counts the commits, and those made at less
 * than NORMAL. It does not show what a disk would keep.
 */
export async function watchCommits(
  { rate, seed }: Pick<ProofArguments, 'rate' | 'seed'>,
  ms: number,
): Promise<{ acknowledged: number; commits: number; lessThanNormal: number; syncs: number }> {
  const receiver = await proofReceiver(seededRandom(seed))
  const server = await proofServer({ env: { EGRESS_ALLOW: receiver.hostAndPort, PROOF_SYNC: 'watch' } })
  let load: ProofLoad | null = null
  try {
    await server.launch({ preload: PRELOAD })
    await server.ready()
    load = proofLoad(await makeWebhooks(server, receiver.url, OBJECTS), rate, randomUUID)
    await begin(load)
    await pause(ms)
    await load.end()
    await server.drain()
    const counted = /PROOF (\{.*\})/.exec(server.output())?.[1]
    if (!counted) throw new Error(`the server did not say how it committed:\n${server.output()}`)
    return {
      acknowledged: load.acknowledged.size,
      ...(JSON.parse(counted) as { commits: number; lessThanNormal: number; syncs: number }),
    }
  } finally {
    load?.close()
    await server.dispose()
    await receiver.close()
  }
}

interface TwoDisks {
  shadow: string
  /** The database file after a cut. */
  after: string
  /** Call before a start: everything written so far counts as synced. */
  begin(): void
  /** Creates the files after a cut. Null: only synced data; otherwise each page is either synced or written. */
  cut(tearing: Random | null): void
  /** The server continues with the last cut's disk. */
  goOn(): void
}

function twoDisks(databaseFile: string, shadow: string): TwoDisks {
  const name = basename(databaseFile)
  const afterFolder = join(shadow, 'after')
  mkdirSync(afterFolder, { recursive: true })
  const after = join(afterFolder, name)
  const files = ['', '-wal']
  return {
    shadow,
    after,
    begin() {
      for (const end of files) copyOver(databaseFile + end, join(shadow, name + end))
    },
    cut(tearing) {
      rmSync(`${after}-shm`, { force: true })
      for (const end of files) {
        const synced = contentOf(join(shadow, name + end))
        const written = contentOf(databaseFile + end)
        const left = tearing && written ? torn(synced ?? Buffer.alloc(0), written, tearing) : synced
        if (left) writeFileSync(after + end, left)
        else rmSync(after + end, { force: true })
      }
    },
    goOn() {
      rmSync(`${databaseFile}-shm`, { force: true })
      for (const end of files) copyOver(after + end, databaseFile + end)
    },
  }
}

function copyOver(from: string, to: string): void {
  if (existsSync(from)) copyFileSync(from, to)
  else rmSync(to, { force: true })
}

function contentOf(file: string): Buffer | null {
  return existsSync(file) ? readFileSync(file) : null
}

/** Takes each page, and the length, from one or the other. */
function torn(synced: Buffer, written: Buffer, random: Random): Buffer {
  const length = random() < 0.5 ? synced.length : written.length
  const result = Buffer.alloc(length)
  for (let at = 0; at < length; at += PAGE) {
    const from = random() < 0.5 ? synced : written
    if (at < from.length) from.copy(result, at, at, Math.min(at + PAGE, from.length, length))
  }
  return result
}
