// Checks before the router: a request's origin and rate. Requests refused here are logged like those refused inside.
import type { IncomingHttpHeaders } from 'node:http'
import type { App } from '#app/context/app-context.ts'
import { admitRequest, type Refusal } from './origin-check.ts'
import { logRefusedAtTheDoor } from './refusals.server.ts'
import { createSessionBrake } from './session-brake.server.ts'

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
