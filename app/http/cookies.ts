// Our cookies: their names, flags and spelling. Names and flags follow from whether the public address is https.
import { days, hours, minutes } from '#app/lib/duration.ts'

/**
 * `tab` = top-level pages. `frame` = inside the platform's page, where only a partitioned cross-site cookie is kept; it
 * lives in a jar of its own, so a frame never sees what a tab signed in to.
 */
export type SessionKind = 'tab' | 'frame'

/**
 * Over plain http (development on localhost) browsers refuse `__Host-` names, `Secure`, and with it `SameSite=None`:
 * the cookies then have plain names and are `Lax`, which reaches a frame of the same site such as the sandbox's.
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

/** One message for the next page. In a frame as in a tab, so it is partitioned where that is possible. */
export function flashCookieName(secure: boolean): string {
  return secure ? '__Host-flash' : 'flash'
}

export function flashCookie(secure: boolean, value: string): string {
  const maxAge = value === '' ? 0 : minutes(5) / 1000
  return setCookie(flashCookieName(secure), value, { ...flagsOf('frame', secure), maxAge })
}

const REMEMBERED = { preferred: 'account', last: 'last-account' } as const

/** `preferred` lasts as long as the browser's own session, `last` as long as browsers keep anything. */
export function rememberedCookieName(kind: keyof typeof REMEMBERED, secure: boolean): string {
  return secure ? `__Host-${REMEMBERED[kind]}` : REMEMBERED[kind]
}

/** `accountId`: letters, digits and `. _ : -`, as `readAccountId` gives it. In a frame as in a tab. */
export function rememberedCookie(kind: keyof typeof REMEMBERED, secure: boolean, accountId: string): string {
  const maxAge = kind === 'last' ? days(400) / 1000 : null
  return setCookie(rememberedCookieName(kind, secure), accountId, { ...flagsOf('frame', secure), maxAge })
}

/** Begins the names of the cookies that hold state and verifier of a sign-in, one per attempt. */
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
  /** Seconds; 0 deletes; null = until the browser is closed. */
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

/** Names and values of a Cookie header. Quotes around a value are taken off; of two with one name the first counts. */
export function readCookies(header: string | null): Map<string, string> {
  const cookies = new Map<string, string>()
  for (const part of (header ?? '').split(';')) {
    const cut = part.indexOf('=')
    if (cut < 1) continue
    const name = part.slice(0, cut).trim()
    const value = part.slice(cut + 1).trim()
    if (name !== '' && !cookies.has(name)) cookies.set(name, value.replace(/^"(.*)"$/, '$1'))
  }
  return cookies
}
