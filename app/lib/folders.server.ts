import { existsSync, mkdirSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'

/** A file is none. Never throws. */
export function isFolder(path: string): boolean {
  return existsSync(`${path}/.`)
}

/** Makes the folder and those above it. Node's own `recursive` asks for ever where nothing can be, as in /proc. */
export function makeFolders(folder: string, mode = 0o777): void {
  if (!existsSync(dirname(folder))) makeFolders(dirname(folder), mode)
  try {
    mkdirSync(folder, { mode })
  } catch (error) {
    if (!isFolder(folder)) throw error
  }
}

/** Syncs a file, or the entries of a folder, to the disk. */
export async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
