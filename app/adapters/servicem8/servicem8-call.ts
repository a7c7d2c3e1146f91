/** One platform call, safe to show and store: no token, no query, no capability in it. */
export interface PlatformCall {
  /** The account of the call; null during sign-in, when it is not known yet. */
  accountUuid: string | null
  method: 'GET' | 'POST' | 'DELETE'
  /** Path under the API host, without the query. */
  path: string
  /** The request, with secrets masked; null for reads. */
  request: Record<string, string> | null
  outcome: 'ok' | 'unauthorized' | 'forbidden' | 'suspended' | 'refused' | 'rate_limited' | 'unavailable'
  /** Null when no answer arrived. */
  status: number | null
  /** The platform's message when it refused, else a short summary (`3 records`). */
  answer: string
  durationMs: number
  /** A scheduled call every few minutes: only failures are recorded. */
  routine?: boolean
  /** Made by one of the account's automations: it counts against the plan. */
  counts?: boolean
}

/** Enough to recognise an email address, but not to write to it: `o…@example.com`. */
export function maskEmail(address: string): string {
  return address.replace(/^(.?)[^@]*@/, '$1…@').slice(0, 100)
}

/** `+44…210`: enough to recognise a number, but not to call it. */
export function maskPhone(number: string): string {
  return number.length > 7 ? `${number.slice(0, 3)}…${number.slice(-3)}` : '…'
}

/** Keeps the address recognisable and removes its secret part. */
export function maskCallback(url: string): string {
  return url.replace(/(\/hooks\/platform\/)[^/?#]+.*$/, '$1…')
}
