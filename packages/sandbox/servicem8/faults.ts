// Faults on demand: rules of the console, or the header `x-sandbox-fault` of a single call.
import type { FaultEffect, FaultRule } from '../world.ts'

/** The real service's known body for each status. */
export function faultBody(status: number): { contentType: string; body: string } {
  const json = (message: string) => ({
    contentType: 'application/json; charset=utf-8',
    body: JSON.stringify({ errorCode: status, message }),
  })
  switch (status) {
    case 400:
      return json('Bad request')
    case 401:
      return json('Authorization Required')
    case 402:
      return json('Payment Required: the account is not in good standing')
    case 403:
      return json('insufficient_scope: this call is outside of what the account agreed to, read_jobs scope required')
    case 404:
      return json('Record not found')
    case 409:
      return json('A record with this uuid already exists')
    case 426:
      return json('HTTPS is required')
    case 429:
      return { contentType: 'text/plain; charset=utf-8', body: 'Number of allowed API requests per minute exceeded' }
    default:
      if (status >= 500) {
        const title = status === 503 ? '503 Service Temporarily Unavailable' : `${status} Server Error`
        const body = `<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`
        return { contentType: 'text/html', body }
      }
      return json(`Fault ${status}`)
  }
}

/** `status=503`, `delay=500`, `hang`, `drop` or `lose_answer`; null for anything else. */
export function faultOfHeader(text: string): FaultEffect | null {
  const [word = '', number = ''] = text.trim().toLowerCase().split('=')
  const amount = Number(number)
  switch (word.replace('-', '_')) {
    case 'status':
      return Number.isInteger(amount) && amount >= 200 && amount <= 599 ? { kind: 'status', status: amount } : null
    case 'delay':
      return amount > 0 && amount <= 60_000 ? { kind: 'delay', ms: amount } : null
    case 'hang':
      return { kind: 'hang' }
    case 'drop':
      return { kind: 'drop' }
    case 'lose_answer':
      return { kind: 'lose_answer' }
    default:
      return null
  }
}

/** The oldest rule that matches this call. `accountUuid` is '' when the call names no account. */
export function matchingFault(
  rules: readonly FaultRule[],
  call: { accountUuid: string; method: string; path: string },
): FaultRule | null {
  return (
    rules.find(
      (rule) =>
        rule.left > 0 &&
        (rule.accountUuid === null || rule.accountUuid === call.accountUuid) &&
        (rule.method === '*' || rule.method === call.method) &&
        pathMatches(rule.path, call.path),
    ) ?? null
  )
}

/** `*` matches any run of characters; case-insensitive. */
export function pathMatches(pattern: string, path: string): boolean {
  const parts = pattern.toLowerCase().split('*')
  const text = path.toLowerCase()
  const [first = '', ...rest] = parts
  if (rest.length === 0) return text === first
  if (!text.startsWith(first)) return false
  let at = first.length
  const last = rest.pop() ?? ''
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}
