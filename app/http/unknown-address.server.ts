// Guessing addresses of the platform's calls: each wrong guess is a 404, and after a few of them a 429. Who knows an address is
// never counted.
import type { App } from '#app/context/app-context.ts'
import type { PlatformAnswer } from '#app/features/events/receive-event.server.ts'
import { overRate } from './rate-limit.server.ts'

/** The answer, or 429 in its place when this caller has asked for too many addresses that do not exist. */
export function brakeUnknown(app: Pick<App, 'clock'>, clientIp: string, answer: PlatformAnswer): PlatformAnswer {
  const ms = answer.status === 404 ? overRate(app, 'unknown_address', clientIp) : null
  if (ms === null) return answer
  const wait = Math.max(1, Math.ceil(ms / 1000))
  return {
    status: 429,
    headers: { ...answer.headers, 'retry-after': String(wait) },
    body: JSON.stringify({ message: `Too many requests. Please try again in ${wait} s.` }),
  }
}
