import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { PlatformFailure } from '#app/adapters/platform.ts'
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import { UNDO_KEPT } from '#app/lib/undo.ts'
import { type PolledWorld, polledWorld } from '#tests/support/polled-world.server.ts'
import { LEEDS, openWebhookWorld, type WebhookWorld } from '#tests/support/webhook-world.server.ts'
import { restoreEndpoint } from '../controls/restore-endpoint.server.ts'
import { createEndpoint, deleteEndpoint, listEndpoints, updateEndpoint } from '../endpoints.server.ts'
import { compareSubscriptions, repairSubscriptions } from './repair-subscriptions.server.ts'

let world: WebhookWorld
let polled: PolledWorld
beforeEach(async () => {
  world = await openWebhookWorld()
  polled = polledWorld(world)
})
afterEach(() => world.close())

const FORM = { callback_url: 'https://example.com/in', object: 'jobcontact', fields: '', accountUUID: LEEDS }
const ROLE = { admin: false }

async function created(over: Record<string, unknown> = {}) {
  const made = await createEndpoint(world.app, LEEDS, 'webhook', { ...FORM, ...over }, ROLE)
  if (made.outcome !== 'created' && made.outcome !== 'replaced') throw new Error(`${made.outcome}: ${made.message}`)
  return made.endpoint
}

async function card() {
  const view = (await listEndpoints(world.app, LEEDS, 'webhook'))[0]?.view
  if (!view) throw new Error('there is no webhook')
  return view
}

