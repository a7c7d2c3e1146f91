// Shared by backups, restores and drills: their parts, steps and files.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, readdir, rm, statfs } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { BackupPlace } from '#app/adapters/backup-place.ts'
import type { BackupSeal } from '#app/adapters/backup-seal.ts'
import type { Clock } from '#app/lib/clock.ts'
import type { DatabaseFiles } from '#db/store/backups.ts'
import { type ListedBackup, listedBackups, MANIFEST, type Manifest, readManifest } from './backups.ts'

export interface BackupParts {
  place: BackupPlace
  seal: BackupSeal
  files: DatabaseFiles
  clock: Clock
}

/** A problem for the operator, as a sentence. */
export class BackupTrouble extends Error {
  override name = 'BackupTrouble'
  readonly code = 'BACKUP_TROUBLE'
}

/** Seconds per step name. */
export type StepSeconds = Record<string, number>

export function stepTimer(): { seconds: StepSeconds; step<T>(name: string, work: () => Promise<T> | T): Promise<T> } {
  const seconds: StepSeconds = {}
  return {
    seconds,
    async step(name, work) {
      const began = performance.now()
      try {
        return await work()
      } finally {
        seconds[name] = Math.round(performance.now() - began) / 1000
      }
    },
  }
}

export type FoundBackup = ListedBackup & { manifest: Manifest }

/** Complete backups signed by one of our keys, newest first; `others` are complete too, but not ours. */
export async function findBackups(
  { place, seal }: Pick<BackupParts, 'place' | 'seal'>,
  wanted: (backup: ListedBackup) => boolean = () => true,
): Promise<{ ours: FoundBackup[]; others: ListedBackup[]; listed: ListedBackup[] }> {
  const listed = listedBackups(await place.list())
  const ours: FoundBackup[] = []
  const others: ListedBackup[] = []
  for (const backup of listed.filter((one) => one.complete && wanted(one))) {
    const read = readManifest(await readText(place, `${backup.name}/${MANIFEST}`), seal.isSigned)
    // One of our backups under another time's name is not trusted.
    const isOurs = read.outcome === 'ours' && Math.floor(read.manifest.takenAt / 1000) * 1000 === backup.takenAt
    if (isOurs) ours.push({ ...backup, manifest: read.manifest })
    else others.push(backup)
  }
  return { ours, others, listed }
}

const MOST_MANIFEST_BYTES = 4 * 1024 * 1024

async function readText(place: BackupPlace, name: string): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of await place.read(name)) {
    bytes += chunk.length
    if (bytes > MOST_MANIFEST_BYTES) throw new BackupTrouble(`${name} is too big to be a manifest.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/**
 * Creates a private folder beside `file` for the duration of the work. First removes what a crash left behind: only one
 * job runs at a time.
 */
export async function withWorkFolder<T>(
  file: string,
  purpose: 'backup' | 'restore' | 'drill',
  work: (folder: string) => Promise<T>,
): Promise<T> {
  await removeLeftFolders(file)
  const folder = `${file}.${purpose}-${process.pid}`
  await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Removes what killed backups, restores and drills left beside `file`. Call only while no other job runs. */
async function removeLeftFolders(file: string): Promise<void> {
  const own = basename(file)
  for (const name of await readdir(dirname(file)).catch(() => [])) {
    if (!name.startsWith(own) || !/^\.(backup|restore|drill)-\d+$/.test(name.slice(own.length))) continue
    await rm(join(dirname(file), name), { recursive: true, force: true })
  }
}

/** Free bytes on the disk of `folder`. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 })) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
