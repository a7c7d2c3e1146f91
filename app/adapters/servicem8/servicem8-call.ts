/** One call to the platform as it may be shown and stored: no token, no query, no capability in it. */
export interface PlatformCall {
  /** The account it was made for; null while signing in, when the account is not known yet. */
  accountUuid: string | null
  method: 'GET' | 'POST' | 'DELETE'
  /** Path under the API host, without the query. */
  path: string
  /** What was sent, secrets masked; null for reads. */
  request: Record<string, string> | null
  outcome: 'ok' | 'unauthorized' | 'forbidden' | 'suspended' | 'refused' | 'rate_limited' | 'unavailable'
  /** Null when no answer arrived. */
  status: number | null
  /** The platform's words when it refused, else what arrived in a few words (`3 records`). */
  answer: string
  durationMs: number
  /** Asked by the clock, every few minutes: only what goes wrong is worth writing down. */
  routine?: boolean
  /** Done by one of the account's automations: it counts against what the plan includes. */
  counts?: boolean
}

/** Enough to recognise an e-mail address by, and not to write to it: `o…@example.com`. */
export function maskEmail(address: string): string {
  return address.replace(/^(.?)[^@]*@/, '$1…@').slice(0, 100)
}

/** `+44…210`: enough to recognise a number by, and not to call it. */
export function maskPhone(number: string): string {
  return number.length > 7 ? `${number.slice(0, 3)}…${number.slice(-3)}` : '…'
}

/** Keeps the address recognisable and takes the secret part out of it. */
export function maskCallback(url: string): string {
  return url.replace(/(\/hooks\/platform\/)[^/?#]+.*$/, '$1…')
}
