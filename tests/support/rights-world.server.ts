// Accounts, sessions and signed openings on a real database file, without a platform: for tests of permissions.
import { SignJWT } from 'jose'
import { createSignedReader } from '#app/adapters/servicem8/servicem8-signed.server.ts'
import type { App } from '#app/context/app-context.ts'
import { sessionCookieName } from '#app/http/cookies.ts'
import { type FixedClock, fixedClock } from '#app/lib/clocks.server.ts'
import { hashToken, newToken } from '#app/lib/token.server.ts'
import { testApp } from './test-app.server.ts'

export const RIGHTS_ORIGIN = 'https://fieldhook.test'
export const LEEDS = '6e3f5d0c-1f6b-4f2c-9f57-20aa5c1d0b01'
export const YORK = '6e3f5d0c-1f6b-4f2c-9f57-20aa5c1d0b02'
const APP_SECRET = 'a secret of the add-on, thirty-two and more'

export interface RightsWorld {
  app: App
  clock: FixedClock
  /** Creates a session that proves the accounts; returns its secret. */
  signIn(...accounts: string[]): Promise<string>
  /** A browser's request with sessions, by kind. */
  request(path: string, cookies?: { tab?: string; frame?: string }, headers?: Record<string, string>): Request
  sign(claims: Record<string, unknown>): Promise<string>
  close(): void
}

export function rightsWorld(options: { origin?: string } = {}): RightsWorld {
  const origin = options.origin ?? RIGHTS_ORIGIN
  const clock = fixedClock()
  const { app, close } = testApp(clock, { origin, adminAccounts: new Set([LEEDS]) })
  const { store } = app
  const readSigned = createSignedReader({ appSecret: APP_SECRET, clock })
  return {
    app: { ...app, readSigned } as unknown as App,
    clock,
    async signIn(...accounts) {
      const token = newToken()
      let before: string[] = []
      for (const accountUuid of accounts) {
        await store.accounts.ensureAccount({ uuid: accountUuid, name: '', timezone: 'UTC' })
        const next = accountUuid === accounts.at(-1) ? token : newToken()
        await store.accounts.openSession({
          tokenHash: hashToken(next),
          expiresAt: clock.now() + 86_400_000,
          account: { accountUuid, staffUuid: 'staff', proof: 'oauth', provedAt: clock.now() },
          replaces: before,
          carryProofsSince: 0,
        })
        before = [hashToken(next)]
      }
      return token
    },
    request(path, cookies = {}, headers = {}) {
      const secure = origin.startsWith('https:')
      const sent = (['tab', 'frame'] as const).flatMap((kind) =>
        cookies[kind] === undefined ? [] : [`${sessionCookieName(kind, secure)}=${cookies[kind]}`],
      )
      return new Request(`${origin}${path}`, {
        headers: { ...headers, ...(sent.length > 0 && { cookie: sent.join('; ') }) },
      })
    },
    sign(claims) {
      const jwt = new SignJWT({ eventName: 'open_fieldhook', ...claims }).setProtectedHeader({ alg: 'HS256' })
      return jwt.sign(new TextEncoder().encode(APP_SECRET))
    },
    close,
  }
}
