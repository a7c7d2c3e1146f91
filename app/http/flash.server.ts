// One message for the next page, carried by the browser: sealed, so that nobody can put their own text on our pages.
import { z } from 'zod'
import type { App } from '#app/context/app-context.ts'
import { minutes } from '#app/lib/duration.ts'
import type { Flash } from '#app/lib/flash.ts'
import { flashCookie, flashCookieName, readCookies } from './cookies.ts'
import { isSecure } from './session.server.ts'

const PLACE = 'cookie|flash'
const LASTS = minutes(5)
const LONGEST = 600

const carried = z.object({
  at: z.number(),
  flash: z.object({
    kind: z.enum(['success', 'error', 'info']),
    title: z.string(),
    description: z.string().exactOptional(),
    link: z.object({ to: z.string().regex(/^\/(?!\/)/), words: z.string() }).exactOptional(),
    at: z.string().exactOptional(),
    typed: z.literal(true).exactOptional(),
  }),
})

/** The Set-Cookie text for a redirect: `redirect(to, { headers: { 'Set-Cookie': setFlash(app, flash) } })`. */
export function setFlash(app: Pick<App, 'secrets' | 'clock' | 'settings'>, flash: Flash): string {
  const { title, description, ...rest } = flash
  const short: Flash = {
    ...rest,
    title: title.slice(0, LONGEST),
    ...(description ? { description: description.slice(0, LONGEST) } : {}),
  }
  return flashCookie(
    isSecure(app),
    app.secrets.direct.seal(PLACE, JSON.stringify({ at: app.clock.now(), flash: short })),
  )
}

/** Whether a message waits for this page. If so, nothing else should replace it. */
export function hasFlash(app: Pick<App, 'settings'>, request: Request): boolean {
  return Boolean(readCookies(request.headers.get('cookie')).get(flashCookieName(isSecure(app))))
}

/** The message for this page, and the header that removes it so that it shows once. */
export async function loadFlash(
  app: Pick<App, 'secrets' | 'clock' | 'settings'>,
  request: Request,
): Promise<{ flash: Flash | null; headers: Record<string, string> }> {
  const sealed = readCookies(request.headers.get('cookie')).get(flashCookieName(isSecure(app)))
  if (!sealed) return { flash: null, headers: {} }
  return { flash: open(app, sealed), headers: { 'Set-Cookie': flashCookie(isSecure(app), '') } }
}

function open(app: Pick<App, 'secrets' | 'clock'>, sealed: string): Flash | null {
  try {
    const read = carried.parse(JSON.parse(app.secrets.direct.open(PLACE, sealed)))
    return app.clock.now() - read.at > LASTS ? null : read.flash
  } catch {
    // Sealed under another key, or by someone else: nothing to show.
    return null
  }
}
