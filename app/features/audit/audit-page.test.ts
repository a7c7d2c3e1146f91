import { afterEach, beforeEach, expect, test } from 'vitest'
import { LEEDS, openWebhookWorld, type WebhookWorld } from '#tests/support/webhook-world.server.ts'
import { auditJson, loadAuditLog } from './audit-page.server.ts'

let world: WebhookWorld
const account = { uuid: LEEDS, timezone: 'Europe/London' }

beforeEach(async () => {
  world = await openWebhookWorld()
})
afterEach(() => world.close())

function append(action: string, target = '', staffUuid: string | null = null) {
  const who = staffUuid === null ? 'session' : 'staff'
  const rest = { outcome: 'done', ip: null, detail: { count: 2 }, accountUuid: LEEDS } as const
  return world.app.store.audit.appendAudit({ ...rest, at: world.clock.now(), actor: who, staffUuid, action, target })
}

const load = (query: string, staffNames = async (): Promise<Record<string, string>> => ({}), everybody = false) =>
  loadAuditLog(world.app, account, new URLSearchParams(query), { everybody, staffNames })

test('an entry is a sentence with names of people and objects', async () => {
  await append('webhook.created', 'jobactivity', 'staff-1')
  const { lines } = await load('', async () => ({ 'staff-1': 'Alex Smith' }))
  expect(lines).toMatchObject([
    { what: 'Created the webhook for Job Activity', who: 'Alex Smith', facts: '', accountUuid: null },
  ])
  const [entry] = await world.app.store.audit.listAudit(LEEDS, {
    actions: null,
    outcome: null,
    since: null,
    until: null,
    before: null,
    limit: 1,
  })
  expect(entry && auditJson(entry)).toMatchObject({
    at: '2026-01-05T09:00:00.000Z',
    words: 'Created the webhook for Job Activity',
    target: 'jobactivity',
    detail: { count: 2 },
  })
})

test('whose role was changed, and whose messages were stopped, is named', async () => {
  const JOAN = '4f9d1c52-0b7e-4c1a-9a35-6d2f8e7b1c04'
  await append('role.changed', 'staff-2', 'staff-1')
  await append('customer.muted', `customer ${JOAN}`)
  const { lines } = await load('', async () => ({ 'staff-1': 'Alex Smith', 'staff-2': 'Kim Doyle' }))
  expect(lines?.map(({ what }) => what)).toEqual(['Stopped messages to a customer', 'Changed the role of Kim Doyle'])
  expect(JSON.stringify(lines)).not.toContain(JOAN)
})

test('a known customer is named where messages were stopped and allowed again', async () => {
  const JOAN = '4f9d1c52-0b7e-4c1a-9a35-6d2f8e7b1c04'
  const { audit, records } = world.app.store
  const fields = { name: 'Joan Hartley' }
  await records.keepNames(LEEDS, [{ object: 'company', recordUuid: JOAN, fields }], world.clock.now())
  await append('customer.muted', `customer ${JOAN}`)
  await append('customer.allowed', `customer ${JOAN}`)
  const { lines } = await load('')
  const said = ['Allowed messages again, Joan Hartley', 'Stopped messages to Joan Hartley']
  expect(lines?.map(({ what }) => what)).toEqual(said)
  const all = { actions: null, outcome: null, since: null, until: null, before: null, limit: 1 }
  const [entry] = await audit.listAudit(LEEDS, all)
  expect(entry && auditJson(entry).words).toBe('Allowed messages again, a customer')
})

test('names are asked for only where somebody has one', async () => {
  await append('sign_in')
  const { lines } = await load('', () => Promise.reject(new Error('nobody has to be asked')))
  expect(lines).toMatchObject([{ who: 'A signed-in user' }])
})

test('it goes on to older entries, and says when there are none', async () => {
  for (let n = 0; n < 51; n += 1) await append('sign_in')
  const first = await load('')
  expect([first.lines?.length, first.next, first.isOlder]).toEqual([50, first.lines?.at(-1)?.id, false])
  const rest = await load(`before=${first.next}`)
  expect([rest.lines?.length, rest.next, rest.isOlder]).toEqual([1, null, true])
})

test('for the operator it is everybody’s, and says nothing of what it was about', async () => {
  await append('automation.deleted', 'only the owner knows')
  const { lines } = await load('', undefined, true)
  expect(lines).toMatchObject([{ what: 'automation.deleted', facts: '', accountUuid: LEEDS }])
  expect(JSON.stringify(lines)).not.toContain('owner')
})
