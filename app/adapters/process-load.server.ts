// How the process itself is doing: processor, memory, descriptors, and how late its event loop runs.
import { readdirSync } from 'node:fs'
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import type { ProcessReadings } from './measures.ts'

export interface ProcessLoad {
  start(): void
  stop(): void
  /** The delay of the event loop is counted anew from each read. */
  read(): ProcessReadings
}

/** The loop is looked at this often, ms. Node counts the wait itself as delay: it is taken off. */
const LOOK_EVERY = 20

export function createProcessLoad(): ProcessLoad {
  const delay = monitorEventLoopDelay({ resolution: LOOK_EVERY })
  const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - LOOK_EVERY) / 1000
  return {
    start: () => void delay.enable(),
    stop: () => void delay.disable(),
    read() {
      const { user, system } = process.cpuUsage()
      const { rss, heapUsed, heapTotal, external } = process.memoryUsage()
      const empty = delay.count === 0
      const loopDelay = {
        p50: empty ? 0 : late(delay.percentile(50)),
        p99: empty ? 0 : late(delay.percentile(99)),
        max: empty ? 0 : late(delay.max),
      }
      delay.reset()
      return {
        startedAt: performance.timeOrigin / 1000,
        cpuSeconds: (user + system) / 1e6,
        residentBytes: rss,
        heapUsedBytes: heapUsed,
        heapTotalBytes: heapTotal,
        externalBytes: external,
        openDescriptors: openDescriptors(),
        loopDelay,
      }
    },
  }
}

/** Null where there is no /proc. The look itself opens one. */
function openDescriptors(): number | null {
  try {
    return readdirSync('/proc/self/fd').length - 1
  } catch {
    return null
  }
}
