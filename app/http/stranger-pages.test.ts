// Which requests get a kept page, and which go to the router. That both say the same is shown on the built server (tests/walks/headers.test.ts).
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LEEDS, RIGHTS_ORIGIN, type RightsWorld, rightsWorld } from '#tests/support/rights-world.server.ts'
import { createStrangerPages, type StrangerPages } from './stranger-pages.server.ts'

let world: RightsWorld
let drawn: string[]
let answer: () => Response
let find: StrangerPages
beforeEach(() => {
  world = rightsWorld()
  drawn = []
  answer = () => new Response('<p>page</p>', { headers: { 'content-type': 'text/html; charset=utf-8' } })
  find = createStrangerPages(
    world.app,
    async ({ url, headers }) => {
      drawn.push(new URL(url).pathname + (headers.has('cookie') ? ' over' : ''))
      return answer()
    },
    (path) => path.startsWith('/wp-'),
  )
})
afterEach(() => world.close())

const ask = (url: string, cookie?: string, method = 'GET') =>
  find({ method, url, headers: cookie === undefined ? {} : { cookie } }, 'nonce')

test('each kind is drawn once, however many ask', async () => {
  await Promise.all(['a', 'b', 'c'].map((id) => ask(`/fieldhook?accountUUID=${id}`)))
  for (let n = 0; n < 20; n++) {
    expect(await ask(`/fieldhook?accountUUID=a${n}&x=${n}`)).toMatchObject({
      status: 200,
      body: Buffer.from('<p>page</p>'),
    })
    await ask(`/fieldhook?accountUUID=a${n}&token=fieldhook`)
    await ask('/fieldhook?accountUUID=a', `__Host-sid-top=${'x'.repeat(n + 10)}`)
  }
  expect(drawn).toEqual(['/fieldhook', '/fieldhook', '/fieldhook over'])
})

test('the reference of the calls is drawn once for everybody, signed in or not', async () => {
  const tab = await world.signIn(LEEDS)
  for (const cookie of [undefined, `__Host-sid-top=${tab}`]) {
    expect(await ask('/api-reference?x=1', cookie)).toMatchObject({ status: 200, body: Buffer.from('<p>page</p>') })
  }
  for (let n = 0; n < 3; n++) await ask('/api-reference/webhooks')
  expect(await ask('/api-reference', '__Host-flash=x')).toBeNull()
  expect(await ask('/api-reference/nothing-of-this-name')).toBeNull()
  expect(drawn).toEqual(['/api-reference', '/api-reference/webhooks'])
})

test('the router has what comes with a session, a message, a proof or an act, and what is not one of these pages', async () => {
  const tab = await world.signIn(LEEDS)
  for (const [url, cookie, method] of [
    [`/fieldhook?accountUUID=${LEEDS}`, `__Host-sid-top=${tab}`],
    ['/fieldhook?accountUUID=a', '__Host-flash=x'],
    ['/wp-login.php', '__Host-flash=x'],
    [`/fieldhook?accountUUID=a&token=${'x'.repeat(43)}`],
    ['/fieldhook?accountUUID=a&auth=success'],
    ['/fieldhook?accountUUID=a', undefined, 'POST'],
    ['/fieldhook/?accountUUID=a'],
    ['/subscription'],
    ['/link?accountUUID=a'],
    ['/api/accounts'],
    ['/fieldhook.data?accountUUID=a'],
    ['/wp-login.data'],
    [`/wp-login.php?x=1&accountUUID=${LEEDS}`],
    ['/wp-%C3'],
    ['//wp-login.php'],
    ['*'],
  ] as const) {
    expect([url, await ask(url, cookie, method)]).toEqual([url, null])
  }
  expect(drawn).toEqual([])
})

test('what is no whole page of its kind is not kept', async () => {
  answer = () => new Response(null, { status: 302, headers: { location: RIGHTS_ORIGIN } })
  expect(await ask('/fieldhook?accountUUID=a')).toBeNull()
  answer = () => new Response('<p>page</p>', { headers: { 'content-type': 'text/html', 'set-cookie': 'a=b' } })
  expect(await ask('/deliveries?accountUUID=a')).toBeNull()
  answer = () => new Response('<p>page</p>', { headers: { 'content-type': 'text/html' } })
  expect(await ask('/wp-login.php')).toBeNull()
})

test('a page that could not be drawn is tried again', async () => {
  answer = () => new Response('<p>later</p>', { status: 503, headers: { 'content-type': 'text/html' } })
  expect(await ask('/account?accountUUID=a')).toBeNull()
  answer = () => new Response('<p>page</p>', { headers: { 'content-type': 'text/html' } })
  expect(await ask('/account?accountUUID=a')).toMatchObject({ status: 200 })
  answer = () => {
    throw new Error('not now')
  }
  await expect(ask('/automation?accountUUID=a')).rejects.toThrow('not now')
  answer = () => new Response('<p>page</p>', { headers: { 'content-type': 'text/html' } })
  expect(await ask('/automation?accountUUID=a')).toMatchObject({ status: 200 })
})
