import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { EndpointKey } from '#app/domain/endpoint-key.ts'
import { UNDO_KEPT } from '#app/lib/undo.ts'
import { BRISBANE, HANGS, LEEDS, openWebhookWorld, type WebhookWorld } from '#tests/support/webhook-world.server.ts'
import { createEndpoint, deleteEndpoint, listEndpoints, updateEndpoint } from '../endpoints.server.ts'
import { findDeleted, restoreEndpoint } from './restore-endpoint.server.ts'

let world: WebhookWorld

beforeEach(async () => {
  world = await openWebhookWorld()
})

afterEach(() => world.close())

const WEBHOOK = { callback_url: 'https://example.com/in', object: 'job', fields: 'status', accountUUID: LEEDS }
const RULE = {
  name: 'Office',
  objectType: 'job',
  forwardUrl: 'https://example.com/too',
  fieldFilters: 'status',
  accountUUID: LEEDS,
}

async function created(kind: 'webhook' | 'extra' = 'webhook') {
  const form = kind === 'webhook' ? WEBHOOK : RULE
  const made = await createEndpoint(world.app, LEEDS, kind, form, { admin: false })
  if (made.outcome !== 'created') throw new Error(JSON.stringify(made))
  return made.endpoint.view
}

const undo = (key: EndpointKey, as = LEEDS) => restoreEndpoint(world.app, as, key)
const live = () => world.platform.listed().filter((one) => one.active)
const views = async () => (await listEndpoints(world.app, LEEDS)).map(({ view }) => view)

describe.each(['webhook', 'extra'] as const)('undoing the deletion of a %s', (kind) => {
  test('brings it back as it was, subscribed, with its secret, and wakes the engine', async () => {
    const before = await created(kind)
    await deleteEndpoint(world.app, LEEDS, before.id)
    expect(await views()).toEqual([])
    expect(live()).toEqual([])
    world.woken.length = 0
    expect(await undo(before.id)).toMatchObject({ outcome: 'restored', waiting: 0, paused: false })
    const [after] = await views()
    expect(after).toMatchObject({
      id: before.id,
      name: before.name,
      callbackUrl: before.callbackUrl,
      fields: before.fields,
      signingSecret: before.signingSecret,
      state: 'active',
    })
    expect(live()).toMatchObject([{ subject: 'job', fields: ['status'] }])
    expect(world.woken).not.toEqual([])
    expect(await undo(before.id)).toEqual({ outcome: 'not_found' })
  })

  test('leaves it paused if it was', async () => {
    const { id } = await created(kind)
    await updateEndpoint(world.app, LEEDS, id, { active: false })
    await deleteEndpoint(world.app, LEEDS, id)
    expect(await undo(id)).toMatchObject({ outcome: 'restored', paused: true })
    expect(await views()).toMatchObject([{ id, state: 'paused' }])
  })

  test('is for ten minutes, and for the account that deleted it', async () => {
    const { id } = await created(kind)
    expect(await undo(id)).toEqual({ outcome: 'not_found' })
    await deleteEndpoint(world.app, LEEDS, id)
    expect(await undo(id, BRISBANE)).toEqual({ outcome: 'not_found' })
    expect(await findDeleted(world.app, LEEDS, id)).toMatchObject({ objectType: 'job', pendingCount: 0 })
    world.clock.advance(UNDO_KEPT + 1)
    expect(await findDeleted(world.app, LEEDS, id)).toBeNull()
    expect(await undo(id)).toEqual({ outcome: 'not_found' })
    expect(await views()).toEqual([])
  })

  test('is refused while the platform does not answer, and works after that', async () => {
    const { id } = await created(kind)
    await deleteEndpoint(world.app, LEEDS, id)
    world.platform.failures.subscribe.push(HANGS)
    expect(await undo(id)).toMatchObject({ outcome: 'platform_refused' })
    expect(await views()).toEqual([])
    expect(await undo(id)).toMatchObject({ outcome: 'restored' })
  })
})

test('a webhook that was made meanwhile keeps its object', async () => {
  const { id } = await created()
  await deleteEndpoint(world.app, LEEDS, id)
  const other = await created()
  expect(await undo(id)).toEqual({ outcome: 'full', message: 'There is another Job webhook now.' })
  expect(await views()).toMatchObject([{ id: other.id }])
})
