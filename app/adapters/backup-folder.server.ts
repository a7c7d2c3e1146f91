// Backups in a folder: on another disk, or a mounted one.
import { constants, createReadStream, createWriteStream } from 'node:fs'
import { access, mkdir, readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { makeFolders, syncToDisk } from '#app/lib/folders.server.ts'
import { type BackupPlace, isStoredName, type StoredFile, storedName } from './backup-place.ts'

/** A file being written. After a crash it does not count as a backup's file, and the next write replaces it. */
const DRAFT = '.writing'

/** @param folder created when missing. */
export function backupFolder(folder: string): BackupPlace {
  const pathOf = (name: string) => join(folder, storedName(name))
  return {
    words: `the folder ${folder}`,
    async list() {
      const files: StoredFile[] = []
      for (const entry of await foldersIn(folder)) {
        for (const file of await readdir(join(folder, entry))) {
          const name = `${entry}/${file}`
          const found = isStoredName(name) ? await stat(join(folder, name)).catch(() => null) : null
          if (found?.isFile()) files.push({ name, bytes: found.size, storedAt: found.mtimeMs })
        }
      }
      return files
    },
    async read(name) {
      const path = pathOf(name)
      await access(path, constants.R_OK)
      return createReadStream(path, { highWaterMark: 1024 * 1024 })
    },
    async write(name, file) {
      const path = pathOf(name)
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      const draft = `${path}${DRAFT}`
      try {
        await pipeline(createReadStream(file.path), createWriteStream(draft, { mode: 0o600 }))
        await syncToDisk(draft)
        const written = await stat(draft)
        if (written.size !== file.bytes) throw new Error(`${name} has ${written.size} bytes instead of ${file.bytes}`)
        await rename(draft, path)
        await syncToDisk(dirname(path))
        await syncToDisk(folder)
      } catch (error) {
        await rm(draft, { force: true })
        throw error
      }
    },
    async remove(name) {
      const path = pathOf(name)
      await rm(path, { force: true })
      // Removes the folder with the last file of a backup.
      await rmdir(dirname(path)).catch(() => {})
    },
    async trouble() {
      try {
        makeFolders(folder, 0o700)
        await access(folder, constants.W_OK)
        return null
      } catch {
        return `The folder ${folder} of BACKUP_TO cannot be written to, so no backup can be made.`
      }
    },
  }
}

async function foldersIn(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}
