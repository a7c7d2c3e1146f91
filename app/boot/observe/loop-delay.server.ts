// Delay of the event loop, minute by minute: Node measures it, and this reads it once a minute.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { minutes } from '#app/lib/duration.ts'

const SAMPLE_MS = 20
const NANOSECONDS = 1e6

interface LoopDelay {
  /** 99th percentile of the delay in the last whole minute, ms; null = the first minute is not over. */
  lastMinuteMs(): number | null
  stop(): void
}

export function watchLoopDelay(): LoopDelay {
  const histogram = monitorEventLoopDelay({ resolution: SAMPLE_MS })
  histogram.enable()
  let last: number | null = null
  const timer = setInterval(() => {
    // The measurement includes the time between two samples.
    last = Math.max(0, histogram.percentile(99) / NANOSECONDS - SAMPLE_MS)
    histogram.reset()
  }, minutes(1))
  timer.unref()
  return {
    lastMinuteMs: () => last,
    stop() {
      clearInterval(timer)
      histogram.disable()
    },
  }
}
