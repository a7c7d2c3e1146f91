// The other side of `work-apart.server.ts`: one job after the other, each answered with what it cost.
import { parentPort } from 'node:worker_threads'
import type { WorkTable } from '#app/lib/apart.ts'

export interface WorkOrder {
  name: string
  given: unknown[]
}

export type WorkAnswer =
  | { kind: 'ready' }
  /** `ms` of processor time. */
  | { kind: 'done'; value: unknown; ms: number }
  | { kind: 'failed'; error: unknown; ms: number }

/** Call once, in a thread of its own. */
export function serveWork(table: WorkTable): void {
  const tell = (answer: WorkAnswer) => parentPort?.postMessage(answer)
  parentPort?.on('message', ({ name, given }: WorkOrder) => {
    const began = processorMs()
    try {
      const work = table[name] as ((...given: unknown[]) => unknown) | undefined
      if (!work) throw new Error(`there is no work called ${name}`)
      const value = work(...given)
      tell({ kind: 'done', value, ms: processorMs() - began })
    } catch (error) {
      tell({ kind: 'failed', error, ms: processorMs() - began })
    }
  })
  tell({ kind: 'ready' })
}

/** Of this thread where Node can tell (22.19 and newer), else by the clock: such work never waits. */
function processorMs(): number {
  if (typeof process.threadCpuUsage !== 'function') return performance.now()
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
