// What readiness looks at: whether the database can be written, and whether the other instances hear of this one.
import type { App } from '#app/context/app-context.ts'
import type { Shares } from '#app/engine/shares.server.ts'
import type { Millis } from '#app/lib/clock.ts'
import { seconds } from '#app/lib/duration.ts'

/** Of several instances, one gets no requests when its last sign is older. It gives one every second. */
const BEAT_SILENCE = seconds(3)
/** What it wrote would seem to be of another time. */
const MOST_CLOCK_ERROR = seconds(30)

const SLOW = 'the database takes longer than 2 s for a small write'
/** Limits how often a trial, a synced write, runs. Requests in between get the last result. */
const TRIAL_EVERY = seconds(3)
/** A database slower than this for one small write counts as unavailable. */
const TRIAL_WRITE_LIMIT = seconds(2)

/** Why an instance should get no requests. Whether it delivers anything does not count: any may take events in. */
export function troubleAmongOthers({ status, holds }: Shares, now: Millis): string[] {
  const { lastBeatAt, clockAhead } = status()
  const silent = lastBeatAt === null || now - lastBeatAt > BEAT_SILENCE || !holds()
  return [
    ...(silent ? ['the database has had no sign of this instance for 3 s'] : []),
    ...(Math.abs(clockAhead ?? 0) > MOST_CLOCK_ERROR ? ['the clock of this machine is wrong by more than 30 s'] : []),
  ]
}

/** Returns a function that explains why writing fails; null = writing works. */
export function writeTrial({ store, clock, log }: Pick<App, 'store' | 'clock' | 'log'>): () => Promise<string | null> {
  async function trialWrite(): Promise<string | null> {
    const began = clock.now()
    let cancel = () => {}
    // Who asks gives up before a server that hangs does.
    const late = new Promise<void>((resolve) => {
      cancel = clock.wake(began + TRIAL_WRITE_LIMIT + 1, resolve)
    })
    const writing = store.ops.trialWrite()
    writing.catch(() => {})
    try {
      await Promise.race([writing, late])
      return clock.now() - began > TRIAL_WRITE_LIMIT ? SLOW : null
    } catch (error) {
      log.error({ error }, 'database.not_writable')
      return 'the database cannot be written'
    } finally {
      cancel()
    }
  }
  let tried: { at: Millis; trouble: Promise<string | null> } | null = null
  return () => {
    const now = clock.now()
    if (!tried || now < tried.at || now - tried.at >= TRIAL_EVERY) tried = { at: now, trouble: trialWrite() }
    return tried.trouble
  }
}
