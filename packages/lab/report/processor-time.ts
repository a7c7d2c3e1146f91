// Processor time since the start, from /proc: of the whole machine, and of this process with all its descendants.
import { readdirSync, readFileSync } from 'node:fs'

/** Clock ticks of `/proc`; 100 a second on every Linux system. */
const TICK_MS = 10

/** Of the whole machine, ms; null where the system has no figure. */
export function machineMs(): number | null {
  const fields = readProc('/proc/stat')?.split('\n')[0]?.trim().split(/\s+/).slice(1).map(Number)
  if (!fields) return null
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = fields
  return (user + nice + system + irq + softirq) * TICK_MS
}

/** Of this process and its descendants, including ended ones, ms; null where the system has no figure. */
export function ownMs(): number | null {
  const processes = new Map<number, ProcessTimes>()
  for (const name of listProc()) {
    const times = timesOf(Number(name))
    if (times) processes.set(Number(name), times)
  }
  if (!processes.has(process.pid)) return null
  let ticks = 0
  for (const [pid, times] of processes) if (descends(pid, processes)) ticks += times.ticks
  return ticks * TICK_MS
}

/** How long a process's main thread was ready to run without a processor, ms; null where the system has no figure. */
export function waitedMs(pid: number): number | null {
  const waited = Number(readProc(`/proc/${pid}/task/${pid}/schedstat`)?.split(' ')[1])
  return Number.isFinite(waited) ? waited / 1e6 : null
}

interface ProcessTimes {
  parent: number
  /** Its own and those of children it has waited for. */
  ticks: number
}

function descends(pid: number, processes: ReadonlyMap<number, ProcessTimes>): boolean {
  let at: number | undefined = pid
  // A process that ended meanwhile may leave a gap; a chain is never longer than the number of processes.
  for (let steps = 0; at !== undefined && steps <= processes.size; steps++) {
    if (at === process.pid) return true
    at = processes.get(at)?.parent
  }
  return false
}

function timesOf(pid: number): ProcessTimes | null {
  const text = readProc(`/proc/${pid}/stat`)
  // The name in parentheses may contain anything, including parentheses.
  const fields = text
    ?.slice(text.lastIndexOf(') ') + 2)
    .split(' ')
    .map(Number)
  if (!fields) return null
  const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = fields.slice(11, 15)
  return { parent: fields[1] ?? 0, ticks: user + system + childrenUser + childrenSystem }
}

function listProc(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
}

function readProc(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
