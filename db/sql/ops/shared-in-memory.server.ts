// What must happen once only, where one process has the database for itself.
import type { Clock } from '#app/lib/clock.ts'
import { turnsInMemory } from '#app/lib/in-turn.server.ts'
import { createRateLimiter, type RateLimiter } from '#app/lib/rate-limiter.ts'
import type { SharedStore } from '../../store/shared.ts'

export function sharedInMemory(clock: Clock): SharedStore {
  const limiters = new Map<number, RateLimiter>()
  return {
    inTurn: turnsInMemory(),
    async takeTriggerCall(automationId, perMinute) {
      const limiter = limiters.get(perMinute) ?? createRateLimiter({ clock, perMinute })
      limiters.set(perMinute, limiter)
      return limiter.take(String(automationId))
    },
  }
}
