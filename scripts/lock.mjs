// A lock for one folder: two starts at once must not install into the same node_modules. Detects a dead holder, and
// first ends a child that it left running (an install goes on without its parent).
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const ASK_EVERY_MS = 200
/** A lock file without readable content is being written; after this time it counts as left behind by a crash. */
const WRITING_MS = 5_000
/** Processes of another machine cannot be checked: its lock is valid as long as it is renewed. */
const RENEW_MS = 2_000
const SILENT_MS = 60_000

/**
 * @typedef {{ pid: number, since: string }} ProcessMark a process and its start time, because process ids are reused
 * @typedef {{ holder: ProcessMark, children: ProcessMark[], host: string, nonce: string }} Lock
 */

/**
 * Does the work while holding the lock; waits for the lock while its holder lives.
 *
 * @template T
 * @param {string} file
 * @param {(recordChild: (pid: number) => void) => Promise<T>} work `recordChild` records a process that must not outlive us
 * @param {(line: string) => void} say called once when it has to wait, and when it cleans up
 * @returns {Promise<T>}
 */
export async function withLock(file, work, say) {
  mkdirSync(dirname(file), { recursive: true })
  /** @type {Lock} */
  const lock = { holder: markOf(process.pid), children: [], host: hostname(), nonce: `${process.pid}-${Math.random()}` }
  await acquire(file, lock, say)
  const write = () => {
    if (readLock(file)?.nonce === lock.nonce) replaceFile(file, JSON.stringify(lock))
  }
  const renewal = setInterval(write, RENEW_MS)
  renewal.unref()
  const release = () => {
    if (readLock(file)?.nonce === lock.nonce) rmSync(file, { force: true })
  }
  process.once('exit', release)
  try {
    return await work((pid) => {
      lock.children.push(markOf(pid))
      write()
    })
  } finally {
    clearInterval(renewal)
    process.off('exit', release)
    release()
  }
}

/** @param {string} file @param {Lock} lock @param {(line: string) => void} say */
async function acquire(file, lock, say) {
  let told = false
  for (;;) {
    try {
      writeFileSync(file, JSON.stringify(lock), { flag: 'wx' })
      // A waiter that judged the previous lock as left behind may have just moved ours away: check again.
      await pause(50)
      if (readLock(file)?.nonce === lock.nonce) return
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error
    }
    const found = readLock(file)
    if (found === null ? isOldAndUnreadable(file) : isLeftBehind(file, found)) {
      await takeAway(file, found, say)
      continue
    }
    if (!told && found) say(`Another start (process ${found.holder.pid}) is setting this folder up; waiting for it.`)
    told = true
    await pause(ASK_EVERY_MS)
  }
}

/** @param {string} file @param {Lock} lock */
function isLeftBehind(file, lock) {
  if (lock.host !== hostname()) return ageOf(file) > SILENT_MS
  return !isAlive(lock.holder)
}

/** @param {string} file */
function isOldAndUnreadable(file) {
  return ageOf(file) > WRITING_MS
}

/**
 * Moves a dead holder's lock away; only one of several waiters succeeds.
 * @param {string} file @param {Lock | null} found @param {(line: string) => void} say
 */
async function takeAway(file, found, say) {
  const aside = `${file}.${process.pid}`
  try {
    renameSync(file, aside)
  } catch {
    return // Another waiter was faster.
  }
  const moved = readLock(aside)
  if (moved && moved.nonce !== found?.nonce) {
    // The lock belonged to a new holder: give it back. Its owner checks again before it begins.
    renameSync(aside, file)
    return
  }
  rmSync(aside, { force: true })
  const orphans = found?.host === hostname() ? found.children.filter(isAlive) : []
  for (const orphan of orphans) {
    say(`An earlier start was cut off; ending what it left running (process ${orphan.pid}).`)
    await endGroup(orphan)
  }
}

/** @param {ProcessMark} mark */
async function endGroup(mark) {
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGKILL'])) {
    try {
      process.kill(process.platform === 'win32' ? mark.pid : -mark.pid, signal)
    } catch {
      return
    }
    for (let waited = 0; waited < 5_000 && isAlive(mark); waited += 100) await pause(100)
    if (!isAlive(mark)) return
  }
}

/** @param {ProcessMark} mark */
export function isAlive(mark) {
  const since = beginOf(mark.pid)
  return since !== null && since === mark.since
}

/** @param {number} pid @returns {ProcessMark} */
export function markOf(pid) {
  return { pid, since: beginOf(pid) ?? 'gone' }
}

/** Start time of the process, in the system's own format; null when there is no such process. @param {number} pid */
function beginOf(pid) {
  if (process.platform === 'linux') {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      if (fields[0] === 'Z') return null
      return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${fields[19]}`
    } catch {
      return null
    }
  }
  try {
    process.kill(pid, 0)
    if (process.platform === 'win32') return 'alive'
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || null
  } catch {
    return null
  }
}

/** @param {string} file @returns {Lock | null} */
function readLock(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}

/** @param {string} file */
function ageOf(file) {
  try {
    return Date.now() - statSync(file).mtimeMs
  } catch {
    return 0
  }
}

/** @param {string} file @param {string} text */
function replaceFile(file, text) {
  const next = `${file}.${process.pid}.next`
  writeFileSync(next, text)
  renameSync(next, file)
}
