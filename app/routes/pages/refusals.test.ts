// Every page that shows the sign-in gate in place of somebody else's account has it written down.
import type { AppLoadContext } from '@remix-run/node'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { asCaller } from '#app/lib/caller.server.ts'
import { LEEDS, type RightsWorld, rightsWorld, YORK } from '#tests/support/rights-world.server.ts'
import { loader as loadActivity } from './activity.tsx'
import { findManagerAccount } from './manager-account.server.ts'
import { findOwnAccount } from './own-account.server.ts'

let world: RightsWorld

beforeEach(() => {
  world = rightsWorld()
})
afterEach(() => world.close())

test.each([
  ['the manager', '/automation', findManagerAccount],
  ['the pages about an account', '/deliveries', findOwnAccount],
  ['the activity', '/webhook-activity', loadActivity],
] as const)('of another account, %s is refused and told', async (_what, path, open) => {
  await world.signIn(YORK)
  const tab = await world.signIn(LEEDS)
  const context = { app: world.app, clientIp: '192.0.2.7', nonce: '' } as AppLoadContext
  const request = world.request(`${path}?accountUUID=${YORK}`, { tab })
  await asCaller(context.clientIp, async () => open({ request, context, params: {} }))
  const all = { actions: null, outcome: null, since: null, until: null, before: null, limit: 9 }
  expect(await world.app.store.audit.listAudit(YORK, all)).toMatchObject([
    { action: 'call.refused', actor: 'stranger', target: `GET ${path}`, ip: '192.0.2.7' },
  ])
})
