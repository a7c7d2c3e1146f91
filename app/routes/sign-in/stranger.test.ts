// A sign-in that somebody began for an account that is not theirs.
import { expect, test } from 'vitest'
import { accountsApp, connect, routeBrowser } from '#tests/support/accounts-app.ts'
import { BRISBANE, LEEDS } from '#tests/support/platform-server.ts'
import { loader as authorize } from './authorize.ts'
import { loader as callback } from './callback.ts'

test('writes nothing into the activity of that account, whatever its address says', async () => {
  const world = await accountsApp()
  await connect(world, BRISBANE)
  const activity = () => world.app.store.events.listApiActivity(BRISBANE.uuid, 10)
  const begin = async (who: ReturnType<typeof routeBrowser>, id: string) =>
    (await who.get(authorize, `/api/oauth/authorize?accountuuid=${id}`)).headers.get('location') ?? ''
  const giveUp = async (who: ReturnType<typeof routeBrowser>) => {
    const state = new URL(await begin(who, BRISBANE.uuid)).searchParams.get('state')
    await who.get(callback, `/api/oauth/callback?error=access_denied&state=${state}&Ring+0900`)
  }
  const stranger = routeBrowser(world)
  await giveUp(stranger)
  await stranger.get(callback, await world.platform.consent(await begin(stranger, LEEDS.uuid), LEEDS))
  await giveUp(stranger)
  const own = routeBrowser(world)
  await own.get(callback, await world.platform.consent(await begin(own, BRISBANE.uuid), BRISBANE))
  await giveUp(own)
  // Written without waiting, in their order.
  await expect.poll(async () => (await activity()).map(({ statusCode }) => statusCode)).toEqual([401, 200])
  await world.close()
})
