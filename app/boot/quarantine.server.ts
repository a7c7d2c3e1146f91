// Keeps a restored or moved copy in quarantine: nothing is sent until the mark on the database is gone.
import type { Outbound } from '#app/adapters/outbound/outbound.ts'
import type { PlatformApi, PlatformFailure } from '#app/adapters/platform.ts'
import type { ServiceM8Api } from '#app/adapters/servicem8/servicem8.server.ts'
import type { App } from '#app/context/app-context.ts'
import { JOBS_IN_QUARANTINE, JOBS_UNLESS_A_COPY, QUARANTINED, type Quarantine } from '#app/domain/quarantine.ts'
import { seconds } from '#app/lib/duration.ts'
import type { HoldMark } from '#db/hold.ts'
import type { Env } from './env.server.ts'

/** A command can remove the mark of a running product. */
const CHECK_EVERY = seconds(2)

/** Rejects when the mark cannot be looked for. */
export async function createQuarantine(
  { clock, log }: Pick<App, 'clock' | 'log'>,
  env: Pick<Env, 'hold'>,
  mark: HoldMark,
) {
  const isCopy = await mark.isSet()
  let held = env.hold || isCopy
  let go = () => {}
  let cancel = () => {}
  let stopped = false
  if (held) log.warn({ sentence: QUARANTINED }, 'hold.on')

  function end(): void {
    if (!held) return
    held = false
    cancel()
    log.warn({}, 'hold.off')
    go()
  }

  /** A mark that cannot be looked for is there. */
  async function look(): Promise<void> {
    const stays = env.hold || (await mark.isSet().catch(() => true))
    if (stopped || !held) return
    if (stays) check()
    else end()
  }

  function check(): void {
    cancel = clock.wake(clock.now() + CHECK_EVERY, () => void look())
  }

  return {
    held: () => held,
    isCopy: () => held && isCopy,
    /** Calls `begin` immediately without a quarantine, else once its mark is gone. */
    whenFree(begin: () => void) {
      if (!held) return begin()
      go = begin
      check()
    },
    /** Whether the job runs from the start, whatever holds the database. */
    goesOn: ({ name }: { name: string }) => JOBS_IN_QUARANTINE.has(name) || (!isCopy && JOBS_UNLESS_A_COPY.has(name)),
    stop() {
      stopped = true
      cancel()
    },
  }
}

/** Posts nothing to a user's address in quarantine. Probing an address, which carries no event, still works. */
export function quarantinedOutbound(outbound: Outbound, { held }: Pick<Quarantine, 'held'>): Outbound {
  const timing = { totalMs: 0, dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null }
  return {
    ...outbound,
    async post(request) {
      return held() ? { outcome: 'refused', sentence: QUARANTINED, peerIp: null, timing } : outbound.post(request)
    },
  }
}

/** In quarantine the platform is read-only: nothing is written, sent, subscribed or unsubscribed. */
export function quarantinedPlatformApi(api: ServiceM8Api, hold: Pick<Quarantine, 'held'>): ServiceM8Api {
  return { ...readOnly(api, hold), actingFor: (account, options) => readOnly(api.actingFor(account, options), hold) }
}

function readOnly(api: PlatformApi, { held }: Pick<Quarantine, 'held'>): PlatformApi {
  // Certainly not done, and worth a retry: the caller keeps its intent.
  const refused: PlatformFailure = { outcome: 'unavailable', status: null, message: QUARANTINED, undone: true }
  const unlessQuarantined =
    <Asked extends unknown[], Answer>(call: (...asked: Asked) => Promise<Answer>) =>
    async (...asked: Asked): Promise<Answer | PlatformFailure> =>
      held() ? refused : call(...asked)
  return {
    ...api,
    create: unlessQuarantined(api.create),
    update: unlessQuarantined(api.update),
    remove: unlessQuarantined(api.remove),
    sendSms: unlessQuarantined(api.sendSms),
    sendEmail: unlessQuarantined(api.sendEmail),
    produceDocument: unlessQuarantined(api.produceDocument),
    uploadFile: unlessQuarantined(api.uploadFile),
    postToFeed: unlessQuarantined(api.postToFeed),
    subscribeObject: unlessQuarantined(api.subscribeObject),
    deleteSubscription: unlessQuarantined(api.deleteSubscription),
  }
}
