// Finds out soon that an address which could not be reached can be reached again: dials it, without a request, until it
// connects. Kept in memory only; what is tried, and when, stays as the schedule says, and a knock only brings it forward.
import type { Clock, Millis } from '../lib/clock.ts'
import { minutes, seconds } from '../lib/duration.ts'
import type { Log } from '../lib/log.ts'

interface KnocksInput {
  clock: Clock
  log: Log
  /** Connects, including the handshake, and closes. False = it cannot be reached. Never rejects. */
  dial(url: string): Promise<boolean>
  /** Is the account ours to work for? */
  owns(account: string): boolean
  /** The address connects. Called again after the next knock, unless `forget` was called. */
  reached(endpointId: number): Promise<void>
  /** From 0 to below 1, so that addresses that failed together are not dialled together. */
  random(): number
}

/** Between two knocks at one address. ms */
const GAP = seconds(5)
const JITTER = 0.2
/** Dials at once. */
const MOST_AT_ONCE = 16
/** Ends when no attempt has failed for this long: nothing waits for the address. It is longer than the gap of probes. */
const FORGOTTEN_AFTER = minutes(20)

interface Door {
  account: string
  url: string
  until: Millis
  cancel(): void
}

export function createKnocks(input: KnocksInput) {
  const { clock, log } = input
  const doors = new Map<number, Door>()
  let dialling = 0
  let stopped = false

  function wait(endpointId: number, door: Door): void {
    const at = clock.now() + Math.round(GAP * (1 + JITTER * input.random()))
    door.cancel = clock.wake(at, () => void knock(endpointId, door))
  }

  async function knock(endpointId: number, door: Door): Promise<void> {
    if (clock.now() > door.until || !input.owns(door.account)) {
      doors.delete(endpointId)
      return
    }
    if (dialling < MOST_AT_ONCE) {
      dialling++
      const connects = await input.dial(door.url)
      dialling--
      if (connects && doors.get(endpointId) === door) await tell(endpointId)
    }
    if (!stopped && doors.get(endpointId) === door) wait(endpointId, door)
  }

  async function tell(endpointId: number): Promise<void> {
    try {
      await input.reached(endpointId)
    } catch (error) {
      log.warn({ error, endpointId }, 'knock.not_noted')
    }
  }

  /** Stops dialling. Returns whether it was dialled. */
  function forget(endpointId: number): boolean {
    doors.get(endpointId)?.cancel()
    return doors.delete(endpointId)
  }

  return {
    /** An attempt could not reach the address: dials it from now on. */
    failed({ endpointId, account, url }: { endpointId: number; account: string; url: string }) {
      if (stopped) return
      const known = doors.get(endpointId)
      const until = clock.now() + FORGOTTEN_AFTER
      if (known?.url === url) {
        known.until = until
        return
      }
      forget(endpointId)
      const door: Door = { account, url, until, cancel: () => {} }
      doors.set(endpointId, door)
      wait(endpointId, door)
    },
    forget,
    /** Addresses that are dialled. */
    count: () => doors.size,
    stop() {
      stopped = true
      for (const endpointId of [...doors.keys()]) forget(endpointId)
    },
  }
}
