// A flood through an address that is known, where the operator wants a limit: so many events a second, ten times as many at once,
// then 429; the platform sends them again. Counted by address, not by caller: all accounts' events come from the platform's few
// machines. Without a limit nobody waits for another all the same: an account that fills its share of waiting deliveries gets 429.
import type { App } from '#app/context/app-context.ts'
import type { EventBrake } from '#app/features/events/receive-event.server.ts'
import { minutes, seconds } from '#app/lib/duration.ts'
import { createRateLimiter } from './rate-limit.server.ts'

/** How many seconds' worth may come at once. */
const AT_ONCE = 10

type BrakeApp = Pick<App, 'clock' | 'log' | 'settings'>

const brakes = new WeakMap<BrakeApp['settings'], EventBrake>()

/** One for both entrances of the platform. */
export function eventBrakeOf(app: BrakeApp): EventBrake {
  const brake = brakes.get(app.settings) ?? newBrake(app)
  brakes.set(app.settings, brake)
  return brake
}

function newBrake({ clock, log, settings }: BrakeApp): EventBrake {
  const perSecond = settings.eventsPerSecond ?? 0
  if (perSecond === 0) return () => null
  const limiter = createRateLimiter({
    clock,
    perMinute: (perSecond * minutes(1)) / seconds(1),
    burst: perSecond * AT_ONCE,
  })
  let saidAt = Number.NEGATIVE_INFINITY
  return (subscriptionId, events) => {
    const taken = limiter.take(String(subscriptionId), events)
    if (taken.outcome === 'taken') return null
    // Once a minute: a flood must not fill the log either.
    if (clock.now() - saidAt >= minutes(1)) {
      saidAt = clock.now()
      log.warn({ subscriptionId }, 'ingress.braked')
    }
    return taken.ms
  }
}
