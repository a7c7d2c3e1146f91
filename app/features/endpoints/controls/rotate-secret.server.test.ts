import { afterEach, beforeEach, expect, test } from 'vitest'
import { signForward } from '#app/adapters/standard-webhooks.server.ts'
import { hours, minutes } from '#app/lib/duration.ts'
import { BRISBANE, LEEDS, openWebhookWorld, type WebhookWorld } from '#tests/support/webhook-world.server.ts'
import { createEndpoint } from '../endpoints.server.ts'
import { rotateSecret, SECRET_OVERLAP } from './rotate-secret.server.ts'

let world: WebhookWorld

beforeEach(async () => {
  world = await openWebhookWorld()
  const form = { callback_url: 'https://example.com/in', object: 'job', fields: '', accountUUID: LEEDS }
  await createEndpoint(world.app, LEEDS, 'webhook', form, { admin: false })
})

afterEach(() => world.close())

const place = `endpoint|${LEEDS}|secret`

interface Secrets {
  secretSealed: string
  previousSecretSealed: string | null
  previousSecretUntil: number | null
}

/** Both secrets as the delivery engine opens them. */
async function stored() {
  const row = world.client.sql
    .prepare(
      `SELECT secret_sealed AS secretSealed, previous_secret_sealed AS previousSecretSealed,
         previous_secret_until AS previousSecretUntil FROM endpoint WHERE id = 1`,
    )
    .get() as Secrets
  const previous = row.previousSecretSealed
  return {
    current: await world.app.secrets.open(place, row.secretSealed),
    previous: previous && (await world.app.secrets.open(place, previous)),
    until: row.previousSecretUntil,
    sealed: row.secretSealed,
  }
}

async function rotated(): Promise<string> {
  const answer = await rotateSecret(world.app, LEEDS, 1)
  if (answer.outcome !== 'rotated') throw new Error('not rotated')
  return answer.secret
}

test('the new secret signs, and the old one with it for 24 hours', async () => {
  const before = (await stored()).current
  const secret = await rotated()
  const { current, previous, until, sealed } = await stored()
  expect([current, previous, until]).toEqual([secret, before, world.clock.now() + hours(24)])
  expect(secret).not.toBe(before)
  expect(sealed).not.toContain(secret)
  const forward = { id: 'evt_1', timestampSeconds: 1, body: '{}', secrets: [secret, before] }
  expect(signForward(forward)['webhook-signature'].split(' ')).toHaveLength(2)
  expect(SECRET_OVERLAP).toBe(hours(24))
})

test('asked twice, at once or within a minute, the secret in use is not pushed out', async () => {
  const before = (await stored()).current
  const [first, second] = await Promise.all([rotated(), rotated()])
  world.clock.advance(minutes(1) - 1)
  expect([second, await rotated()]).toEqual([first, first])
  expect(await stored()).toMatchObject({ current: first, previous: before })
})

test('asked again later, the one before becomes the old one', async () => {
  const first = await rotated()
  world.clock.advance(minutes(2))
  const second = await rotated()
  expect(await stored()).toMatchObject({ current: second, previous: first, until: world.clock.now() + hours(24) })
})

test('of another account, or one that is gone, changes nothing', async () => {
  const before = await stored()
  expect(await rotateSecret(world.app, BRISBANE, 1)).toEqual({ outcome: 'not_found' })
  expect(await rotateSecret(world.app, LEEDS, 99)).toEqual({ outcome: 'not_found' })
  expect(await stored()).toEqual(before)
})
