// Limits a flood through a known address, if the operator sets a limit: events per second, ten times as many at once,
// then 429; the platform resends them. Counted by address, not by caller: all accounts' events come from the platform's
// few machines. Without a limit accounts are still isolated: one that fills its share of pending deliveries gets 429.
import type { App } from '#app/context/app-context.ts'
import type { EventBrake } from '#app/features/events/receive-event.server.ts'
import { minutes, seconds } from '#app/lib/duration.ts'
import { createRateLimiter } from '#app/lib/rate-limiter.ts'

/** Burst size in seconds' worth of events. */
const AT_ONCE = 10

type BrakeApp = Pick<App, 'clock' | 'log' | 'settings'>

const brakes = new WeakMap<BrakeApp['settings'], EventBrake>()

/** One for both ingress paths. */
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