describe('a webhook of job contacts', () => {
  test('asks the platform for a list, not for a subscription, and has no address of ours', async () => {
    const { view, servicem8Id } = await created()
    expect(world.platform.asked).toEqual(['page jobcontact'])
    expect(world.platform.askedFilters).toEqual(["edit_date gt '2025-01-05 09:00:00'"])
    expect(polled.count('subscription')).toBe(0)
    expect(servicem8Id).toBeNull()
    expect(view).toMatchObject({ forwardingUrl: '', status: 'waiting', statusMessage: 'Waiting for the first event.' })
    expect(view.polling).toMatchObject({ lastOkAt: world.clock.now(), problem: null })
    expect(await repairSubscriptions(world.app)).toMatchObject({ repaired: 0, failed: 0 })
    // Nobody says that ServiceM8 lists it as active.
    expect(await compareSubscriptions(world.app, LEEDS)).toEqual({ outcome: 'compared', objects: [] })
    expect(world.platform.asked.filter((asked) => asked.startsWith('subscribe'))).toEqual([])
  })

  test('is silent about what was there before, also when that is read again', async () => {
    await created()
    await polled.look()
    await polled.look()
    expect(polled.events()).toEqual([])
    expect(polled.count('record_snapshot')).toBe(1)
  })

  test('tells of a contact that was added, changed and removed: one event each, in the shape of the platform', async () => {
    await created()
    world.clock.advance(seconds(20))
    polled.add('new')
    await polled.look()
    polled.edit('new', { mobile: '07700 900123' })
    await polled.look()
    polled.edit('new', { active: 0 })
    await polled.look()
    await polled.look()
    expect(polled.events().map(({ uuid, fields }) => [uuid, ...fields])).toEqual([
      ['new', 'active', 'job_uuid', 'first', 'type'],
      ['new', 'mobile'],
      ['new', 'active'],
    ])
    expect(polled.events()[0]?.body).toEqual({
      object: 'jobcontact',
      entry: [{ uuid: 'new', changed_fields: ['active', 'job_uuid', 'first', 'type'], time: '2026-01-05 09:00:20' }],
      resource_url: 'https://api.servicem8.com/api_1.0/jobcontact/new.json',
    })
    expect(polled.count('delivery')).toBe(3)
    expect(await card()).toMatchObject({ pending: 3, lastEventAt: expect.any(Number) })
  })

  test('tells of a change of what was there at the first look, naming the field', async () => {
    await created()
    world.clock.advance(seconds(20))
    polled.edit('old', { email: 'old@example.com' })
    await polled.look()
    expect(polled.events().map(({ uuid, fields }) => [uuid, ...fields])).toEqual([['old', 'email']])
  })

  test('counts what it receives, and asks once in five minutes while nothing changes', async () => {
    await created()
    const calls = () => world.platform.asked.filter((asked) => asked === 'page jobcontact').length
    const before = calls()
    const until = world.clock.now() + hours(2)
    while (world.clock.now() < until) await polled.look(minutes(1))
    expect(calls() - before).toBeLessThanOrEqual(24)
    expect(calls() - before).toBeGreaterThanOrEqual(23)
    polled.add('new')
    await polled.look()
    const used = world.client.sql
      .prepare<[], { kind: string; count: number }>('SELECT kind, count FROM usage_day WHERE account_uuid IS NOT NULL')
      .all()
    expect(used).toEqual([{ kind: 'webhook_received', count: 1 }])
  })

  test('forwards only what its fields ask for, and stores no event that nobody asked for', async () => {
    await created({ fields: 'mobile' })
    world.clock.advance(seconds(20))
    polled.edit('old', { email: 'old@example.com' })
    polled.add('without-a-mobile')
    await polled.look()
    expect(polled.events()).toEqual([])
    polled.edit('old', { mobile: '07700 900123', email: 'other@example.com' })
    await polled.look()
    expect(polled.events().map(({ fields }) => fields)).toEqual([['mobile']])
    expect(polled.count('delivery')).toBe(1)
  })

  test('keeps what happens while it is paused', async () => {
    const { view } = await created()
    await updateEndpoint(world.app, LEEDS, view.id, { active: false })
    polled.add('new')
    await polled.look()
    expect(await card()).toMatchObject({ status: 'paused', pending: 1 })
  })

  test('says which chosen fields the platform does not have', async () => {
    expect((await created({ fields: 'mobile,shoe_size' })).view.statusMessage).toContain(
      'ServiceM8 does not report shoe_size for Job Contact.',
    )
    expect((await created({ fields: 'mobile' })).view.statusMessage).not.toContain('does not report')
  })

  test('takes the same look again when it replaces one, losing nothing in between', async () => {
    await created()
    polled.add('new')
    await created({ callback_url: 'https://example.com/other' })
    await polled.look()
    expect(polled.events().map(({ uuid }) => uuid)).toEqual(['new'])
  })

  test('begins anew after it was deleted: what changed meanwhile is nobody’s', async () => {
    const { view } = await created()
    await deleteEndpoint(world.app, LEEDS, view.id)
    world.clock.advance(seconds(20))
    polled.add('meanwhile')
    await created()
    world.clock.advance(seconds(20))
    polled.add('afterwards')
    await polled.look()
    expect(polled.events().map(({ uuid }) => uuid)).toEqual(['afterwards'])
  })

  test('goes on from where it was when its deletion is undone', async () => {
    const { view } = await created()
    world.clock.advance(seconds(20))
    polled.add('new')
    await deleteEndpoint(world.app, LEEDS, view.id)
    await polled.look(minutes(9))
    expect(await restoreEndpoint(world.app, LEEDS, view.id)).toMatchObject({ outcome: 'restored' })
    await polled.look()
    expect(polled.events().map(({ uuid }) => uuid)).toEqual(['new'])
  })

  test('leaves nothing behind when it is deleted', async () => {
    const { view } = await created()
    polled.add('new')
    await polled.look()
    await deleteEndpoint(world.app, LEEDS, view.id)
    await polled.look(UNDO_KEPT)
    expect([polled.count('record_snapshot'), polled.count('poll_cursor')]).toEqual([0, 0])
    const asked = world.platform.asked.length
    await polled.look(hours(1))
    expect(world.platform.asked).toHaveLength(asked)
  })

  test('and a forwarding rule share one look, and each gets what it asked for', async () => {
    const { view } = await created({ fields: 'email' })
    const rule = {
      name: 'Zapier',
      objectType: 'jobcontact',
      forwardUrl: 'https://example.com/z',
      fieldFilters: 'mobile',
    }
    const made = await createEndpoint(world.app, LEEDS, 'extra', { ...rule, accountUUID: LEEDS }, ROLE)
    if (made.outcome !== 'created') throw new Error(made.outcome)
    expect(made.endpoint.view.polling).toMatchObject({ problem: null })
    world.clock.advance(seconds(20))
    polled.edit('old', { mobile: '1' })
    await polled.look()
    polled.edit('old', { email: 'x@example.com' })
    await polled.look()
    expect(polled.events().map(({ fields }) => fields)).toEqual([['mobile'], ['email']])
    expect(polled.count('delivery')).toBe(2)
    // The rule goes on when the webhook is gone.
    await deleteEndpoint(world.app, LEEDS, view.id)
    polled.edit('old', { mobile: '2' })
    await polled.look()
    expect(polled.events()).toHaveLength(3)
    await deleteEndpoint(world.app, LEEDS, made.endpoint.view.id)
    await polled.look(UNDO_KEPT)
    expect(polled.count('poll_cursor')).toBe(0)
  })
})

