// How long a process has been at work on a processor, all its threads together, in ms: unlike the time that passes, it does not grow
// while others use the machine. From /proc; null where the system does not tell.
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
