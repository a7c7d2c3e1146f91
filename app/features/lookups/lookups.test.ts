import { expect, test } from 'vitest'
import type { App } from '#app/app-context.ts'
import { steppingClock } from '#tests/support/stepping-clock.ts'
import { namesOfLists, toFormLists } from '../automations/form-lists.ts'
import { lookUp } from './lookups.server.ts'
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

test('the text of an option has at most 50 characters, and a customer the first eight of its id', () => {
  const uuid = '12345678-0000-4000-8000-000000000001'
  const long = 'x'.repeat(60)
  const lists = toFormLists({
    companies: [{ uuid, name: 'Smith' }],
    'email-templates': [{ uuid, template_name: long }],
    'sms-templates': [{ uuid, template_name: 'On the way', message_text: long }],
    'document-templates': [{ uuid, name: long }],
  })
  expect(lists.companies[0]?.label).toBe('Smith (12345678)')
  const labels = [lists.emailTemplates, lists.smsTemplates, lists.documentTemplates].map(([one]) => one?.label ?? '')
  expect(labels.map((label) => label.replace('…', '').length)).toEqual([50, 50, 50])
  expect(lists.smsTemplates[0]?.text).toBe(long)
})

test('an account that never signed in has placeholder credentials, and a failure is not kept', async () => {
  let asked = 0
  const callAsAccount: App['callAsAccount'] = async () => {
    asked += 1
    return { outcome: 'not_connected', message: 'No authentication credentials found' }
  }
  const app = { store: {} as App['store'], clock: steppingClock(), callAsAccount }
  for (let time = 1; time <= 2; time += 1) {
    expect(await lookUp(app, 'account-1', 'queues')).toEqual({
      outcome: 'failed',
      message: expect.stringContaining('placeholder credentials'),
    })
    expect(asked).toBe(time)
  }
})
