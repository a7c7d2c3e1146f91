// Guessing addresses of the platform's calls: each wrong guess is a 404, and after a few of them a 429. Who knows an address is
// never counted.
import type { App } from '#app/context/app-context.ts'
import type { PlatformOutcome } from './platform-answer.ts'
import { overRate } from './rate-limit.server.ts'

/** The outcome, or `guessing` in its place when this caller has asked for too many addresses that do not exist. */
export function brakeUnknown(app: Pick<App, 'clock'>, clientIp: string, received: PlatformOutcome): PlatformOutcome {
  const waitMs = received.outcome === 'unknown_address' ? overRate(app, 'unknown_address', clientIp) : null
  return waitMs === null ? received : { outcome: 'guessing', waitMs }
}
