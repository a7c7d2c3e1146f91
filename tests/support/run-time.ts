// Processor time of a process, over all its threads, in ms: unlike wall-clock time, it does not grow while other
// processes use the machine. Read from /proc; null where the system has none.
import { readdirSync, readFileSync } from 'node:fs'

export function runTimeOf(pid: number): number | null {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    const ns = threads.map((thread) =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
    )
    return ns.reduce((sum, one) => sum + one, 0) / 1e6
  } catch {
    return null
  }
}
