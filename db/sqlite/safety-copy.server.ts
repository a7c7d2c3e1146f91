// The copy of the database made before a schema change, and its retention; a restore's copy is forgotten here, too.
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { cannotStart } from '../cannot-start.ts'

const KEPT = 3
const COPY = /^pre-[\w-]+\.db$/
/** Left by a process that ended during the copy. */
const HALF_A_COPY = /^pre-[\w-]+\.db\.\d+\.half(-journal)?$/
/** `keptAt` of a restore, with its log. */
const REPLACED = /\.before-\d{8}T\d{6}Z(-wal|-shm)?$/
const MB = 1024 * 1024

/**
 * Creates a complete, synced copy of the open database next to its file, as `pre-<tag>.db`. A process that ends
 * meanwhile leaves no file of that name. `begun`: an earlier start of this very update got part of the way. Its copy is
 * kept, because the previous release can read it.
 */
export function takeSafetyCopy(sql: Database, file: string, { tag, begun }: { tag: string; begun: boolean }): void {
  const folder = dirname(file)
  const copy = join(folder, `pre-${tag}.db`)
  for (const name of readdirSync(folder)) if (HALF_A_COPY.test(name)) rmSync(join(folder, name), { force: true })
  if (begun && existsSync(copy)) return
  // Limits the number of copies: an old one makes room for the new one.
  const older = safetyCopies(folder).filter((one) => one.path !== copy)
  forgetCopies(folder, older.splice(KEPT - 1))
  refuseWithoutRoom(sql, folder)
  const half = `${copy}.${process.pid}.half`
  try {
    closeSync(openSync(half, 'w', 0o600))
    // Reads every page of the file, so it also detects damage.
    sql.prepare('VACUUM INTO @copy').run({ copy: half })
    syncFile(half)
    renameSync(half, copy)
    syncFile(folder)
  } catch (error) {
    rmSync(half, { force: true })
    throw error
  }
  // Beside the new one, a backup must still fit.
  for (const one of older.reverse()) if (freeIn(folder) < statSync(file).size + 128 * MB) forgetCopies(folder, [one])
}

/** Removes the copies next to `file` made before that moment, because their data must not be kept forever. */
export function forgetSafetyCopies(file: string, before: number): number {
  const folder = dirname(file)
  const made = safetyCopies(folder).filter(({ madeAt }) => madeAt < before)
  // What a restore replaced was written earlier: its name says when it was put aside.
  const start = `${basename(file)}.before-`
  const until = start + new Date(before).toISOString().replace(/[-:]|\.\d+/g, '')
  const replaced = readdirSync(folder).filter((name) => REPLACED.test(name) && name > start && name < until)
  forgetCopies(folder, [...made, ...replaced.map((name) => ({ path: join(folder, name) }))])
  return made.length + replaced.length
}

/** Newest first. `madeAt` in epoch ms. */
export function safetyCopies(folder: string): { path: string; madeAt: number }[] {
  return readdirSync(folder)
    .filter((name) => COPY.test(name))
    .map((name) => ({ path: join(folder, name), madeAt: statSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => b.madeAt - a.madeAt)
}

function forgetCopies(folder: string, copies: readonly { path: string }[]): void {
  for (const { path } of copies) rmSync(path, { force: true })
  if (copies.length > 0) syncFile(folder)
}

function freeIn(folder: string): number {
  const { bsize, bavail } = statfsSync(folder)
  return bsize * bavail
}

function refuseWithoutRoom(sql: Database, folder: string): void {
  const pages =
    (sql.pragma('page_count', { simple: true }) as number) - (sql.pragma('freelist_count', { simple: true }) as number)
  const needed = pages * (sql.pragma('page_size', { simple: true }) as number)
  const free = freeIn(folder)
  if (free > needed + MB) return
  throw cannotStart(
    `This release changes the database, and there is no room in ${folder} for the safety copy it makes first: ${Math.ceil(needed / MB) + 1} MB are needed, ${Math.floor(free / MB)} MB are free. Make room, or run the release you had; nothing was changed.`,
  )
}

/** Syncs a file's content, or a folder's names, to disk. */
export function syncFile(path: string): void {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
