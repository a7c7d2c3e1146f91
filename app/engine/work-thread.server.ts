// The thread side of `work-apart.server.ts`: runs one job at a time and answers each with its cost.
import { constants, platform, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import type { WorkTable } from '#app/lib/apart.ts'

export interface WorkOrder {
  name: string
  given: unknown[]
}

export type WorkAnswer =
  /** Processor time in ms: `ms` of this job, `spent` of the thread since it started. */
  | { kind: 'ready'; spent: number }
  | { kind: 'done'; value: unknown; ms: number; spent: number }
  | { kind: 'failed'; error: unknown; ms: number; spent: number }

/** Call once, in a separate thread. */
export function serveWork(table: WorkTable): void {
  stepBack()
  const tell = (answer: WorkAnswer) => parentPort?.postMessage(answer)
  parentPort?.on('message', ({ name, given }: WorkOrder) => {
    const began = processorMs()
    try {
      const work = table[name] as ((...given: unknown[]) => unknown) | undefined
      if (!work) throw new Error(`there is no work called ${name}`)
      const value = work(...given)
      const spent = processorMs()
      tell({ kind: 'done', value, ms: spent - began, spent })
    } catch (error) {
      const spent = processorMs()
      tell({ kind: 'failed', error, ms: spent - began, spent })
    }
  })
  tell({ kind: 'ready', spent: processorMs() })
}

/** Lowers the thread's priority so events and pages come first on a busy machine. On Linux, 0 is this thread. */
function stepBack(): void {
  if (platform() !== 'linux') return
  try {
    setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // Not every host allows this; then the thread keeps its priority.
  }
}

/** This thread's time where Node provides it (22.19 and newer), otherwise wall time: such work never waits. */
function processorMs(): number {
  if (typeof process.threadCpuUsage !== 'function') return performance.now()
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
