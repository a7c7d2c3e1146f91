// Scheduled jobs. croner only calculates the next time; timers use the product's clock, so moving the clock moves them.
import { Cron } from 'croner'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'

export interface TimedJob {
  name: string
  /** Cron pattern, UTC. */
  pattern: string
  /** Also runs this many ms after the start. Missing = only by pattern. */
  afterStartMs?: number
  /** Is it this process's to do? Missing = yes. Until it first is, the run after the start stays owed. */
  isOurs?(): boolean
  /** `signal` aborts when the process is shutting down: long work stops at its next step. */
  run(signal: AbortSignal): Promise<void>
}

/** How often an owed run asks again whether it is ours. ms */
const ASK_AGAIN = 5_000

interface SchedulerDeps {
  clock: Clock
  log: Log
  /** Called after every run of a job. */
  onRun?(job: string, outcome: 'done' | 'failed', durationMs: number): void
}

export interface Scheduler {
  stop(): Promise<void>
  /** How many job runs have started: while it grows, the scheduler is alive. */
  turns(): number
}

/**
 * Starts every job of the list. A job never overlaps itself; a failed job is logged and retried at its next time, so it
 * never ends the process. `stop` aborts running jobs and waits for them.
 */
export function startScheduler(jobs: TimedJob[], deps: SchedulerDeps): Scheduler {
  const running = new Set<Promise<void>>()
  const cancels = new Map<string, () => void>()
  const owed = new Set<string>()
  const ending = new AbortController()
  let stopped = false
  let turns = 0

  const runOnce = async (job: TimedJob): Promise<void> => {
    const startedAt = deps.clock.now()
    try {
      await job.run(ending.signal)
      const durationMs = deps.clock.now() - startedAt
      deps.log.debug({ job: job.name, durationMs }, 'job.finished')
      deps.onRun?.(job.name, 'done', durationMs)
    } catch (error) {
      deps.log.error({ job: job.name, error }, 'job.failed')
      deps.onRun?.(job.name, 'failed', deps.clock.now() - startedAt)
    }
  }
  const arm = (job: TimedJob, at: number): void => {
    if (stopped) return
    const askAt = owed.has(job.name) ? Math.min(at, deps.clock.now() + ASK_AGAIN) : at
    const cancel = deps.clock.wake(askAt, () => {
      if (job.isOurs?.() ?? true) owed.delete(job.name)
      else if (askAt < at) return arm(job, at)
      turns++
      const work = runOnce(job).finally(() => {
        running.delete(work)
        arm(job, nextRun(job.pattern, deps.clock.now()))
      })
      running.add(work)
    })
    cancels.set(job.name, cancel)
  }
  for (const job of jobs) {
    const now = deps.clock.now()
    arm(job, job.afterStartMs === undefined ? nextRun(job.pattern, now) : now + job.afterStartMs)
    if (job.afterStartMs !== undefined) owed.add(job.name)
  }
  return {
    async stop() {
      stopped = true
      ending.abort()
      for (const cancel of cancels.values()) cancel()
      await Promise.all(running)
    },
    turns: () => turns,
  }
}

function nextRun(pattern: string, from: number): number {
  const next = new Cron(pattern, { timezone: 'UTC', paused: true }).nextRun(new Date(from))
  if (!next) throw new Error(`the pattern "${pattern}" has no next run`)
  return next.getTime()
}
