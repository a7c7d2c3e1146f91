// One backup: a consistent copy beside the database, compressed, sealed, stored in parts, with the manifest last.
import { createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import {
  type BackupParts,
  BackupTrouble,
  findBackups,
  freeBytes,
  sha256Of,
  stepTimer,
  withWorkFolder,
} from './backup-work.server.ts'
import {
  backupName,
  keepBackups,
  leftovers,
  MANIFEST,
  type Manifest,
  manifestText,
  noRoomSentence,
  partName,
  roomForBackup,
} from './backups.ts'

interface BackupRequest {
  databaseFile: string
  /** The product's version, for the manifest. */
  version: string
  origin: string
  /** False = keep old backups: the storage expires them by its own rules, and our key may not delete. Default: true. */
  removesOld?: boolean
  /** Default: 64 MB. */
  partBytes?: number
}

const PART_BYTES = 64 * 1024 * 1024
/** Nearly as small as higher levels, in a third of the time. */
const GZIP_LEVEL = 3

/** Rejects with a `BackupTrouble` (a sentence) or the storage's error. Leaves only complete backups behind. */
export async function takeBackup(parts: BackupParts, request: BackupRequest) {
  const { place, files, clock } = parts
  const { databaseFile, removesOld = true, partBytes = PART_BYTES } = request
  const { seconds, step } = stepTimer()
  const live = await stat(databaseFile).catch(() => null)
  if (!live) throw new BackupTrouble(`There is no database at ${databaseFile}.`)
  const trouble = await place.trouble()
  if (trouble) throw new BackupTrouble(trouble)

  return withWorkFolder(databaseFile, 'backup', async (folder) => {
    const log = await stat(`${databaseFile}-wal`).catch(() => null)
    const needed = roomForBackup(live.size + (log?.size ?? 0), partBytes)
    const free = await freeBytes(dirname(databaseFile))
    if (free < needed) throw new BackupTrouble(noRoomSentence('a backup', free, needed))

    const copy = join(folder, 'copy.db')
    await (await open(copy, 'wx', 0o600)).close()
    const takenAt = clock.now()
    await step('copy', () => files.copy(databaseFile, copy))
    const { facts, sha256 } = await step('count', async () => ({
      facts: files.facts(copy),
      sha256: await sha256Of(copy),
    }))
    const name = backupName(takenAt, randomBytes(3).toString('hex'))
    const stored = await step('store', () => storeSealed(parts, copy, { folder, name, partBytes }))
    const manifest: Manifest = {
      format: 1,
      product: 'fieldhook',
      version: request.version,
      origin: request.origin,
      takenAt,
      sha256,
      ...facts,
      parts: stored,
    }
    await step('finish', () => storeManifest(parts, manifest, { folder, name }))
    // The backup is good even if removing old ones fails, and `untidy` says why: the next backup tries again.
    let untidy: string | null = null
    const removed = await step('tidy', async () => (removesOld ? removeOld(parts, request.origin) : [])).catch(
      (error: unknown) => {
        untidy = error instanceof Error ? error.message : String(error)
        return []
      },
    )
    const storedBytes = stored.reduce((sum, part) => sum + part.bytes, 0)
    return { name, databaseBytes: facts.bytes, storedBytes, parts: stored.length, removed, untidy, seconds }
  })
}

interface Storing {
  folder: string
  name: string
  partBytes: number
}

/** One age file, cut into parts. Each stays on this disk while it is sent, so an upload can be retried. */
async function storeSealed({ place, seal }: BackupParts, copy: string, to: Storing): Promise<Manifest['parts']> {
  const stored: Manifest['parts'] = []
  const path = join(to.folder, 'part')
  const compressed = createReadStream(copy, { highWaterMark: 1024 * 1024 }).pipe(createGzip({ level: GZIP_LEVEL }))
  const sealed = await seal.seal(Readable.toWeb(compressed) as ReadableStream<Uint8Array>)
  let part = await open(path, 'w', 0o600)
  let hash = createHash('sha256')
  let bytes = 0

  async function storePart(): Promise<void> {
    await part.close()
    const name = partName(stored.length)
    const sha256 = hash.digest('hex')
    await place.write(`${to.name}/${name}`, { path, bytes, sha256 })
    stored.push({ name, bytes, sha256 })
  }

  try {
    for await (const chunk of sealed as unknown as AsyncIterable<Uint8Array>) {
      for (let rest = chunk; rest.length > 0; ) {
        const piece = rest.subarray(0, to.partBytes - bytes)
        hash.update(piece)
        await part.writeFile(piece)
        bytes += piece.length
        rest = rest.subarray(piece.length)
        if (bytes < to.partBytes) continue
        await storePart()
        part = await open(path, 'w', 0o600)
        hash = createHash('sha256')
        bytes = 0
      }
    }
    if (bytes > 0) await storePart()
    return stored
  } finally {
    await part.close().catch(() => {})
  }
}

async function storeManifest(
  { place, seal }: BackupParts,
  manifest: Manifest,
  { folder, name }: { folder: string; name: string },
): Promise<void> {
  const path = join(folder, MANIFEST)
  await writeFile(path, manifestText(manifest, seal.sign), { mode: 0o600 })
  await place.write(`${name}/${MANIFEST}`, { path, bytes: (await stat(path)).size, sha256: await sha256Of(path) })
}

/**
 * Removes only this product's backups, signed with our keys, and uploads that broke off a day ago. Foreign files stay
 * and do not count: a writer to the storage must not trick us into deleting a good backup.
 */
async function removeOld(parts: BackupParts, origin: string): Promise<string[]> {
  const { place, clock } = parts
  const now = clock.now()
  const { ours, listed } = await findBackups(parts)
  const own = ours.filter((one) => one.manifest.origin === origin)
  const kept = keepBackups(own, now)
  const going = [...own.filter((one) => !kept.has(one)), ...leftovers(listed, now)]
  for (const { name, files } of going) {
    // Without its manifest it is not a backup: if the removal is interrupted, nobody restores half of one.
    const inOrder = [...files].sort((a, b) => Number(b === MANIFEST) - Number(a === MANIFEST))
    for (const file of inOrder) await place.remove(`${name}/${file}`)
  }
  return going.map(({ name }) => name)
}
