// Holds a restored copy: nothing leaves, by whichever way, until the marker beside the database is gone.
import { existsSync, rmSync } from 'node:fs'
import type { Outbound } from '#app/adapters/outbound/outbound.ts'
import type { PlatformApi, PlatformFailure } from '#app/adapters/platform.ts'
import type { ServiceM8Api } from '#app/adapters/servicem8/servicem8.server.ts'
import type { App } from '#app/context/app-context.ts'
import { HELD, HELD_BY_ENVIRONMENT, type Hold, heldMarker } from '#app/domain/quarantine.ts'
import { seconds } from '#app/lib/duration.ts'
import type { Env } from './env.server.ts'

interface HoldControl extends Hold {
  /** Calls `go` at once when nothing is held, else as soon as it is let go, by us or by whoever removed the marker. */
  whenFree(go: () => void): void
  stop(): void
}

/** Somebody at the command line removes the marker of a running product. */
const LOOK_EVERY = seconds(2)

export function createHold(
  { clock, log }: Pick<App, 'clock' | 'log'>,
  env: Pick<Env, 'hold' | 'databaseFile'>,
): HoldControl {
  const marker = heldMarker(env.databaseFile)
  let held = env.hold || existsSync(marker)
  let go = () => {}
  let cancel = () => {}
  if (held) log.warn({ sentence: HELD }, 'hold.on')

  function end(): void {
    if (!held) return
    held = false
    cancel()
    log.warn({}, 'hold.off')
    go()
  }

  function look(): void {
    cancel = clock.wake(clock.now() + LOOK_EVERY, () => (env.hold || existsSync(marker) ? look() : end()))
  }

  return {
    held: () => held,
    async release() {
      if (!held) return { outcome: 'not_held' }
      if (env.hold) return { outcome: 'by_environment', sentence: HELD_BY_ENVIRONMENT }
      rmSync(marker, { force: true })
      end()
      return { outcome: 'released' }
    },
    whenFree(begin) {
      if (!held) return begin()
      go = begin
      look()
    },
    stop: () => cancel(),
  }
}

/** Nothing is posted to a user's address meanwhile. Looking at an address, which carries no event, still works. */
export function heldOutbound(outbound: Outbound, { held }: Pick<Hold, 'held'>): Outbound {
  const timing = { totalMs: 0, dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null }
  return {
    ...outbound,
    async post(request) {
      return held() ? { outcome: 'refused', sentence: HELD, peerIp: null, timing } : outbound.post(request)
    },
  }
}

/** Meanwhile the platform is only read from: nothing is written, sent, subscribed or unsubscribed. */
export function heldPlatformApi(api: ServiceM8Api, hold: Pick<Hold, 'held'>): ServiceM8Api {
  return { ...readOnly(api, hold), actingFor: (account, options) => readOnly(api.actingFor(account, options), hold) }
}

function readOnly(api: PlatformApi, { held }: Pick<Hold, 'held'>): PlatformApi {
  // Certainly not done, and worth another try: whoever asks keeps what it wanted to do.
  const refused: PlatformFailure = { outcome: 'unavailable', status: null, message: HELD, undone: true }
  const unlessHeld =
    <Asked extends unknown[], Answer>(call: (...asked: Asked) => Promise<Answer>) =>
    async (...asked: Asked): Promise<Answer | PlatformFailure> =>
      held() ? refused : call(...asked)
  return {
    ...api,
    create: unlessHeld(api.create),
    update: unlessHeld(api.update),
    remove: unlessHeld(api.remove),
    sendSms: unlessHeld(api.sendSms),
    sendEmail: unlessHeld(api.sendEmail),
    produceDocument: unlessHeld(api.produceDocument),
    uploadFile: unlessHeld(api.uploadFile),
    postToFeed: unlessHeld(api.postToFeed),
    subscribeObject: unlessHeld(api.subscribeObject),
    deleteSubscription: unlessHeld(api.deleteSubscription),
  }
}
