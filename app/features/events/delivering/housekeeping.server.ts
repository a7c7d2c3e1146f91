// What has to be done to waiting deliveries although nobody asks: in small steps, so that events never wait for it.
import { setImmediate } from 'node:timers/promises'
import type { App } from '#app/context/app-context.ts'
import { PAUSED_FOR_AT_MOST, RETRY_FOR } from '#app/domain/deliveries/delivery.ts'
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import type { GrownReplays, HeldCursor } from '#db/store/deliveries.ts'
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

type HouseApp = Pick<App, 'store' | 'clock' | 'log'>

/** What one account may have waiting before the platform is asked to slow down. */
export const PENDING_LIMIT: PendingLimit = { deliveries: 50_000, bytes: 50_000_000 }

/** Everything overdue at a start comes back within a minute, not all at once. */
const SPREAD = { from: seconds(1), to: minutes(1) }
/** Events we never managed to try, because we were away, are tried at least this long after a start. */
const UNTRIED_GRACE = hours(1)
/** After its last moment a try may still be under way; only then is a held delivery given up. */
const HELD_GRACE = DEADLINE_GRACE + minutes(1)

export async function tidyAfterRestart({ store, clock, log }: HouseApp): Promise<void> {
  const { spread } = await store.deliveries.tidyAfterRestart(clock.now(), {
    spreadMs: SPREAD,
    graceMs: UNTRIED_GRACE,
    sampleReason: SAMPLE_LOST,
  })
  if (spread > 0) log.info({ deliveries: spread }, 'deliveries.spread')
}

/** Ends what waits for endpoints that were stopped or deleted, and what cancelled replays had made. */
export async function endStopped({ store, clock, log }: HouseApp): Promise<void> {
  const reasons = {
    stopped: STOPPED_BY_RECEIVER,
    deleted: WEBHOOK_DELETED,
    ruleDeleted: RULE_DELETED,
    cancelled: REPLAY_CANCELLED,
  }
  for (;;) {
    const ended = await store.deliveries.endStoppedStep(clock.now(), STEP, reasons)
    if (ended > 0) log.info({ deliveries: ended }, 'deliveries.stopped')
    if (ended < STEP) return
    await setImmediate()
  }
}

const STEP = 200

/** Gives up what is held past its deadline. */
export async function expireHeld({ store, clock, log }: HouseApp): Promise<void> {
  const options = { graceMs: HELD_GRACE, pausedForMs: PAUSED_FOR_AT_MOST, reason: expiredWhileHeld }
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

/** Deliveries of one replay that wait at a time: enough to keep it going, too few to crowd anything out. */
const WAITING_PER_REPLAY = 500

export async function growReplays({ store, clock }: HouseApp, limit: PendingLimit): Promise<GrownReplays> {
  return store.deliveries.growReplaysStep(clock.now(), {
    choose: chooseEndpoints,
    limit,
    waitingPerReplay: WAITING_PER_REPLAY,
    step: STEP,
    retryFor: RETRY_FOR,
  })
}
