// A loop that never gives up: a failed round is logged and retried with increasing delays, up to a ceiling.
import type { Clock, Millis } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'

interface SteadyLoopInput {
  name: string
  clock: Clock
  log: Log
  /** One round. Resolves with the time of the next one; null = only when woken. Rounds never overlap. */
  run(): Promise<Millis | null>
  /** ms; default 30 s. */
  ceilingMs?: number
}

const FIRST_PAUSE = 250

export function createSteadyLoop({ name, clock, log, run, ceilingMs = 30_000 }: SteadyLoopInput) {
  let active = false
  let running: Promise<void> | null = null
  let again = false
  let failures = 0
  let lastRunAt: Millis | null = null
  let turns = 0
  let cancel = () => {}

  /** Runs a round now, or another after the current one. Does nothing before the start and after the stop. */
  function wake(): void {
    if (!active) return
    // After a failure the delay stands: a wake-up does not shorten it.
    if (running || failures > 0) {
      again = true
      return
    }
    begin()
  }

  function begin(): void {
    cancel()
    again = false
    running = round().then((next) => {
      // In the same turn, so no wake-up falls between "running" and "asleep".
      running = null
      turns++
      if (!active) return
      const at = again && failures === 0 ? clock.now() : next
      if (at !== null) cancel = clock.wake(at, begin)
    })
  }

  /** Never rejects. Resolves with the time of the next round. */
  async function round(): Promise<Millis | null> {
    try {
      const next = await run()
      if (failures > 0) log.info({ loop: name, failures }, 'loop.recovered')
      failures = 0
      lastRunAt = clock.now()
      return next
    } catch (error) {
      failures++
      const pause = Math.min(FIRST_PAUSE * 2 ** Math.min(failures - 1, 20), ceilingMs)
      log.error({ loop: name, failures, pause, error }, 'loop.failed')
      return clock.now() + pause
    }
  }

  return {
    start() {
      if (active) return
      active = true
      begin()
    },
    wake,
    /** Starts no further round; resolves when the current one has ended. */
    async stop() {
      active = false
      cancel()
      await running
    },
    /** When the last round that succeeded ended; null = none yet. */
    lastRunAt: () => lastRunAt,
    /** How many rounds have ended, successful or not: while it grows, the loop is alive. */
    turns: () => turns,
  }
}
