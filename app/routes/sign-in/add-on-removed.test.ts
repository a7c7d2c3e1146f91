import { expect, test } from 'vitest'
import { hashToken, newToken } from '#app/lib/token.server.ts'
import { accountsApp, connect, routeBrowser } from '#tests/support/accounts-app.ts'
import { BRISBANE } from '#tests/support/platform-server.ts'
import { loader as authorize } from './authorize.ts'
import { loader as callback } from './callback.ts'

test('a sign-in compares what ServiceM8 sends: removing the add-on there had ended it', async () => {
  const world = await accountsApp()
  await connect(world, BRISBANE)
  const { endpoints } = world.app.store
  const at = world.clock.now()
  const token = { tokenHash: hashToken(newToken()), tokenSealed: '-' }
  const id = await endpoints.beginSubscription(BRISBANE.uuid, { object: 'job', fields: '', ...token, at })
  await endpoints.saveEndpoint(BRISBANE.uuid, {
    kind: 'webhook',
    objectType: 'job',
    fields: '',
    url: 'https://example.com/in',
    fieldFilter: '',
    active: true,
    secretSealed: '-',
    subscription: { id, fields: '', replacedUntil: at },
    at,
  })
  world.platform.revoke(BRISBANE)
  const browser = routeBrowser(world)
  const sent = await browser.get(authorize, `/api/oauth/authorize?accountuuid=${BRISBANE.uuid}`)
  await browser.get(callback, await world.platform.consent(sent.headers.get('location') ?? '', BRISBANE))
  const told = async () => (await endpoints.listSubscriptions(BRISBANE.uuid)).find((row) => row.id === id)?.stateReason
  // It asks again at once. Nothing listens at the address of this test.
  await expect.poll(told).toMatch(/^ServiceM8 no longer lists it\. Subscribing again did not work/)
  await world.close()
})
