// Calls the automation routes directly, each in a session, with a running engine.
import type { ActionFunctionArgs } from '@remix-run/node'
import type { App } from '#app/context/app-context.ts'
import type { NamesOf } from '#app/domain/record-name.ts'
import { sessionCookieName } from '#app/http/cookies.ts'
import { hours } from '#app/lib/duration.ts'
import { hashToken } from '#app/lib/token.server.ts'
import { type AutomationWorld, automationWorld, BRISBANE, LEEDS } from './automation-world.server.ts'
import type { Call, Route } from './webhook-calls.server.ts'
import { WORK_AT_ONCE } from './work-at-once.ts'

export interface AutomationCalls {
  world: AutomationWorld
  /** The app behind the calls. */
  app: App & { namesOf: NamesOf }
  /** Accounts whose subscriptions were to be updated, in order. */
  followed: string[]
  call(route: Route, path: string, call?: Call): Promise<Answered>
  close(): Promise<void>
}

export interface Answered {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever was answered.
  json: any
}

/** LEEDS is an admin's account. The engine is running. */
export async function automationCalls(): Promise<AutomationCalls> {
  const world = await automationWorld()
  const engine = world.engine()
  engine.start()
  const followed: string[] = []
  for (const accountUuid of [LEEDS, BRISBANE]) {
    await world.store.accounts.openSession({
      tokenHash: hashToken(accountUuid),
      expiresAt: world.clock.now() + hours(8),
      account: { accountUuid, staffUuid: null, proof: 'oauth', provedAt: world.clock.now() },
      replaces: [],
      carryProofsSince: 0,
    })
  }
  const app = {
    ...world.app,
    settings: { ...world.app.settings, adminAccounts: new Set([LEEDS]) },
    planning: world.parts,
    apart: WORK_AT_ONCE,
    namesOf: async () => new Map(),
    whenRunSettles: engine.whenSettled,
    rulesChanged: () => {},
    keepSubscribed: async (accountUuid: string) => {
      followed.push(accountUuid)
      return null
    },
  } as unknown as AutomationCalls['app']

  return {
    world,
    app,
    followed,
    async call(route, path, { method = 'GET', as = LEEDS, body, params = {}, headers = {} } = {}) {
      const request = new Request(`${world.app.settings.origin}${path}`, {
        method,
        headers: {
          ...(as !== null && { cookie: `${sessionCookieName('tab', true)}=${as}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const context = { app, clientIp: '203.0.113.9', nonce: '' }
      const answering = Promise.resolve(
        route({ request, params, context, unstable_pattern: path } as ActionFunctionArgs),
      )
      let answered = false
      answering.then(
        () => {
          answered = true
        },
        () => {
          answered = true
        },
      )
      // A call may wait for a run, and the run waits for the clock.
      for (let second = 0; second < 30 && !answered; second++) await world.clock.run(1_000)
      const response = await answering
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, json: text === '' ? null : JSON.parse(text) }
    },
    close: () => world.close(),
  }
}
