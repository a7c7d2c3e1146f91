// The ids a browser keeps for us: one for its session, one for long. They only select an account; they prove nothing.
import type { App } from '#app/context/app-context.ts'
import type { Remembered } from '#app/features/accounts/remembered.ts'
import { readCookies, rememberedCookie, rememberedCookieName } from './cookies.ts'
import { isSecure } from './session.server.ts'

export function rememberedIn(app: Pick<App, 'settings'>, request: Request): Remembered {
  const cookies = readCookies(request.headers.get('cookie'))
  const read = (kind: 'preferred' | 'last') => cookies.get(rememberedCookieName(kind, isSecure(app))) || null
  return { preferred: read('preferred'), last: read('last') }
}

/** Set-Cookie texts that make the browser remember the account it has opened; none when it does already. */
export function remember(app: Pick<App, 'settings'>, request: Request, accountId: string): string[] {
  const held = rememberedIn(app, request)
  return (['preferred', 'last'] as const)
    .filter((kind) => held[kind] !== accountId)
    .map((kind) => rememberedCookie(kind, isSecure(app), accountId))
}
