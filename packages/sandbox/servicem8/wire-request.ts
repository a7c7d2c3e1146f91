// One call on the wire, parsed once for all parts of the stand-in.
import type { AccountState } from '../state.server.ts'

export interface WireRequest {
  method: string
  /** Below `/sandbox/servicem8`, still percent-encoded. */
  path: string
  query: URLSearchParams
  /** The raw query, for the one parameter whose encoding matters. */
  rawQuery: string
  /** Lower-case names. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** Lower case, without parameters. */
  contentType: string
  body: Uint8Array
}

/** A call with a known caller. */
export interface AccountRequest extends WireRequest {
  account: AccountState
  /** Space-separated. */
  scope: string
  /** Made with a private app's key instead of the add-on's token. */
  byKey: boolean
  /** From `x-impersonate-uuid`, or ''. */
  staffUuid: string
}

/** A header's first value, or ''. */
export function headerOf(request: Pick<WireRequest, 'headers'>, name: string): string {
  const value = request.headers[name]
  return (Array.isArray(value) ? value[0] : value) ?? ''
}

function bodyText(request: WireRequest): string {
  return new TextDecoder().decode(request.body)
}

/** The fields of a form body, overriding those of the query; other kinds of body are ignored. */
export function formOf(request: WireRequest): URLSearchParams {
  const fields = new URLSearchParams(request.query)
  if (request.contentType === 'application/x-www-form-urlencoded') {
    for (const [name, value] of new URLSearchParams(bodyText(request))) fields.set(name, value)
  }
  return fields
}

/** An object from a JSON or form body; null when the body is not one. An empty body is an empty object. */
export function valuesOf(request: WireRequest): Record<string, unknown> | null {
  const text = bodyText(request)
  if (text.trim() === '') return {}
  if (request.contentType === 'application/x-www-form-urlencoded') {
    return Object.fromEntries(new URLSearchParams(text))
  }
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null
  }
}

/** Whether the caller has the scope. Undefined scope: always false. */
export function hasScope(request: Pick<AccountRequest, 'scope'>, scope: string | undefined): boolean {
  return scope !== undefined && request.scope.split(' ').includes(scope)
}

/** The platform's own message, with the missing scope's name. */
export function scopeMessage(scope: string): string {
  return `insufficient_scope: this call is outside of what the account agreed to, ${scope} scope required`
}
