// From the text of a platform call to the object inside it. The platform's documents contradict each other (JSON, a form,
// a form around JSON, a signed text), so what counts is the content, never the content type.

export type JsonRecord = Record<string, unknown>

export interface WirePayload {
  record: JsonRecord
  /** The text the record was read from when it was plain JSON; null when it had to be taken out of something. */
  json: string | null
}

/** The object in a body, or null when there is none. Never throws. */
export function readPayload(body: string): WirePayload | null {
  const text = body.trim()
  if (text === '') return null
  const direct = parseRecord(text)
  if (direct) return { record: direct, json: text }
  const signed = readSignedText(text)
  if (signed) return { record: signed, json: null }
  const form = readForm(text)
  return form ? { record: form, json: null } : null
}

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parseRecord(text: string): JsonRecord | null {
  if (!text.startsWith('{')) return null
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}

/** The claims of a JWT, unverified: at an address with a secret token the address is the proof, and the account is ours. */
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

/** A form whose key or value is the JSON, or that spells the object out: `object=job&entry[0][uuid]=…`. */
function readForm(text: string): JsonRecord | null {
  const pairs = [...new URLSearchParams(text)]
  for (const [key, value] of pairs) {
    const inside = parseRecord(value.trim()) ?? parseRecord(key.trim()) ?? readSignedText(value.trim())
    if (inside) return inside
  }
  return spelledOut(pairs)
}

const PATH = /^([a-z_]+)((?:\[\w*\])*)$/i
const DEEPEST = 4

function spelledOut(pairs: readonly (readonly [string, string])[]): JsonRecord | null {
  const root = emptyRecord()
  for (const [key, value] of pairs) {
    const match = PATH.exec(key)
    if (!match?.[1]) continue
    const inner = [...(match[2] ?? '').matchAll(/\[(\w*)\]/g)].map((part) => part[1] ?? '')
    if (inner.length > DEEPEST) continue
    put(root, [match[1], ...inner], value)
  }
  return 'object' in root || 'mode' in root ? (listsFrom(root, 0) as JsonRecord) : null
}

function put(root: JsonRecord, path: readonly string[], value: string): void {
  let at = root
  path.forEach((part, depth) => {
    const key = part === '' ? String(Object.keys(at).length) : part
    if (depth === path.length - 1) {
      at[key] = parseList(value) ?? value
      return
    }
    const next = at[key]
    const child = isRecord(next) ? next : emptyRecord()
    at[key] = child
    at = child
  })
}

/** `entry=[{…}]`: a list written as JSON in one field of a form. */
function parseList(text: string): unknown[] | null {
  if (!text.trim().startsWith('[')) return null
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

/** Records with the keys 0, 1, 2 … were lists. */
function listsFrom(value: unknown, depth: number): unknown {
  if (!isRecord(value) || depth > DEEPEST + 1) return value
  const keys = Object.keys(value)
  if (keys.length > 0 && keys.every((key, index) => key === String(index))) {
    return keys.map((key) => listsFrom(value[key], depth + 1))
  }
  return Object.fromEntries(keys.map((key) => [key, listsFrom(value[key], depth + 1)]))
}

/** Without a prototype: a key called `__proto__` is a key like any other. */
function emptyRecord(): JsonRecord {
  return Object.create(null) as JsonRecord
}