describe('a webhook that cannot be', () => {
  const FORBIDDEN: PlatformFailure = {
    outcome: 'forbidden',
    status: 403,
    message: 'insufficient_scope: read_job_contacts scope required',
  }

  test('is refused with the missing permission, and nothing is stored', async () => {
    world.platform.failures.page.push(FORBIDDEN)
    expect(await createEndpoint(world.app, LEEDS, 'webhook', FORM, ROLE)).toEqual({
      outcome: 'platform_refused',
      message: expect.stringContaining('the permission read_job_contacts is missing'),
    })
    expect([polled.count('webhook'), polled.count('poll_cursor'), polled.count('record_snapshot')]).toEqual([0, 0, 0])
  })

  test('is refused without credentials, in the words of the specification', async () => {
    world.connected.delete(LEEDS)
    expect(await createEndpoint(world.app, LEEDS, 'webhook', FORM, ROLE)).toEqual({
      outcome: 'no_credentials',
      message: 'No authentication credentials found',
    })
    expect([polled.count('webhook'), polled.count('poll_cursor')]).toEqual([0, 0])
  })

  test('can be made once the permission is there', async () => {
    world.platform.failures.page.push(FORBIDDEN)
    await createEndpoint(world.app, LEEDS, 'webhook', FORM, ROLE)
    expect((await created()).view.status).toBe('waiting')
  })
})

describe('the card of a look that does not work', () => {
  test.each([
    [{ outcome: 'unavailable', status: 502, message: 'ServiceM8 answered with status 502.' }, /could not be read.*502/],
    [{ outcome: 'suspended', status: 402, message: 'Payment required' }, /account is not active/],
    [{ outcome: 'forbidden', status: 403, message: 'insufficient_scope' }, /permission read_job_contacts is missing/],
    [{ outcome: 'unauthorized', status: 401, message: 'no' }, /Please sign in again/],
    [{ outcome: 'refused', status: 400, message: 'jobcontact is not an authorised object type' }, /not an authorised/],
  ] as [PlatformFailure, RegExp][])('is on the card: %j', async (failure, words) => {
    await created()
    world.platform.failures.page.push(failure)
    await polled.look()
    const first = await card()
    // One failure is the platform having a moment: it is said, but the state stays.
    expect(first.status).toBe('waiting')
    expect(first.statusMessage).toMatch(words)
    expect(first.statusMessage).toMatch(/Next check at \d\d:\d\d\.$/)
    world.platform.failures.page.push(failure)
    await polled.look(minutes(16))
    const then = await card()
    expect(then.status).toBe('unsubscribed')
    expect(then.statusMessage).toMatch(words)
    polled.add('new')
    await polled.look(hours(2))
    expect(await card()).toMatchObject({ status: 'waiting', polling: { problem: null } })
    expect(polled.events()).toHaveLength(1)
  })

  test('without a sign-in asks nobody, and goes on by itself after one', async () => {
    await created()
    world.connected.delete(LEEDS)
    await polled.look()
    expect((await card()).statusMessage).toContain('Please sign in again.')
    world.connected.add(LEEDS)
    polled.add('new')
    await polled.look()
    expect(polled.events()).toHaveLength(1)
    expect((await card()).statusMessage).not.toContain('sign in')
  })

  test('is tried at once when its webhook is saved again', async () => {
    const { view } = await created()
    world.platform.failures.page.push({ outcome: 'forbidden', status: 403, message: 'insufficient_scope' })
    await polled.look()
    await updateEndpoint(world.app, LEEDS, view.id, { fields: '' })
    expect((await card()).statusMessage).not.toContain('permission')
  })
})
