import { expect, test } from 'vitest'
import { namesOfLists, toFormLists } from '../automations/form-lists.ts'
import { lookupRecords } from './lookups.ts'

test('materials, bundles and categories are offered by name, told apart by their number; deleted ones are not', () => {
  const materials = lookupRecords('materials', [
    { uuid: 'm-2', name: 'Valve', item_number: 'V2', active: 1 },
    { uuid: 'm-1', name: 'Copper pipe', item_number: '', active: 1 },
    { uuid: 'm-0', name: 'Old', item_number: 'O', active: '0' },
  ])
  const bundles = lookupRecords('bundles', [{ uuid: 'b-1', name: '', item_number: 'BOILER', active: 1 }])
  const categories = lookupRecords('categories', [{ uuid: 'c-1', name: 'Heating', active: 1 }])
  const lists = toFormLists({ materials, bundles, categories })
  expect(lists.materials).toEqual([
    { uuid: 'm-1', label: 'Copper pipe' },
    { uuid: 'm-2', label: 'Valve (V2)' },
  ])
  expect(lists.bundles).toEqual([{ uuid: 'b-1', label: 'BOILER' }])
  expect(namesOfLists(lists)).toMatchObject({ 'm-2': 'Valve (V2)', 'c-1': 'Heating' })
})
