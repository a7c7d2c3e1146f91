// The delivery engine's use cases as a webhook's buttons and calls need them: bound to one account.
import type { App } from '#app/context/app-context.ts'
import type { DeliveryControls } from '#app/features/endpoints/controls/delivery-controls.server.ts'
import { cancelReplay, replaySince, sendAgain, sendTest } from '#app/features/events/delivering/send-again.server.ts'
import { createRateLimiter, type RateLimiter } from '#app/http/rate-limit.server.ts'

/** Per account; counted together for the page and the calls. */
const A_MINUTE = { test: 5, check: 5, compare: 2 } as const

type Limited = keyof typeof A_MINUTE

export function deliveryControls(app: App, accountUuid: string): DeliveryControls {
  return {
    sendAgain: (deliveryId) => sendAgain(app, accountUuid, deliveryId),
    async countReplay(endpointId, wish) {
      const counted = await replaySince(app, accountUuid, endpointId, { ...wish, dryRun: true })
      return counted.outcome === 'counted' ? counted.count : null
    },
    async startReplay(endpointId, wish) {
      const started = await replaySince(app, accountUuid, endpointId, { ...wish, dryRun: false })
      if (started.outcome === 'counted') throw new Error('a replay was only counted')
      return started
    },
    cancelReplay: (replayId) => cancelReplay(app, accountUuid, replayId),
    async sendSample(endpointId, sample) {
      const sent = await sendTest(app, accountUuid, endpointId, sample)
      if (sent.outcome === 'not_found') return null
      const { success, verdict, durationMs } = sent
      return {
        success,
        statusCode: verdict.statusCode,
        responseTime: durationMs,
        error: success ? null : verdict.sentence,
      }
    },
    takeTest: () => limiterOf(app, 'test').take(accountUuid),
    takeCheck: () => limiterOf(app, 'check').take(accountUuid),
    takeCompare: () => limiterOf(app, 'compare').take(accountUuid),
  }
}

const limiters = new WeakMap<App, Partial<Record<Limited, RateLimiter>>>()

function limiterOf(app: App, what: Limited): RateLimiter {
  const known = limiters.get(app) ?? {}
  limiters.set(app, known)
  known[what] ??= createRateLimiter({ clock: app.clock, perMinute: A_MINUTE[what] })
  return known[what]
}
