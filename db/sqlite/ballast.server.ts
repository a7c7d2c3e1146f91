// A file that only takes up space. On a full disk SQLite cannot even delete or checkpoint; giving this space back lets it.
import { randomFillSync } from 'node:crypto'
import { mkdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'

export interface Ballast {
  inPlace(): boolean
  /** Gives its space back to the file system. False = there was none to give. */
  release(): boolean
  /**
   * Takes the space, if as much again stays free. False = there is not enough; nothing is left behind. `pause` is awaited
   * between pieces, so that whoever commits meanwhile does not wait for all of them.
   */
  take(pause?: () => Promise<void>): Promise<boolean>
  /** Nothing can be written any more, or next to nothing. */
  diskIsFull(): boolean
  /** There is less room than the ballast would give back. */
  diskIsShort(): boolean
}

const MB = 1024 * 1024
const LARGEST = 64 * MB
/** Of a small disk, only so much of it. */
const PART_OF_DISK = 1 / 8
const NEXT_TO_NOTHING = 256 * 1024

/**
 * The ballast of a database file, beside it. Call it before the database is opened: on a disk that is full at the start it is
 * released at once, or the database could not be opened at all. `size` in bytes, by default what suits the disk.
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
    diskIsFull: () => bytesOf(folder).free < NEXT_TO_NOTHING,
    diskIsShort: () => bytesOf(folder).free < size,
    release() {
      if (!inPlace) return false
      try {
        rmSync(file, { force: true })
      } catch {
        // A disk that is read-only keeps it.
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

/** In pieces, each brought to the disk before the next; of random bytes, so that no file system stores less than that. */
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

function bytesOf(folder: string): { total: number; free: number } {
  mkdirSync(folder, { recursive: true })
  const { bsize, blocks, bavail } = statfsSync(folder)
  return { total: bsize * blocks, free: bsize * bavail }
}
