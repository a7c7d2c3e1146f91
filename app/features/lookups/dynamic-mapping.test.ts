import { describe, expect, test } from 'vitest'
import { fieldsFound } from './api-fields.ts'
import { exportMappings, MAPPINGS_NOT_READ, makeMapping, mappingKey, readMappings } from './dynamic-mapping.ts'

const AT = '2026-01-05T09:00:00.000Z'
const CHAIN = [{ api: 'jobs', field: 'company_uuid' }] as const

test('a key is the name in lower case, with other characters turned to underscores', () => {
  expect(mappingKey('Customer e-mail (2)')).toBe('customer_e_mail__2_')
  expect(mappingKey(' Größe ')).toBe('gr__e')
})

describe('a mapping', () => {
  test('needs a field name', () => {
    expect(makeMapping('  ', CHAIN, AT)).toEqual({ outcome: 'refused', at: 'name', message: 'Field name is required' })
  })

  test('needs to know which field each call gives', () => {
    expect(makeMapping('A', [{ api: 'jobs', field: ' ' }], AT)).toMatchObject({ outcome: 'refused' })
  })

  test('is custom, with the chain of calls that leads to it', () => {
    expect(makeMapping('Customer', CHAIN, AT)).toEqual({
      outcome: 'made',
      key: 'customer',
      mapping: { name: 'Customer', apiChain: [...CHAIN], createdAt: AT, type: 'custom' },
    })
  })
})

describe('export and import', () => {
  const made = makeMapping('Customer', CHAIN, AT)
  const mappings = made.outcome === 'made' ? { [made.key]: made.mapping } : {}

  test('carry the mappings, a moment and version 1.0, and give the same back', () => {
    const text = exportMappings(mappings, AT)
    expect(JSON.parse(text)).toEqual({ dynamicMappings: mappings, timestamp: AT, version: '1.0' })
    expect(readMappings(text)).toEqual({ outcome: 'read', mappings, count: 1 })
  })

  test.each([
    ['{', 'Invalid JSON format'],
    ['{"dynamicMappings":{},"version":"2.0"}', MAPPINGS_NOT_READ],
    ['[]', MAPPINGS_NOT_READ],
    [
      '{"dynamicMappings":{"a":{"name":"A","apiChain":[],"createdAt":"","type":"custom"}},"version":"1.0"}',
      MAPPINGS_NOT_READ,
    ],
  ])('%s is refused', (text, message) => {
    expect(readMappings(text)).toEqual({ outcome: 'refused', message })
  })

  test('a key is made of its name, whatever the file says', () => {
    const text = exportMappings(
      { __proto__x: { name: 'Own Name', apiChain: [...CHAIN], createdAt: AT, type: 'custom' } },
      AT,
    )
    const read = readMappings(text)
    expect(read.outcome === 'read' && Object.keys(read.mappings)).toEqual(['own_name'])
  })
})

test('the fields of an answer are those of all records, nested ones too, with an example and how often they are filled', () => {
  const fields = fieldsFound([
    { uuid: 'a', name: '', extra: { city: 'Leeds' }, tags: [{ id: 1 }, { id: 2 }] },
    { uuid: 'b', name: 'Smith', active: 1, none: null },
  ])
  expect(fields.map(({ path, kinds, sample, filled }) => [path, kinds.join(), sample, filled])).toEqual([
    ['uuid', 'text', 'a', 2],
    ['name', 'text', 'Smith', 1],
    ['extra', 'object', '{"city":"Leeds"}', 1],
    ['extra.city', 'text', 'Leeds', 1],
    ['tags', 'list', '[{"id":1},{"id":2}]', 1],
    ['tags[].id', 'number', '1', 1],
    ['active', 'number', '1', 1],
    ['none', '', null, 0],
  ])
})
