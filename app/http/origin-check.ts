// Decides whether a request may act. Runs before Remix, which allows resource routes, `?_data=` and a missing Origin.
import type { IncomingHttpHeaders } from 'node:http'
import { assertNever } from '#app/lib/assert-never.ts'

type OriginVerdict = 'allow' | 'refuse' | 'ignore_cookies'

interface OriginQuestion {
  method: string
  /** Path and query as sent. */
  url: string
  secFetchSite: string | null
  origin: string | null
  /** Our public origin, from the configuration: never from Host. */
  ownOrigin: string
}

const BASE = 'http://path.invalid'
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])
/** Called by machines with their own proof in address or body, and by reporting browsers: cookies are ignored there. */
export const WITHOUT_COOKIES = /^\/(hooks\/|csp-report\/?$|api\/automation\/[^/]+\/trigger\/?$)/

/**
 * - `allow`: a safe method, or a browser that says the request comes from our own pages;
 * - `refuse`: a browser that says otherwise, Remix's old data parameter, or an unreadable address;
 * - `ignore_cookies`: not a browser (neither header is sent), or an address that never reads cookies.
 */
export function judgeOrigin(question: OriginQuestion): OriginVerdict {
  const asked = addressOf(question.url)
  if (!asked) return 'refuse'
  const { pathname, searchParams } = asked
  if (searchParams.has('_data')) return 'refuse'
  if (WITHOUT_COOKIES.test(pathname)) return 'ignore_cookies'
  if (SAFE.has(question.method.toUpperCase())) return 'allow'
  if (question.secFetchSite !== null) return question.secFetchSite === 'same-origin' ? 'allow' : 'refuse'
  if (question.origin !== null) return question.origin === question.ownOrigin ? 'allow' : 'refuse'
  return 'ignore_cookies'
}

/** Parses like the router: two leading slashes are a path, not another host. */
export function addressOf(url: string): URL | null {
  const address = url.startsWith('/') ? `${BASE}${url}` : url
  return URL.canParse(address, BASE) ? new URL(address, BASE) : null
}

export interface Refusal {
  status: 308 | 400 | 403 | 405 | 421 | 429 | 503
  message: string
  headers?: Record<string, string>
}

/** Null = admitted. Removes the cookies of a request that may not use them. */
export function admitRequest(
  req: { method?: string | undefined; url?: string | undefined; headers: IncomingHttpHeaders },
  ownOrigin: string,
): Refusal | null {
  const verdict = judgeOrigin({
    method: req.method ?? 'GET',
    url: req.url ?? '/',
    secFetchSite: single(req.headers['sec-fetch-site']),
    origin: single(req.headers.origin),
    ownOrigin,
  })
  switch (verdict) {
    case 'allow':
      return null
    case 'refuse':
      return { status: 403, message: 'This request did not come from a page of this site.' }
    case 'ignore_cookies':
      delete req.headers.cookie
      return null
    default:
      return assertNever(verdict)
  }
}

function single(value: string | string[] | undefined): string | null {
  return Array.isArray(value) ? value.join(',') : (value ?? null)
}
