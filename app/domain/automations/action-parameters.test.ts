import { expect, test } from 'vitest'
import { readParameters } from '#app/features/automations/rules/checks/check-parameters.ts'
import { ACTION_SPECS, ACTION_TYPES, type ActionType } from './action-parameters.ts'

function messages(type: ActionType, given: Record<string, unknown>): string[] {
  const read = readParameters(type, given)
  return read.outcome === 'invalid' ? read.issues.map(({ name, message }) => `${name}: ${message}`) : []
}

test('every action of the specification is in the table, once', () => {
  expect(ACTION_SPECS.map(({ type }) => type).sort()).toEqual([...ACTION_TYPES].sort())
})

test('a parameter that no action of that type has is refused', () => {
  expect(messages('create_task', { title: 'x', colour: 'red' })).toEqual(['colour: Not allowed'])
  expect(messages('create_task', JSON.parse('{"title":"x","__proto__":{"a":1}}'))).toEqual(['__proto__: Not allowed'])
})

test('a job needs a customer and a status, and the status is one of four or a placeholder', () => {
  expect(messages('create_job', {})).toEqual([
    'company_uuid: Company UUID is required',
    'status: Job Status is required',
  ])
  expect(messages('create_job', { company_uuid: 'c', status: 'Done' })).toEqual([
    'status: Job Status: choose Quote, Work Order, Unsuccessful, Completed',
  ])
  expect(messages('update_job_status', { status: '{entry.0.status}' })).toEqual([])
})

test('materials come from one source: typed in, copied, or moved', () => {
  const job = { company_uuid: 'c', status: 'Quote', materials: [{ material_uuid: 'm' }] }
  expect(messages('create_job', job)).toEqual([])
  expect(messages('create_job', { ...job, copyMaterialsFromJob: true })).toEqual([
    'materials: Choose one source: typed in, copied, or moved',
  ])
  expect(
    messages('create_job', { company_uuid: 'c', status: 'Quote', copyBundlesFromJob: true, transferBundles: true }),
  ).toEqual(['material_bundles: Choose one source: typed in, copied, or moved'])
})

test('the quantity of a line is 1 unless it says otherwise, and never negative', () => {
  const job = (line: unknown) => ({ company_uuid: 'c', status: 'Quote', materials: [line] })
  expect(readParameters('create_job', job({ material_uuid: 'm', unit_cost: '2.50' }))).toMatchObject({
    parameters: { materials: [{ material_uuid: 'm', quantity: 1, unit_cost: 2.5 }] },
  })
  expect(messages('create_job', job({ material_uuid: 'm', quantity: -1 }))).toEqual([
    'materials.0.quantity: Quantity is a number above 0',
  ])
  expect(messages('create_job', job({ material_uuid: 'm', quantity: 0 }))).toHaveLength(1)
  expect(messages('create_job', job('m'))).toEqual(['materials: Must be a list of objects'])
})

test('a unit cost is an amount of money: what would be rounded is refused', () => {
  const costs = (unit_cost: unknown) =>
    messages('create_job', { company_uuid: 'c', status: 'Quote', materials: [{ material_uuid: 'm', unit_cost }] })
  for (const fine of ['0', '12.34', '2.50', 0.07, 999_999.99]) expect(costs(fine)).toEqual([])
  for (const cut of ['0.045', 1.005]) {
    expect(costs(cut)).toEqual(['materials.0.unit_cost: Unit cost is a number from 0 with at most two decimals'])
  }
})

test('everything wrong with the lines of a list is told, each at its cell', () => {
  const materials = [{ material_uuid: 'm' }, { quantity: 0, unit_cost: 'x' }]
  const given = { company_uuid: 'c', status: 'Quote', materials, material_bundles: [{ bundle_uuid: '' }] }
  expect(messages('create_job', given)).toEqual([
    'materials.1.material_uuid: Choose a material from the list',
    'materials.1.quantity: Quantity is a number above 0',
    'materials.1.unit_cost: Unit cost is a number from 0 with at most two decimals',
    'material_bundles.0.bundle_uuid: Choose a bundle from the list',
  ])
})

test('a text message has at most 1,600 characters, a feed message at most 500', () => {
  expect(messages('send_sms', { to: '+441', message: 'x'.repeat(1_600) })).toEqual([])
  expect(messages('send_sms', { to: '+441', message: 'x'.repeat(1_601) })).toEqual([
    'message: Message has at most 1600 characters',
  ])
  expect(messages('post_activity_feed', { message: 'x'.repeat(501) })).toEqual([
    'message: Message has at most 500 characters',
  ])
})

test('an e-mail needs the content of its kind', () => {
  expect(messages('send_email', { to: 'a@b.c' })).toEqual(['customBody: Message is required'])
  expect(messages('send_email', { to: 'a@b.c', contentType: 'html' })).toEqual(['customHtmlBody: Message is required'])
  expect(messages('send_email', { to: 'a@b.c', contentType: 'template' })).toEqual([
    'emailTemplateId: Email Template is required',
  ])
  expect(messages('send_email', { to: 'a@b.c', contentType: 'template', emailTemplateId: 't' })).toEqual([])
})

test('only a webhook is a kind of notification, only three are formats', () => {
  expect(messages('send_notification', { message: 'm', notificationType: 'push' })).toEqual([
    'notificationType: Kind: choose webhook',
  ])
  expect(messages('generate_document', { outputFormat: 'exe' })).toEqual([
    'outputFormat: Format: choose pdf, docx, jpg',
  ])
})

test('values of the wrong type are told one by one', () => {
  expect(messages('send_sms', { to: { a: 1 }, message: ['x'], linkToJob: 'maybe' })).toEqual([
    'to: Must be text',
    'message: Must be text',
    'linkToJob: Must be true or false',
  ])
})
