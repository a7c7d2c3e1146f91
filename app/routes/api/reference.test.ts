// The reference against the schemas it is made of: examples are taken, limits are really limits, and the document is valid.
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { FieldNote } from '#app/contract/operation.ts'
import { bodySchema, type JsonSchema, placesOf } from '#app/features/reference/json-schema.ts'
import { openApiDocument } from '#app/features/reference/openapi.ts'
import { typeText } from '#app/features/reference/schema-text.ts'
import { REFERENCE } from './calls.server.ts'

const { operations: OPERATIONS, tags: TAGS, schemas: NAMED_SCHEMAS } = REFERENCE
const DOCUMENT = openApiDocument(REFERENCE, { origin: 'https://fieldhook.example.com', version: '0.1.0' })
const withBody = OPERATIONS.flatMap(({ id, body }) => (body ? [[id, body] as const] : []))

test('the document is valid OpenAPI 3.1', async () => {
  const result = await new Validator({ strict: false }).validate(structuredClone(DOCUMENT) as never)
  expect(result).toMatchObject({ valid: true })
  expect(result.errors).toBeUndefined()
})

test('it names this installation, and what it sends to addresses', () => {
  expect(DOCUMENT.servers).toEqual([{ url: 'https://fieldhook.example.com' }])
  expect(DOCUMENT.webhooks.forward.post.parameters.map(({ name }) => name)).toEqual([
    'webhook-id',
    'webhook-timestamp',
    'webhook-signature',
    'user-agent',
    'x-fieldhook-attempt',
  ])
  expect(DOCUMENT.components.securitySchemes.session.name).toBe('__Host-sid-top')
})

test('every reference inside it leads somewhere', () => {
  const refs = [...JSON.stringify(DOCUMENT).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path ?? '')
  expect(refs.length).toBeGreaterThan(100)
  const lost = refs.filter((path) => {
    let at: unknown = DOCUMENT
    for (const part of path.split('/')) at = (at as Record<string, unknown> | undefined)?.[part]
    return at === undefined
  })
  expect(lost).toEqual([])
})

test('every call has a name of its own, a known tag, and every part of its path as a parameter', () => {
  expect(new Set(OPERATIONS.map(({ id }) => id)).size).toBe(OPERATIONS.length)
  expect(new Set(OPERATIONS.map(({ method, path }) => `${method} ${path}`)).size).toBe(OPERATIONS.length)
  const tags = new Set(TAGS.map(({ name }) => name))
  expect(OPERATIONS.filter(({ tag }) => !tags.has(tag))).toEqual([])
  for (const { id, path, parameters = [] } of OPERATIONS) {
    const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name)
    expect({ id, named: parameters.filter((one) => one.in === 'path').map(({ name }) => name) }).toEqual({
      id,
      named: inPath,
    })
  }
})

test('summaries are sentences without a full stop, and everything else ends with one', () => {
  const wrong = OPERATIONS.flatMap(({ id, summary, description = [], answers, refusals = {} }) => [
    ...(/^[A-Z].*[^.]$/.test(summary) ? [] : [`${id}: ${summary}`]),
    ...[...description, ...answers.map(({ says }) => says), ...Object.values(refusals).filter((text) => text !== null)]
      .filter((text) => !/[.]$/.test(text))
      .map((text) => `${id}: ${text}`),
  ])
  expect(wrong).toEqual([])
})

test('every operation is described, beyond its summary', () => {
  const operations = Object.values(DOCUMENT.paths).flatMap((path) => Object.values(path)) as {
    operationId: string
    summary: string
    description?: string
  }[]
  expect(operations.length).toBe(OPERATIONS.length)
  const bare = operations.filter(
    ({ summary, description = '' }) => description.length < 20 || description.startsWith(summary),
  )
  expect(bare.map(({ operationId }) => operationId)).toEqual([])
})

test('schemas with a name are used, and every example is what its schema says', () => {
  const used = JSON.stringify(DOCUMENT)
  expect(Object.keys(NAMED_SCHEMAS).filter((name) => !used.includes(`"#/components/schemas/${name}"`))).toEqual([])
  for (const { id, answers } of OPERATIONS) {
    for (const { status, schema, example } of answers) {
      const read = schema.safeParse(example)
      expect({ id, status, issues: read.error?.issues }).toEqual({ id, status, issues: undefined })
      expect({ id, status, read: read.data }).toEqual({ id, status, read: example })
    }
  }
})

describe.each(withBody)('the body of %s', (_id, body) => {
  const { schema, fields, example } = body
  const json = bodySchema(body)

  test('has a word about every field, and no word about another', () => {
    expect(silentFields(json)).toEqual([])
    const named = Object.keys(fields).filter((path) => fieldsAt(json, path.split('.')).length === 0)
    expect(named).toEqual([])
  })

  test('has an example that is taken, and cannot go without what it calls required', () => {
    expect(schema.safeParse(example).error?.issues).toBeUndefined()
    const places = json.properties ? [json] : placesOf(json)
    for (const place of places) {
      const required = place.required ?? []
      if (!required.every((name) => Object.hasOwn(example, name))) continue
      for (const name of required) {
        const { [name]: _left, ...rest } = example
        expect({ name, refused: !schema.safeParse(rest).success }).toEqual({ name, refused: true })
        const isNull = schema.safeParse({ ...rest, [name]: null })
        if (takesNull(place.properties?.[name])) continue
        expect({ name, nullRefused: !isNull.success }).toEqual({ name, nullRefused: true })
      }
    }
  })

  test('is refused beyond the limits it names', () => {
    const within = schema instanceof z.ZodUnion ? null : example
    for (const [path, note] of within === null ? [] : Object.entries(fields)) {
      if (path.includes('.') || typeof note === 'string') continue
      for (const value of beyond(note, within?.[path])) {
        expect({ path, refused: !schema.safeParse({ ...within, [path]: value }).success }).toEqual({
          path,
          refused: true,
        })
      }
    }
  })
})

function takesNull(field: JsonSchema | undefined): boolean {
  return field === undefined || typeText(field).includes('null') || typeText(field).startsWith('anything')
}

/** Values just over what a note allows. */
function beyond(note: Exclude<FieldNote, string>, example: unknown): unknown[] {
  const values: unknown[] = []
  if (note.maxLength !== undefined) {
    const start = typeof example === 'string' && example.startsWith('https://') ? example : ''
    values.push(start + 'a'.repeat(note.maxLength + 1 - start.length))
  }
  if (note.maxItems !== undefined && Array.isArray(example)) values.push(Array(note.maxItems + 1).fill(example[0]))
  if (note.format === 'uuid' || note.format === 'date') values.push('neither')
  return values
}

function fieldsAt(schema: JsonSchema, [name = '', ...rest]: readonly string[]): JsonSchema[] {
  const found = placesOf(schema).flatMap((place): JsonSchema[] =>
    place.properties?.[name] ? [place.properties[name]] : [],
  )
  return rest.length === 0 ? found : found.flatMap((field) => fieldsAt(field, rest))
}

function silentFields(schema: JsonSchema, before = ''): string[] {
  return placesOf(schema).flatMap((place) =>
    Object.entries(place.properties ?? {}).flatMap(([name, field]) => [
      ...(field.description ? [] : [before + name]),
      ...silentFields(field, `${before}${name}.`),
    ]),
  )
}
