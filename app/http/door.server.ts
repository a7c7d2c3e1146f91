// Checks before the router: a request's origin and rate. Requests refused here are logged like those refused inside.
import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { App } from '#app/context/app-context.ts'
import { createRateLimiter } from '#app/lib/rate-limiter.ts'
import { readCookies, sessionCookieName } from './cookies.ts'
import { admitRequest, type Refusal } from './origin-check.ts'
import { logRefusedAtTheDoor } from './refusals.server.ts'
import { isSecure } from './session.server.ts'

interface Arriving {
  method?: string | undefined
  url?: string | undefined
  headers: IncomingHttpHeaders
}

/** Null = admitted, perhaps without its cookies. `told` = for tests that wait for the log entry. */
export function createDoor<Req extends Arriving>(
  app: Pick<App, 'store' | 'clock' | 'log' | 'settings'>,
  input: { perMinute: number; clientIp: (req: Req) => string; told?: (telling: Promise<void>) => void },
): (req: Req) => Refusal | null {
  const { clientIp, told = () => {} } = input
  const brake = createSessionBrake(app, input.perMinute)
  return (req) => {
    const refusal = admitRequest(req, app.settings.origin) ?? brake(req)
    if (refusal) {
      const { method = 'GET', url = '/', headers } = req
      told(logRefusedAtTheDoor(app, { method, url, cookie: headers.cookie, refusal }, clientIp(req)))
    }
    return refusal
  }
}

/**
 * Limits requests per minute for one signed-in browser, across all its tabs and polls. Null = admitted. Requests without a session have limits by type instead.
 */
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
