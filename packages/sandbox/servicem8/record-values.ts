// Validates bodies: accepted keys, how each value is parsed and stored, and refusals.
import { type FieldFact, fieldsOf, type ObjectFact } from './catalog.ts'
import { isLocalTime, toLocal, UNSET_TIME } from './local-time.ts'

export type Values = Record<string, unknown>

type CheckedValues = { outcome: 'ok'; values: Values } | { outcome: 'bad'; message: string }

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const DECIMAL = /^-?\d+(\.\d+)?$/

export function isUuid(text: unknown): text is string {
  return typeof text === 'string' && UUID.test(text)
}

/**
 * Reads the known, writable keys of a body and ignores the rest, as the platform does. `zone` is the account's, for
 * times with an offset.
 */
export function checkValues(object: ObjectFact, body: Values, zone: string): CheckedValues {
  const values: Values = {}
  for (const [name, field] of fieldsOf(object.key)) {
    const value = body[name]
    if (value === undefined || field.readonly) continue
    const read = readValue(field, value, zone)
    if (read.outcome === 'bad') return read
    values[name] = read.value
  }
  return { outcome: 'ok', values }
}

/** The first required field that a create omits or leaves empty, or null. */
export function missingField(object: ObjectFact, values: Values): string | null {
  return object.required?.find((name) => values[name] === undefined || values[name] === '') ?? null
}

type ReadValue = { outcome: 'ok'; value: unknown } | { outcome: 'bad'; message: string }

function ok(value: unknown): ReadValue {
  return { outcome: 'ok', value }
}

function bad(message: string): ReadValue {
  return { outcome: 'bad', message }
}

function readValue(field: FieldFact, value: unknown, zone: string): ReadValue {
  const { name, format, type } = field
  if (format === 'flag' || format === 'flag-string') return readFlag(field, value)
  if (type === 'array') return Array.isArray(value) ? ok(value) : bad(`${name} must be a list`)
  if (type === 'object') return typeof value === 'object' ? ok(value) : bad(`${name} must be an object`)
  if (type === 'boolean') return typeof value === 'boolean' ? ok(value) : bad(`${name} must be true or false`)
  if (type === 'integer' || type === 'number') return readNumber(field, value)
  // Text from here on. An actual array for badges is a mistake that the real service is known to refuse.
  if (value === null) return ok(field.nullable ? null : '')
  if (typeof value !== 'string' && typeof value !== 'number') return bad(`${name} must be a string`)
  const text = String(value)
  if (field.maxLength !== undefined && text.length > field.maxLength) {
    return bad(`${name} may hold at most ${field.maxLength} characters`)
  }
  if (field.enum && text !== '' && !field.enum.includes(text)) return bad(`"${text}" is not a valid ${name}`)
  if (text === '') return ok('')
  if (format === 'uuid' && !isUuid(text)) return bad(`${name} is not a valid UUID`)
  if (format === 'decimal-string' && !DECIMAL.test(text)) return bad(`${name} must be a number`)
  if (format === 'json-array-string' && !isJsonArray(text)) return bad(`${name} must be a JSON array in a string`)
  if (format === 'sm8-datetime' || format === 'sm8-date') {
    const local = toLocal(text, zone)
    return isLocalTime(local) ? ok(local) : bad(`${name} is not a valid date`)
  }
  return ok(text)
}

function readFlag(field: FieldFact, value: unknown): ReadValue {
  const flag = value === '' || value === null ? 0 : value === true ? 1 : value === false ? 0 : Number(value)
  if (flag !== 0 && flag !== 1) return bad(`${field.name} must be 0 or 1`)
  return ok(field.format === 'flag' ? flag : String(flag))
}

function readNumber(field: FieldFact, value: unknown): ReadValue {
  const number = value === '' || value === null ? 0 : Number(value)
  if (!Number.isFinite(number)) return bad(`${field.name} must be a number`)
  return ok(field.type === 'integer' ? Math.trunc(number) : number)
}

function isJsonArray(text: string): boolean {
  try {
    return Array.isArray(JSON.parse(text))
  } catch {
    return false
  }
}

/** Every field of a new record, at its default. */
export function emptyRecord(object: ObjectFact): Values {
  const record: Values = {}
  for (const field of object.fields) record[field.name] = emptyValue(field)
  if ('active' in record) record.active = object.key === 'inboxmessage' ? true : 1
  return record
}

function emptyValue(field: FieldFact): unknown {
  if (field.nullable) return null
  if (field.format === 'flag') return 0
  if (field.format === 'flag-string') return '0'
  if (field.format === 'decimal-string') return '0.00'
  if (field.format === 'sm8-datetime') return UNSET_TIME
  if (field.format === 'iso-datetime') return null
  if (field.type === 'integer' || field.type === 'number') return 0
  if (field.type === 'array') return []
  if (field.type === 'object') return {}
  if (field.type === 'boolean') return false
  return ''
}
