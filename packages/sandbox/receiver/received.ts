// The parts of a request that the receiver keeps, and how it describes them.
import { assertNever } from '#app/lib/assert-never.ts'
import type { Millis } from '#app/lib/clock.ts'
import { isRecord } from '#app/lib/json.ts'

export interface Received {
  id: number
  name: string
  at: Millis
  method: string
  /** Path and query as received. */
  target: string
  /** Lower-case names, in the order of arrival. Cookies are not kept. */
  headers: readonly (readonly [name: string, value: string])[]
  /** The first 64 KB as text. */
  body: string
  /** Length of the whole body. */
  bodyBytes: number
  truncated: boolean
  signature: SignatureVerdict
  /** Null when no answer was given. */
  status: number | null
  /** The fault that was applied on purpose, '' for a plain answer: `answered after 3000 ms`. */
  mischief: string
}

/** Verdict on the Standard Webhooks headers `webhook-id`, `webhook-timestamp`, `webhook-signature`. */
export type SignatureVerdict = 'no_secret' | 'unsigned' | 'valid' | 'invalid' | 'stale'

export function signatureWords(verdict: SignatureVerdict): string {
  switch (verdict) {
    case 'no_secret':
      return 'Signature not checked: no secret is registered here'
    case 'unsigned':
      return 'Not signed'
    case 'valid':
      return 'Signature is right'
    case 'invalid':
      return 'Signature is wrong'
    case 'stale':
      return 'Signature is right, but more than five minutes old'
    default:
      return assertNever(verdict)
  }
}

/** The receiver's name from its address, or null for an invalid name. */
export function receiverName(text: string): string | null {
  return /^[a-z0-9][a-z0-9._-]{0,63}$/i.test(text) ? text.toLowerCase() : null
}

interface SeenEvent {
  /** Object or event name exactly as received. */
  subject: string
  uuid: string
  /** Null when the event does not list them. */
  changed: string[] | null
  /** The platform's own time or number of the event, '' when missing: the same in the forwarded event. */
  mark: string
}

/** The record an event is about: object kind, event kind, or null when the body is not an event. */
export function eventOf(body: string): SeenEvent | null {
  const value = jsonOf(body)
  if (!isRecord(value)) return null
  const entry = Array.isArray(value.entry) ? value.entry[0] : null
  if (isRecord(entry) && typeof entry.uuid === 'string') {
    const changed = Array.isArray(entry.changed_fields) ? entry.changed_fields.map(String) : null
    return { subject: String(value.object ?? ''), uuid: entry.uuid, changed, mark: String(entry.time ?? '') }
  }
  if (!isRecord(value.data) || typeof value.data.uuid !== 'string') return null
  return { subject: String(value.type ?? ''), uuid: value.data.uuid, changed: null, mark: String(value.id ?? '') }
}

/** Parses JSON, or a form whose key or value is JSON. */
function jsonOf(body: string): unknown {
  const plain = parsed(body)
  if (plain !== undefined) return plain
  for (const [key, value] of new URLSearchParams(body)) {
    const inside = parsed(key) ?? parsed(value)
    if (inside !== undefined) return inside
  }
  return undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Formats the body for display: JSON with line breaks, anything else unchanged. */
export function prettyBody(body: string): string {
  const value = parsed(body)
  return typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : body
}
