// Limits guesses of platform addresses: each wrong guess is a 404, and after a few of them a 429. Callers with a valid
// address are never counted.
import type { App } from '#app/context/app-context.ts'
import { callerOf } from '#app/lib/caller-of.ts'
import type { PlatformOutcome } from './platform-answer.ts'
import { takeRate } from './rate-limit.server.ts'

/** The outcome, or `guessing` when this caller has tried too many unknown addresses. */
export function brakeUnknown(app: Pick<App, 'clock'>, clientIp: string, received: PlatformOutcome): PlatformOutcome {
  if (received.outcome !== 'unknown_address') return received
  const taken = takeRate(app, 'unknown_address', callerOf(clientIp))
  return taken.outcome === 'wait' ? { outcome: 'guessing', waitMs: taken.ms } : received
}
