// Helpers for parsed JSON.

/** An object: neither a list nor null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The parsed text; `undefined` when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** Nothing of ours has ten levels of lists and objects; writing thousands again would exhaust the stack. */
export function isTooDeep(value: unknown, levels = 100): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isTooDeep(inner, levels - 1))
}

/** Where the first field `__proto__` is: an open schema leaves it out in silence. Null = nowhere. */
export function pathToProto(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return null
  for (const [name, inner] of Object.entries(value)) {
    if (name === '__proto__') return name
    const path = pathToProto(inner)
    if (path !== null) return `${name}.${path}`
  }
  return null
}

export const TOO_DEEP = 'The body is nested too deeply.'

/** The record's own value under an untrusted name; never an inherited one (`constructor`). */
export function ownValue<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}
