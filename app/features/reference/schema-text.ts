// A schema as a table for people: one row per field, including those of lists and objects.
import { type JsonSchema, placesOf, SCHEMAS_AT } from './json-schema.ts'

export interface FieldRow {
  /** `actions[].type`. */
  name: string
  /** `text, at most 100 characters`. */
  type: string
  /** The named schema it refers to (or a list of it), for a link. */
  refersTo: string | null
  required: boolean
  /** Uses backticks for `code`; '' = the name is enough. */
  says: string
}

export function rowsOf(schema: JsonSchema, before = ''): FieldRow[] {
  const rows = placesOf(schema).flatMap((place) =>
    Object.entries(place.properties ?? {}).flatMap(([name, field]) => {
      const full = `${before}${name}`
      const row: FieldRow = {
        name: full,
        type: typeText(field),
        refersTo: refersTo(field),
        required: place.required?.includes(name) ?? false,
        says: field.description ?? '',
      }
      return [row, ...rowsOf(field, `${full}${isList(field) ? '[]' : ''}.`)]
    }),
  )
  // Alternatives may repeat a field: the first description wins.
  return rows.filter(({ name }, index) => rows.findIndex((row) => row.name === name) === index)
}

/** The type of the value, with its limits. */
export function typeText(schema: JsonSchema): string {
  const alternatives = alternativesOf(schema)
  const kinds = [...new Set(alternatives.map(oneType))].filter((kind) => kind !== 'null' && kind !== '""')
  const orNull = alternatives.some((one) => one.type === 'null' || one.const === null)
  const words = kinds.length === 0 ? 'anything' : kinds.join(' or ')
  const limits = limitText(schema)
  return [words + (orNull ? ' or null' : ''), ...limits].join(', ')
}

export function refersTo(schema: JsonSchema): string | null {
  for (const one of alternativesOf(schema)) {
    const ref = one.$ref ?? (one.items && alternativesOf(one.items).find(({ $ref }) => $ref)?.$ref)
    if (ref?.startsWith(SCHEMAS_AT)) return ref.slice(SCHEMAS_AT.length)
  }
  return null
}

function alternativesOf(schema: JsonSchema): JsonSchema[] {
  const inner = schema.anyOf ?? schema.oneOf
  if (inner) return inner.flatMap(alternativesOf)
  if (Array.isArray(schema.type)) return schema.type.map((type) => ({ ...schema, type }))
  return [schema]
}

function oneType(schema: JsonSchema): string {
  if (schema.$ref) return schema.$ref.slice(SCHEMAS_AT.length)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum?.every((value) => YES_AND_NO.has(value))) return 'the same as a word'
  if (schema.enum)
    return schema.enum
      .filter((value) => value !== '')
      .map((value) => JSON.stringify(value))
      .join(' or ')
  switch (schema.type) {
    case 'array':
      return schema.items ? `list of ${plural(typeText(schema.items))}` : 'list'
    case 'integer':
      return 'whole number'
    case 'string':
      return FORMATS[schema.format ?? ''] ?? 'text'
    case 'boolean':
      return 'true or false'
    case undefined:
      return 'anything'
    default:
      return String(schema.type)
  }
}

/** The values that a form sends for a checkbox. */
const YES_AND_NO = new Set<unknown>(['true', 'false', 'on', 'off', 'yes', 'no'])

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': 'moment',
  date: 'day',
  uuid: 'uuid',
  email: 'e-mail address',
}

function plural(words: string): string {
  return /^(object|whole number|moment|number)$/.test(words) ? `${words}s` : words
}

/** The limits of the field, or of the one alternative that has any. */
function limitText(schema: JsonSchema): string[] {
  const places = [schema, ...alternativesOf(schema)]
  const of = (keyword: 'minLength' | 'maxLength' | 'minimum' | 'maximum' | 'maxItems' | 'exclusiveMinimum') =>
    places.map((place) => place[keyword]).find((value) => value !== undefined)
  const [longest, most, least, over, items] = [
    of('maxLength'),
    of('maximum'),
    of('minimum'),
    of('exclusiveMinimum'),
    of('maxItems'),
  ]
  const words: string[] = []
  if (longest !== undefined) words.push(`at most ${longest.toLocaleString('en-AU')} characters`)
  if (least !== undefined && most !== undefined) words.push(`${least} to ${most.toLocaleString('en-AU')}`)
  else if (least !== undefined) words.push(`from ${least}`)
  else if (over === 0) words.push('from 1')
  if (items !== undefined) words.push(`at most ${items}`)
  return words
}

function isList(schema: JsonSchema): boolean {
  return alternativesOf(schema).some(({ type }) => type === 'array')
}
