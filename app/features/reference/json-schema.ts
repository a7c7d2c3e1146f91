// Converts zod schemas to JSON Schema 2020-12 for OpenAPI 3.1, including what refinements check.
import { z } from 'zod'
import type { Body, FieldLimits, FieldNote } from '#app/contract/operation.ts'

/** The keywords that this code reads; others are passed through. */
export interface JsonSchema extends Omit<FieldLimits, 'enum' | 'required'> {
  $ref?: string
  type?: string | string[]
  description?: string
  enum?: (string | number | boolean | null)[]
  const?: string | number | boolean | null
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  additionalProperties?: boolean | JsonSchema
  propertyNames?: JsonSchema
  default?: unknown
  exclusiveMinimum?: number
  minItems?: number
  [keyword: string]: unknown
}

export const SCHEMAS_AT = '#/components/schemas/'

/** Schemas with their own name, by that name. */
export type NamedSchemas = Readonly<Record<string, z.ZodType>>

/**
 * The schema of an answer. `closed`: unnamed fields are refused, to test real answers; the published document leaves
 * answers open, because new fields may come.
 */
export function answerSchema(schema: z.ZodType, named: NamedSchemas, closed: boolean): JsonSchema {
  const name = nameOf(schema, named)
  return name === undefined ? convert(schema, 'output', named, closed) : { $ref: `${SCHEMAS_AT}${name}` }
}

/** The named schemas, each in full. */
export function namedSchemas(named: NamedSchemas, closed: boolean): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(named).map(([name, schema]) => [name, convert(schema, 'output', named, closed)]),
  )
}

export function parameterSchema(schema: z.ZodType): JsonSchema {
  return convert(schema, 'input')
}

/** The schema of a request body, with the notes on its fields. */
export function bodySchema({ schema, fields }: Pick<Body, 'schema' | 'fields'>): JsonSchema {
  const converted = convert(schema, 'input')
  for (const [path, note] of Object.entries(fields)) noteField(converted, path.split('.'), note)
  return converted
}

function nameOf(schema: unknown, named: NamedSchemas): string | undefined {
  return Object.keys(named).find((name) => named[name] === schema)
}

function convert(schema: z.ZodType, io: 'input' | 'output', named: NamedSchemas = {}, closed = true): JsonSchema {
  const own = nameOf(schema, named)
  const made = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const name = nameOf(zodSchema, named)
      if (name !== undefined && name !== own) {
        for (const keyword of Object.keys(jsonSchema)) delete jsonSchema[keyword]
        jsonSchema.$ref = `${SCHEMAS_AT}${name}`
        return
      }
      tidy(jsonSchema as JsonSchema)
      if (io === 'output' && !closed && jsonSchema.additionalProperties === false)
        delete jsonSchema.additionalProperties
    },
  }) as JsonSchema
  const { $schema: _dialect, ...rest } = made
  return rest
}

/** Drops a format's pattern and the range limits of the number type: they tell a reader nothing. */
function tidy(schema: JsonSchema): void {
  if (schema.format !== undefined) delete schema.pattern
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
}

/** Every place where a body can have a field, including lists, alternatives and null. */
export function placesOf(schema: JsonSchema): JsonSchema[] {
  const inner = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.items ? [schema.items] : [])]
  return [...(schema.properties ? [schema] : []), ...inner.flatMap(placesOf)]
}

function noteField(schema: JsonSchema, [name = '', ...rest]: readonly string[], note: FieldNote): void {
  for (const place of placesOf(schema)) {
    const field = place.properties?.[name]
    if (!field) continue
    if (rest.length > 0) {
      noteField(field, rest, note)
      continue
    }
    const { required, ...keywords } = typeof note === 'string' ? { description: note, required: undefined } : note
    Object.assign(field, keywords)
    if (!required) continue
    place.required = [...new Set([...(place.required ?? []), name])]
    // Null is read as missing, so it is refused in the same way.
    if (field.anyOf) field.anyOf = field.anyOf.filter(({ type }) => type !== 'null')
    if (Array.isArray(field.type)) field.type = field.type.filter((type) => type !== 'null')
  }
}
