// The delivery engine's use cases as a webhook's buttons and calls need them: bound to one account.
import type { App } from '#app/app-context.ts'
import { cancelReplay, replaySince, sendAgain, sendTest } from '#app/features/deliveries/send-again.server.ts'
import type { DeliveryControls } from '#app/features/webhooks/delivery-controls.server.ts'
import { createRateLimiter, type RateLimiter } from '#app/http/rate-limit.server.ts'

const TESTS_A_MINUTE = 5

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
    takeTest: () => limiterOf(app).take(accountUuid),
  }
}

const limiters = new WeakMap<App, RateLimiter>()

/** One for the page and the call: a minute's tests are counted together. */
function limiterOf(app: App): RateLimiter {
  const limiter = limiters.get(app) ?? createRateLimiter({ clock: app.clock, perMinute: TESTS_A_MINUTE })
  limiters.set(app, limiter)
  return limiter
}
