// Limits requests per minute for one signed-in browser, across all its tabs and polls.
import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { App } from '#app/context/app-context.ts'
import { createRateLimiter } from '#app/lib/rate-limiter.ts'
import { readCookies, sessionCookieName } from './cookies.ts'
import type { Refusal } from './origin-check.ts'
import { isSecure } from './session.server.ts'

/** Null = admitted. Requests without a session have limits by type instead. */
export function createSessionBrake(
  app: Pick<App, 'clock' | 'settings'>,
  perMinute: number,
): (req: { headers: IncomingHttpHeaders }) => Refusal | null {
  const limiter = createRateLimiter({ clock: app.clock, perMinute })
  const names = (['tab', 'frame'] as const).map((kind) => sessionCookieName(kind, isSecure(app)))
  return ({ headers }) => {
    if (!headers.cookie) return null
    const cookies = readCookies(headers.cookie)
    const tokens = names.flatMap((name) => cookies.get(name) || [])
    if (tokens.length === 0) return null
    // Each cookie by itself: a made-up cookie beside the real one does not make a new caller.
    const waits = tokens.map((token) => {
      const taken = limiter.take(createHash('sha256').update(token).digest('base64url'))
      return taken.outcome === 'taken' ? 0 : taken.ms
    })
    const ms = Math.max(...waits)
    if (ms === 0) return null
    const wait = Math.max(1, Math.ceil(ms / 1000))
    return {
      status: 429,
      message: `Too many requests. Please try again in ${wait} s.`,
      headers: { 'Retry-After': String(wait) },
    }
  }
}
