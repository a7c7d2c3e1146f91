// How the receiver answers: set by the query of the called address, or by a choice on its page.

export interface Behaviour {
  status: number
  delayMs: number
  /** The redirect target, or ''. */
  redirect: string
  /** Value of the header, or ''. */
  retryAfter: string
  /** Takes the request and never answers. */
  hang: boolean
  /** Closes the connection without an answer. */
  drop: boolean
  /** Null for the receiver's default text. */
  body: string | null
}

type ReadBehaviour = { outcome: 'ok'; behaviour: Behaviour } | { outcome: 'bad'; sentence: string }

const LONGEST_DELAY = 60_000
const LONGEST_BODY = 8 * 1024
const NAMES = ['status', 'delay', 'redirect', 'retryAfter', 'hang', 'drop', 'body']

/** The choices on the receiver's page, one query each. */
export const PRESETS: readonly { query: string; words: string }[] = [
  { query: '', words: 'Works: 200' },
  { query: 'status=500', words: 'Broken: 500' },
  { query: 'status=404', words: 'Not found: 404' },
  { query: 'status=410', words: 'Gone for good: 410' },
  { query: 'status=429&retryAfter=60', words: 'Too busy: 429, try again in 60 s' },
  { query: 'delay=3000', words: 'Slow: 200 after 3 seconds' },
  { query: 'delay=20000', words: 'Too slow: 200 after 20 seconds' },
  { query: 'redirect=/sandbox/receiver/elsewhere', words: 'Redirects: 302' },
  { query: 'hang=1', words: 'Never answers' },
  { query: 'drop=1', words: 'Hangs up' },
]

/** Whether the query itself says how to answer. If it does, the choice on the page does not apply. */
export function speaksForItself(query: URLSearchParams): boolean {
  return NAMES.some((name) => query.has(name))
}

/** Rejects invalid values, so that a typo in an address is not mistaken for a fault of the product. */
export function readBehaviour(query: URLSearchParams): ReadBehaviour {
  const redirect = query.get('redirect') ?? ''
  const retryAfter = query.get('retryAfter') ?? ''
  const body = query.get('body')
  const usual = redirect !== '' ? 302 : retryAfter !== '' ? 429 : 200
  const status = numberOf(query, 'status', usual)
  const delayMs = numberOf(query, 'delay', 0)
  if (status === null || status < 200 || status > 599) return bad('status must be a number from 200 to 599')
  if (delayMs === null || delayMs > LONGEST_DELAY) return bad(`delay must be 0 to ${LONGEST_DELAY} milliseconds`)
  if (redirect !== '' && !isPlace(redirect)) return bad('redirect must be an http address or a path')
  if (!/^[\w ,:+-]{0,64}$/.test(retryAfter)) return bad('retryAfter must be seconds or a date')
  if (body !== null && body.length > LONGEST_BODY) return bad(`body may hold at most ${LONGEST_BODY} characters`)
  const hang = isOn(query.get('hang'))
  const drop = isOn(query.get('drop'))
  return { outcome: 'ok', behaviour: { status, delayMs, redirect, retryAfter, hang, drop, body } }
}

function bad(sentence: string): ReadBehaviour {
  return { outcome: 'bad', sentence }
}

function numberOf(query: URLSearchParams, name: string, usual: number): number | null {
  const text = query.get(name)
  if (text === null || text === '') return usual
  return /^\d{1,6}$/.test(text) ? Number(text) : null
}

function isPlace(text: string): boolean {
  if (text.length > 2_000 || !URL.canParse(text, 'http://path.invalid')) return false
  return /^https?:$/.test(new URL(text, 'http://path.invalid').protocol)
}

function isOn(text: string | null): boolean {
  return text !== null && text !== '' && text !== '0' && text !== 'no' && text !== 'false'
}
