// Calls the subscription routes directly, each in a session.
import type { ActionFunctionArgs } from '@remix-run/node'
import type { App } from '#app/context/app-context.ts'
import { sessionCookieName } from '#app/http/cookies.ts'
import { hours } from '#app/lib/duration.ts'
import { hashToken } from '#app/lib/token.server.ts'
import type { Answered } from './automation-calls.server.ts'
import { type BillingWorld, BRISBANE, LEEDS } from './billing-world.server.ts'
import type { Call, Route } from './webhook-calls.server.ts'

export type BillingCall = (route: Route, path: string, call?: Call) => Promise<Answered>

/** `app` = replacements for parts of the world's own app. */
export async function billingCalls(world: BillingWorld, app: Partial<App> = {}): Promise<BillingCall> {
  const signedIn = world.rows('SELECT token_hash FROM session').length > 0
  for (const accountUuid of signedIn ? [] : [LEEDS, BRISBANE]) {
    await world.app.store.accounts.openSession({
      tokenHash: hashToken(accountUuid),
      expiresAt: world.clock.now() + hours(8),
      account: { accountUuid, staffUuid: null, proof: 'oauth', provedAt: world.clock.now() },
      replaces: [],
      carryProofsSince: 0,
    })
  }
  const context = { app: { ...world.app, ...app } as unknown as App, clientIp: '203.0.113.9', nonce: '' }
  return async (route, path, { method = 'GET', as = LEEDS, body, params = {}, headers = {} } = {}) => {
    const request = new Request(`${world.app.settings.origin}${path}`, {
      method,
      headers: {
        ...(as !== null && { cookie: `${sessionCookieName('tab', true)}=${as}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const response = await route({ request, params, context, unstable_pattern: path } as ActionFunctionArgs)
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, json: text === '' ? null : JSON.parse(text) }
  }
}
