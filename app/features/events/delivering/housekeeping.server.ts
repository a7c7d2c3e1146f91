// Scheduled work on waiting deliveries, in small steps so that it never delays events.
import { setImmediate } from 'node:timers/promises'
import type { App } from '#app/context/app-context.ts'
import { PAUSED_FOR_AT_MOST, RETRY_FOR } from '#app/domain/deliveries/delivery.ts'
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import { UNDO_KEPT } from '#app/lib/undo.ts'
import type { Ending, GrownReplay, HeldCursor } from '#db/store/deliveries.ts'
import type { PendingLimit } from '#db/store/events.ts'
import { chooseEndpoints } from '../fan-out.ts'
import {
  DEADLINE_GRACE,
  expiredWhileHeld,
  REPLAY_CANCELLED,
  RULE_DELETED,
  SAMPLE_LOST,
  STOPPED_BY_RECEIVER,
  WEBHOOK_DELETED,
} from './delivery.ts'
import { failureOfHeld } from './endpoint-health.ts'

type HouseApp = Pick<App, 'store' | 'clock' | 'log'>

/** How much one account may have waiting before we ask the platform to slow down. */
export const PENDING_LIMIT: PendingLimit = { deliveries: 50_000, bytes: 50_000_000 }

/** Spreads everything overdue at a start over a minute. */
const SPREAD = { from: seconds(1), to: minutes(1) }
/** After a start, events not tried during our downtime are tried for at least this long. */
const UNTRIED_GRACE = hours(1)
/** A last try may still be under way after the deadline; a held delivery is given up only after this time. */
const HELD_GRACE = DEADLINE_GRACE + minutes(1)

export async function tidyAfterRestart({ store, clock, log }: HouseApp, alone: boolean): Promise<void> {
  const { spread } = await store.deliveries.tidyAfterRestart(clock.now(), {
    alone,
    spreadMs: SPREAD,
    graceMs: UNTRIED_GRACE,
    sampleReason: SAMPLE_LOST,
  })
  if (spread > 0) log.info({ deliveries: spread }, 'deliveries.spread')
}

const REASONS: Record<Ending['because'], string> = {
  stopped: STOPPED_BY_RECEIVER,
  deleted: WEBHOOK_DELETED,
  rule_deleted: RULE_DELETED,
  cancelled: REPLAY_CANCELLED,
  sample: SAMPLE_LOST,
}

/** Ends the waiting deliveries of stopped endpoints, of deleted ones once nobody can undo it, and of cancelled replays. */
export async function endStopped({ store, clock, log }: HouseApp): Promise<void> {
  const endings = await store.deliveries.listEndings(clock.now(), clock.now() - UNDO_KEPT)
  for (const ending of endings) {
    for (let ended = STEP; ended >= STEP; ) {
      ended = await store.deliveries.endStoppedStep(ending, REASONS[ending.because], clock.now(), STEP)
      if (ended > 0) log.info({ deliveries: ended }, 'deliveries.stopped')
      await setImmediate()
    }
  }
}

/** Deliveries of one step: other writers of their endpoint wait for it. */
const STEP = 100

/** Gives up held deliveries that are past their deadline. */
export async function expireHeld({ store, clock, log }: HouseApp): Promise<void> {
  const options = {
    ...{ graceMs: HELD_GRACE, pausedForMs: PAUSED_FOR_AT_MOST },
    ...{ reason: expiredWhileHeld, failure: failureOfHeld },
  }
  let cursor: HeldCursor | null = null
  let ended = 0
  do {
    const step: Awaited<ReturnType<typeof store.deliveries.expireHeldStep>> = await store.deliveries.expireHeldStep(
      clock.now(),
      cursor,
      options,
    )
    cursor = step.next
    ended += step.ended
    await setImmediate()
  } while (cursor)
  if (ended > 0) log.info({ deliveries: ended }, 'deliveries.expired')
}

/** How many deliveries of one replay wait at a time: enough to keep it going, too few to delay other deliveries. */
const WAITING_PER_REPLAY = 500

/** `offer` gets the new deliveries of each step. Answers how many replays still run, and whether some can go on at once. */
export async function growReplays(
  { store, clock }: HouseApp,
  limit: PendingLimit,
  offer: (made: Exclude<GrownReplay, string>) => void,
): Promise<{ running: number; more: boolean }> {
  const options = {
    ...{ choose: chooseEndpoints, limit, waitingPerReplay: WAITING_PER_REPLAY, step: STEP },
    retryFor: RETRY_FOR,
  }
  let [running, more] = [0, false]
  for (const replayId of await store.deliveries.listRunningReplays()) {
    const grown = await store.deliveries.growReplayStep(replayId, clock.now(), options)
    if (grown !== 'ended') running++
    if (typeof grown === 'string') continue
    offer(grown)
    more = true
  }
  return { running, more }
}
