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
}

/** Keeps the address recognisable and takes the secret part out of it. */
export function maskCallback(url: string): string {
  return url.replace(/(\/hooks\/platform\/)[^/?#]+.*$/, '$1…')
}
