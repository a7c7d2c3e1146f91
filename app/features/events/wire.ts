import { isRecord, parseJson } from '#app/lib/json.ts'
// Extracts the object from the text of a platform call. The platform's documents contradict each other (JSON, a form, a
// form around JSON, a signed text), so the content decides, never the content type.

export type JsonRecord = Record<string, unknown>

type ReadPayload =
  | {
      outcome: 'read'
      record: JsonRecord
      /** The original text when the body was plain JSON; null when the record was extracted from another format. */
      json: string | null
    }
  /** `reason`: one sentence that never quotes the body. */
  | { outcome: 'unreadable' | 'too_large'; reason: string }

/** The platform's forms are a few hundred bytes. Parsing one takes longer than JSON of the same length. */
const LONGEST_FORM = 32 * 1024
const MOST_PAIRS = 1_000

/** Extracts the object from a body. Never throws; the work is linear in the length of the body. */
export function readPayload(body: string): ReadPayload {
  const text = body.trim()
  if (text === '') return { outcome: 'unreadable', reason: 'The body is empty.' }
  const direct = parseRecord(text)
  if (direct) return { outcome: 'read', record: direct, json: text }
  const signed = readSignedText(text)
  if (signed) return { outcome: 'read', record: signed, json: null }
  return readForm(text)
}

function parseRecord(text: string): JsonRecord | null {
  const value = text.startsWith('{') ? parseJson(text) : null
  return isRecord(value) ? value : null
}

/** Decodes a JWT's claims, unverified: at an address with a secret token, the address proves and names the account. */
function readSignedText(text: string): JsonRecord | null {
  const claims = /^[\w-]+\.([\w-]+)\.[\w-]*$/.exec(text)?.[1]
  if (!claims) return null
  try {
    const bytes = Uint8Array.from(atob(claims.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))
    return parseRecord(new TextDecoder().decode(bytes).trim())
  } catch {
    return null
  }
}

const NO_OBJECT: ReadPayload = { outcome: 'unreadable', reason: 'The body holds no JSON object.' }

/** Parses a form whose key or value is the JSON, or that spells out the object: `object=job&entry[0][uuid]=…`. */
function readForm(text: string): ReadPayload {
  if (text.length > LONGEST_FORM) {
    const isForm = !text.startsWith('{') && text.includes('=')
    return isForm ? { outcome: 'too_large', reason: `A form has at most ${LONGEST_FORM / 1024} KB.` } : NO_OBJECT
  }
  // Counted before they are read, as `readFields` does.
  if (text.split('&', MOST_PAIRS + 1).length > MOST_PAIRS) {
    return { outcome: 'too_large', reason: `A form has at most ${MOST_PAIRS.toLocaleString('en')} fields.` }
  }
  const pairs = [...new URLSearchParams(text)]
  for (const [key, value] of pairs) {
    const inside = parseRecord(value.trim()) ?? parseRecord(key.trim()) ?? readSignedText(value.trim())
    if (inside) return { outcome: 'read', record: inside, json: null }
  }
  const record = spelledOut(pairs)
  return record ? { outcome: 'read', record, json: null } : NO_OBJECT
}

const PATH = /^([a-z_]+)((?:\[\w*\])*)$/i
const DEEPEST = 4

/** A Map, not an object: a key called `__proto__` is an ordinary key, and its size needs no counting. */
type Branch = Map<string, unknown>

function spelledOut(pairs: readonly (readonly [string, string])[]): JsonRecord | null {
  const root: Branch = new Map()
  for (const [key, value] of pairs) {
    const match = PATH.exec(key)
    if (!match?.[1]) continue
    const inner = [...(match[2] ?? '').matchAll(/\[(\w*)\]/g)].map((part) => part[1] ?? '')
    if (inner.length > DEEPEST) continue
    put(root, [match[1], ...inner], value)
  }
  return root.has('object') || root.has('mode') ? (recordOf(root) as JsonRecord) : null
}

function put(root: Branch, path: readonly string[], value: string): void {
  let at = root
  path.forEach((part, depth) => {
    const key = part === '' ? String(at.size) : part
    if (depth === path.length - 1) {
      at.set(key, parseList(value) ?? value)
      return
    }
    const next = at.get(key)
    const child: Branch = next instanceof Map ? next : new Map()
    at.set(key, child)
    at = child
  })
}

/** Parses `entry=[{…}]`: a list as JSON in one form field. */
function parseList(text: string): unknown[] | null {
  const value = text.trim().startsWith('[') ? parseJson(text) : null
  return Array.isArray(value) ? value : null
}

/** Turns branches with the keys 0, 1, 2 … back into lists. */
function recordOf(value: unknown): unknown {
  if (!(value instanceof Map)) return value
  const entries = [...(value as Branch)].map(([key, inner]): [string, unknown] => [key, recordOf(inner)])
  return entries.length > 0 && entries.every(([key], index) => key === String(index))
    ? entries.map(([, inner]) => inner)
    : Object.fromEntries(entries)
}
