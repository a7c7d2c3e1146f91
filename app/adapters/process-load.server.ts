// Load of the process itself: processor, memory, descriptors, and event loop delay.
import { readdirSync } from 'node:fs'
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import type { ProcessReadings } from './measures.ts'

export type ProcessLoad = ReturnType<typeof createProcessLoad>

/** Sampling interval of the loop, ms. Node counts the interval itself as delay: it is subtracted. */
const LOOK_EVERY = 20

export function createProcessLoad() {
  const delay = monitorEventLoopDelay({ resolution: LOOK_EVERY })
  const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - LOOK_EVERY) / 1000
  return {
    start: () => void delay.enable(),
    stop: () => void delay.disable(),
    /** Each read restarts the measurement of the event loop delay. */
    read(): ProcessReadings {
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

/** Null without /proc. The check itself opens one. */
function openDescriptors(): number | null {
  try {
    return readdirSync('/proc/self/fd').length - 1
  } catch {
    return null
  }
}
