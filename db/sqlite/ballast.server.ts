// A file that only takes up space. On a full disk SQLite cannot even delete or checkpoint; freeing this file lets it.
import { randomFillSync } from 'node:crypto'
import { existsSync, mkdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'

export interface Ballast {
  inPlace(): boolean
  /** Returns the space to the file system. False = there was no ballast. */
  release(): boolean
  /**
   * Takes the space if at least as much again stays free. False = not enough space; leaves nothing behind. Awaits
   * `pause` between pieces, so concurrent commits do not wait for the whole file.
   */
  take(pause?: () => Promise<void>): Promise<boolean>
  /** The disk is full or almost full. */
  diskIsFull(): boolean
  /** Less space is free than releasing the ballast would add. */
  diskIsShort(): boolean
}

const MB = 1024 * 1024
const LARGEST = 64 * MB
/** Maximum fraction of a small disk. */
const PART_OF_DISK = 1 / 8
const NEXT_TO_NOTHING = 256 * 1024

/**
 * The ballast file next to a database file. Call it before opening the database: on a full disk it releases the ballast
 * at once, because the database could not be opened otherwise. `size` in bytes, default depends on the disk.
 */
export function openBallast(
  databaseFile: string,
  size: number = ballastSize(bytesOf(dirname(databaseFile)).total),
): Ballast {
  const file = `${databaseFile}.ballast`
  const folder = dirname(databaseFile)
  let inPlace = statSync(file, { throwIfNoEntry: false })?.size === size
  if (!inPlace) rmSync(file, { force: true })

  const ballast: Ballast = {
    inPlace: () => inPlace,
    diskIsFull: () => diskIsFull(folder),
    diskIsShort: () => bytesOf(folder).free < size,
    release() {
      if (!inPlace) return false
      try {
        rmSync(file, { force: true })
      } catch {
        // A read-only disk keeps the file.
        return false
      }
      inPlace = false
      return true
    },
    async take(pause = async () => {}) {
      if (inPlace) return true
      if (bytesOf(folder).free < 2 * size) return false
      try {
        await fill(file, size, pause)
        inPlace = true
      } catch {
        rmSync(file, { force: true })
      }
      return inPlace
    },
  }
  if (ballast.diskIsFull()) ballast.release()
  return ballast
}

/** Bytes of ballast for a disk of `total` bytes. */
export function ballastSize(total: number): number {
  return Math.max(MB, Math.min(LARGEST, Math.floor((total * PART_OF_DISK) / MB) * MB))
}

/** Writes in pieces, each synced before the next; random bytes, so no file system can compress them. */
async function fill(file: string, size: number, pause: () => Promise<void>): Promise<void> {
  const piece = randomFillSync(Buffer.allocUnsafe(MB))
  const handle = await open(file, 'w', 0o600)
  try {
    for (let written = 0; written < size; ) {
      const { bytesWritten } = await handle.write(piece, 0, Math.min(MB, size - written))
      written += bytesWritten
      await handle.datasync()
      await pause()
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
}

export function diskIsFull(folder: string): boolean {
  return existsSync(folder) && bytesOf(folder).free < NEXT_TO_NOTHING
}

function bytesOf(folder: string): { total: number; free: number } {
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true })
  const { bsize, blocks, bavail } = statfsSync(folder)
  return { total: bsize * blocks, free: bsize * bavail }
}
