// Restores a backup to a file: fetches each part, compares, opens, unpacks and checks before it replaces the file.
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { chmod, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { quarantineMarker } from '#app/domain/quarantine.ts'
import { syncToDisk } from '#app/lib/folders.server.ts'
import {
  type BackupParts,
  BackupTrouble,
  type FoundBackup,
  findBackups,
  freeBytes,
  type StepSeconds,
  stepTimer,
  withWorkFolder,
} from './backup-work.server.ts'
import { differences, type Manifest, noRoomSentence, roomForRestore } from './backups.ts'

interface RestoreRequest {
  /** A name, or `latest`. */
  backup: string
  /** Path of the restored database. */
  to: string
  /** Replaces the existing file, which is kept beside it. */
  replace: boolean
}

export interface RestoredBackup {
  name: string
  manifest: Manifest
  /** New path of the previous file; null = there was none. */
  keptAt: string | null
  seconds: StepSeconds
}

/** Rejects with a `BackupTrouble` (a sentence) or the storage's error; then nothing was changed. */
export async function restoreBackup(parts: BackupParts, request: RestoreRequest): Promise<RestoredBackup> {
  const { to } = request
  const { seconds, step } = stepTimer()
  if (existsSync(to) && !request.replace) {
    throw new BackupTrouble(
      `There is a database at ${to} already. --replace keeps it beside and puts the backup there.`,
    )
  }
  const backup = await step('find', () => chooseBackup(parts, request.backup))
  return withWorkFolder(to, 'restore', async (folder) => {
    const file = join(folder, 'copy.db')
    await fetchCopy(parts, backup, { folder, file, step })
    await step('check', () => checkCopy(parts, backup, file))
    const keptAt = await step('place', () => putInPlace(file, to, backup, parts.clock.now()))
    return { name: backup.name, manifest: backup.manifest, keptAt, seconds }
  })
}

export async function chooseBackup(parts: BackupParts, wanted: string): Promise<FoundBackup> {
  const latest = wanted === 'latest'
  const { ours, others, listed } = await findBackups(parts, (one) => latest || one.name === wanted)
  const [found] = ours
  if (found) return found
  const [closed] = others
  if (closed) {
    throw new BackupTrouble(`${closed.name} was not made with any key of BACKUP_KEY, or its manifest was changed.`)
  }
  if (!latest && listed.some((one) => one.name === wanted)) {
    throw new BackupTrouble(`${wanted} has no manifest: it broke off while it was being made.`)
  }
  throw new BackupTrouble(
    latest ? `There is no backup in ${parts.place.words}.` : `There is no backup named ${wanted}.`,
  )
}

/** Fetches, opens and unpacks the copy to `file`; the content matches the manifest to the last byte. */
export async function fetchCopy(
  parts: BackupParts,
  { name, manifest }: FoundBackup,
  to: { folder: string; file: string; step: ReturnType<typeof stepTimer>['step'] },
): Promise<void> {
  const needed = roomForRestore(manifest)
  const free = await freeBytes(to.folder)
  if (free < needed) throw new BackupTrouble(noRoomSentence('the copy', free, needed))
  const { counted, is } = counting(manifest.bytes, `${name} holds more than its manifest says.`)
  await to.step('fetch', async () => {
    const sealed = Readable.toWeb(Readable.from(verifiedParts(parts, name, manifest, to.folder)))
    const opened = await parts.seal.open(sealed as ReadableStream<Uint8Array>)
    const unpacked = Readable.fromWeb(opened as Parameters<typeof Readable.fromWeb>[0])
    await pipeline(unpacked, createGunzip(), counted, createWriteStream(to.file, { mode: 0o600 }))
    await syncToDisk(to.file)
  })
  if (!is(manifest)) throw new BackupTrouble(`${name} does not unpack to what its manifest says.`)
}

/** Passes on what it hashes and counts; fails with `tooMuch` when that is more than `most` bytes. */
function counting(most = Number.POSITIVE_INFINITY, tooMuch = '') {
  const hash = createHash('sha256')
  let bytes = 0
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      bytes += chunk.length
      done(bytes > most ? new BackupTrouble(tooMuch) : null, chunk)
    },
  })
  const is = (what: { bytes: number; sha256: string }) => bytes === what.bytes && hash.digest('hex') === what.sha256
  return { counted, is }
}

/** Each part is on this disk and compared before any of its bytes are opened. */
async function* verifiedParts(
  { place }: BackupParts,
  name: string,
  { parts }: Manifest,
  folder: string,
): AsyncGenerator<Uint8Array> {
  const path = join(folder, 'part')
  for (const part of parts) {
    const stored = `${name}/${part.name}`
    // A broken connection or a corrupted byte is worth one retry.
    if (!(await fetchPart(place, stored, path, part)) && !(await fetchPart(place, stored, path, part))) {
      throw new BackupTrouble(`${stored} is damaged: its sha256 is not the one of the manifest.`)
    }
    yield* createReadStream(path, { highWaterMark: 1024 * 1024 })
  }
  await rm(path, { force: true })
}

async function fetchPart(
  place: BackupParts['place'],
  stored: string,
  path: string,
  part: Manifest['parts'][number],
): Promise<boolean> {
  const { counted, is } = counting()
  const source = await place.read(stored).catch((error: unknown) => {
    throw new BackupTrouble(`${stored} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  })
  try {
    await pipeline(Readable.from(source), counted, createWriteStream(path, { mode: 0o600 }))
  } catch {
    return false
  }
  return is(part)
}

export function checkCopy({ files }: Pick<BackupParts, 'files'>, { name, manifest }: FoundBackup, file: string): void {
  const { integrity, foreignKeys } = files.problems(file)
  const found = [...integrity, ...differences(manifest, files.facts(file))]
  if (foreignKeys > 0) found.push(`${foreignKeys} rows point to rows that are not there.`)
  if (found.length > 0) throw new BackupTrouble(`${name} is not whole: ${found.slice(0, 3).join(' ')}`)
}

/** Writes the marker first, so the copy can never start as if a person had checked it. */
async function putInPlace(file: string, to: string, backup: FoundBackup, now: number): Promise<string | null> {
  const marker = quarantineMarker(to)
  await writeFile(marker, `${JSON.stringify({ restored: backup.name, takenAt: backup.takenAt, at: now })}\n`)
  await syncToDisk(marker)
  const keptAt = existsSync(to) ? `${to}.before-${new Date(now).toISOString().replace(/[-:]|\.\d+/g, '')}` : null
  // A log of another file would be replayed into this one.
  for (const ending of ['-wal', '-shm', '']) {
    if (existsSync(`${to}${ending}`)) {
      if (keptAt) await rename(`${to}${ending}`, `${keptAt}${ending}`)
      else await rm(`${to}${ending}`, { force: true })
    }
  }
  await chmod(file, 0o600)
  await rename(file, to)
  await syncToDisk(dirname(to))
  return keptAt
}
