// Our cookies: names, flags and format. Names and flags depend on whether the public address is https.
import { days, hours, minutes } from '#app/lib/duration.ts'

/**
 * `tab` = top-level pages. `frame` = inside the platform's page, where browsers keep only a partitioned cross-site
 * cookie; it has its own jar, so a frame never sees a tab's sign-in.
 */
export type SessionKind = 'tab' | 'frame'

/**
 * Over plain http (development on localhost) browsers refuse `__Host-` names, `Secure`, and with it `SameSite=None`:
 * the cookies then have plain names and are `Lax`, which works in a same-site frame such as the sandbox's.
 */
export function sessionCookieName(kind: SessionKind, secure: boolean): string {
  const name = kind === 'tab' ? 'sid-top' : 'sid'
  return secure ? `__Host-${name}` : name
}

const SESSION_SECONDS = hours(24) / 1000

export function sessionCookie(kind: SessionKind, secure: boolean, token: string): string {
  return setCookie(sessionCookieName(kind, secure), token, { ...flagsOf(kind, secure), maxAge: SESSION_SECONDS })
}

export function endedSessionCookie(kind: SessionKind, secure: boolean): string {
  return setCookie(sessionCookieName(kind, secure), '', { ...flagsOf(kind, secure), maxAge: 0 })
}

/** One message for the next page. Used in frames and tabs, so it is partitioned where possible. */
export function flashCookieName(secure: boolean): string {
  return secure ? '__Host-flash' : 'flash'
}

export function flashCookie(secure: boolean, value: string): string {
  const maxAge = value === '' ? 0 : minutes(5) / 1000
  return setCookie(flashCookieName(secure), value, { ...flagsOf('frame', secure), maxAge })
}

const REMEMBERED = { preferred: 'account', last: 'last-account' } as const

/** `preferred` lasts until the browser closes, `last` as long as browsers keep a cookie. */
export function rememberedCookieName(kind: keyof typeof REMEMBERED, secure: boolean): string {
  return secure ? `__Host-${REMEMBERED[kind]}` : REMEMBERED[kind]
}

/** `accountId`: letters, digits and `. _ : -`, as `readAccountId` returns it. Used in frames and tabs. */
export function rememberedCookie(kind: keyof typeof REMEMBERED, secure: boolean, accountId: string): string {
  const maxAge = kind === 'last' ? days(400) / 1000 : null
  return setCookie(rememberedCookieName(kind, secure), accountId, { ...flagsOf('frame', secure), maxAge })
}

/** Prefix of the cookies that hold a sign-in's state and verifier, one per attempt. */
export function signInCookiePrefix(secure: boolean): string {
  return secure ? '__Host-sign-in' : 'sign-in'
}

export function endedCookie(name: string, secure: boolean): string {
  return setCookie(name, '', { ...flagsOf('tab', secure), maxAge: 0 })
}

interface Flags {
  secure: boolean
  sameSite: 'Lax' | 'None'
  partitioned: boolean
  /** Seconds; 0 deletes; null = until the browser closes. */
  maxAge: number | null
}

function flagsOf(kind: SessionKind, secure: boolean): Omit<Flags, 'maxAge'> {
  const crossSite = kind === 'frame' && secure
  return { secure, sameSite: crossSite ? 'None' : 'Lax', partitioned: crossSite }
}

function setCookie(name: string, value: string, flags: Flags): string {
  const lasts = flags.maxAge === null ? [] : [`Max-Age=${flags.maxAge}`]
  const parts = [`${name}=${value}`, 'Path=/', ...lasts, 'HttpOnly', `SameSite=${flags.sameSite}`]
  if (flags.secure) parts.push('Secure')
  if (flags.partitioned) parts.push('Partitioned')
  return parts.join('; ')
}

/** Parses a Cookie header. Strips quotes around values; the first of two cookies with the same name wins. */
export function readCookies(header: string | null): Map<string, string> {
  const cookies = new Map<string, string>()
  for (const part of (header ?? '').split(';')) {
    const cut = part.indexOf('=')
    // A neighbouring subdomain can set a name that begins with a no-break space: trimmed, it would pass as `__Host-`.
    if (cut < 1 || /[^\t -~]/.test(part.slice(0, cut))) continue
    const name = part.slice(0, cut).trim()
    const value = part.slice(cut + 1).trim()
    if (name !== '' && !cookies.has(name)) cookies.set(name, value.replace(/^"(.*)"$/, '$1'))
  }
  return cookies
}
