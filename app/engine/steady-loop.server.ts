// A loop that never gives up: a failed round is logged and tried again, later each time, up to a ceiling.
import type { Clock, Millis } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'

interface SteadyLoopInput {
  name: string
  clock: Clock
  log: Log
  /** One round. Resolves with the moment of the next one; null = when it is woken. Rounds never overlap. */
  run(): Promise<Millis | null>
  /** ms; default 30 s. */
  ceilingMs?: number
}

export interface SteadyLoop {
  start(): void
  /** Runs a round now, or another one after the one that is running. Does nothing before the start and after the stop. */
  wake(): void
  /** No further round; resolves when the running one has ended. */
  stop(): Promise<void>
  /** When the last round that succeeded ended; null = none yet. */
  lastRunAt(): Millis | null
  /** How many rounds have ended, well or not: while it grows, the loop turns. */
  turns(): number
}

const FIRST_PAUSE = 250

export function createSteadyLoop({ name, clock, log, run, ceilingMs = 30_000 }: SteadyLoopInput): SteadyLoop {
  let active = false
  let running: Promise<void> | null = null
  let again = false
  let failures = 0
  let lastRunAt: Millis | null = null
  let turns = 0
  let cancel = () => {}

  function wake(): void {
    if (!active) return
    // After a failure the pause counts: whoever wakes it has no better news.
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
      // In this one turn, so that no wake can fall between "still running" and "asleep".
      running = null
      turns++
      if (!active) return
      const at = again && failures === 0 ? clock.now() : next
      if (at !== null) cancel = clock.wake(at, begin)
    })
  }

  /** Never rejects. Resolves with the moment of the next round. */
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
    async stop() {
      active = false
      cancel()
      await running
    },
    lastRunAt: () => lastRunAt,
    turns: () => turns,
  }
}
