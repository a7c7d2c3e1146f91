import type { ActionFunctionArgs } from '@remix-run/node'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { App } from '#app/context/app-context.ts'
import { QUARANTINED } from '#app/domain/quarantine.ts'
import { flashCookieName, readCookies, sessionCookieName } from '#app/http/cookies.ts'
import { loadFlash } from '#app/http/flash.server.ts'
import { hours } from '#app/lib/duration.ts'
import { deliveryRows } from '#tests/support/delivery-rows.server.ts'
import { holdAccount, openSessions } from '#tests/support/webhook-calls.server.ts'
import {
  BRISBANE,
  LEEDS,
  ORIGIN,
  openWebhookWorld,
  saveRule,
  type WebhookWorld,
} from '#tests/support/webhook-world.server.ts'
import { action as searchAction, loader as searchLoader } from './deliveries.tsx'
import { action as deliveryAction, loader as deliveryLoader } from './delivery.tsx'

let world: WebhookWorld
let rows: ReturnType<typeof deliveryRows>
let own: number
let foreign: number

beforeEach(async () => {
  world = await openWebhookWorld()
  await openSessions(world)
  const tokens = { accessTokenSealed: '-', refreshTokenSealed: '-', expiresAt: world.clock.now() + hours(1), scope: '' }
  for (const account of [LEEDS, BRISBANE]) await world.app.store.accounts.saveCredential(account, tokens)
  rows = deliveryRows(world.client)
  own = make(LEEDS)
  foreign = make(BRISBANE)
})

afterEach(() => world.close())

function make(account: string): number {
  const at = world.clock.now()
  const { seq } = rows.event({ account, receivedAt: at })
  const endpointId = rows.endpoint({ account })
  return rows.delivery({ account, seq, endpointId, state: 'expired', at, attempts: [{ code: 500 }] })
}

interface Visit {
  /** Whose session; null = nobody's. */
  as?: string | null
  params?: Record<string, string>
  /** The form that was sent. */
  form?: Record<string, string>
}

function argsOf(path: string, { as = LEEDS, params = {}, form }: Visit = {}) {
  const headers: Record<string, string> = as === null ? {} : { cookie: `${sessionCookieName('tab', true)}=${as}` }
  const body = form ? new URLSearchParams(form) : undefined
  const request = new Request(`${ORIGIN}${path}`, { method: form ? 'POST' : 'GET', headers, ...(body && { body }) })
  const context = { app: world.app as App, clientIp: '203.0.113.9', nonce: '' }
  return { request, params, context } as unknown as ActionFunctionArgs
}

async function search(query = '', visit: Visit = {}) {
  const { data, init } = await searchLoader(argsOf(`/deliveries?accountUUID=${LEEDS}${query}`, visit))
  return { page: data, status: init?.status ?? 200 }
}

function detail(id: number | string, visit: Visit = {}, account = LEEDS) {
  return deliveryLoader(argsOf(`/deliveries/${id}?accountUUID=${account}`, { params: { id: String(id) }, ...visit }))
}

const thrownBy = (work: Promise<unknown>): Promise<Response> =>
  work.then(
    () => Promise.reject(new Error('nothing was thrown')),
    (thrown: unknown) => thrown as Response,
  )

/** Where a page sends the reader, and what it says there. */
async function leadsTo(work: Promise<unknown>) {
  const response = await thrownBy(work)
  const cookies = readCookies(response.headers.get('set-cookie')?.split(';')[0] ?? null)
  const cookie = `${flashCookieName(true)}=${cookies.get(flashCookieName(true)) ?? ''}`
  const { flash } = await loadFlash(world.app, new Request(ORIGIN, { headers: { cookie } }))
  return { status: response.status, to: response.headers.get('location'), says: flash?.title, why: flash?.description }
}

const count = () => (world.client.sql.prepare('SELECT count(*) AS n FROM delivery').get() as { n: number }).n

describe('the search page', () => {
  test('lists the deliveries of the account', async () => {
    const { page, status } = await search()
    expect(status).toBe(200)
    expect(page).toMatchObject({
      view: 'search',
      accountName: 'Leeds Electrical',
      timezone: 'Europe/London',
      errors: {},
      answer: { hits: [{ delivery: { id: own, status: 'failed' } }], end: 'all' },
    })
  })

  test('says what is wrong with a filter, keeps it, and searches nothing', async () => {
    const { page, status } = await search('&code=oops&from=2026-01-05T09:00')
    expect(status).toBe(400)
    expect(page).toMatchObject({ answer: null, form: { code: 'oops', from: '2026-01-05T09:00' } })
    expect(page).toHaveProperty('errors.code')
  })

  test('finds what went to one webhook or rule, and refuses another account’s by a sentence', async () => {
    const [mine, theirs] = [await saveRule(world, LEEDS, 'Accounts'), await saveRule(world, BRISBANE, 'Theirs')]
    const { seq } = rows.event({ account: LEEDS, receivedAt: world.clock.now() })
    const id = rows.delivery({ account: LEEDS, seq, endpointId: mine.endpointId, state: 'delivered' })
    const { page } = await search(`&webhook=rule-${mine.id}`)
    expect(page).toMatchObject({
      answer: { hits: [{ delivery: { id } }], looked: 2, end: 'all' },
      statuses: { counts: { delivered: 1, failed: 0, not_forwarded: 0 } },
      choices: { webhooks: expect.arrayContaining([[`rule-${mine.id}`, 'Accounts']]) },
    })
    expect(await search(`&webhook=rule-${theirs.id}`)).toMatchObject({
      status: 400,
      page: { answer: null, errors: { webhook: ['Must be a webhook or forwarding rule of this account'] } },
    })
  })

  test('leads straight to the delivery whose number is pasted, and to nobody else’s', async () => {
    const answer = await leadsTo(search(`&id=${own}`))
    expect(answer).toMatchObject({ status: 302, to: `/deliveries/${own}?accountUUID=${LEEDS}` })
    expect((await search(`&id=${foreign}`)).page).toMatchObject({ answer: { hits: [] } })
    expect((await search(`&id=${own}&status=failed`)).page).toMatchObject({ answer: { hits: [{}] } })
  })

  test('is the sign-in gate without a session of the account', async () => {
    for (const as of [null, BRISBANE]) {
      expect((await search('', { as })).page).toMatchObject({
        view: 'gate',
        state: 'ready',
        accountUUID: LEEDS,
        token: '',
        proved: false,
      })
    }
  })

  test('sends again and stays where it is', async () => {
    const path = `/deliveries?accountUUID=${LEEDS}&status=failed`
    const press = (form: Record<string, string>, as: string | null = LEEDS) =>
      leadsTo(searchAction(argsOf(path, { form, as })))
    expect(await press({ delivery: String(own) })).toMatchObject({ status: 303, to: path, says: 'Sent again' })
    expect(world.woken).toHaveLength(1)
    const before = count()
    expect(await press({ delivery: String(foreign) })).toMatchObject({ to: path, says: 'Failed to send again' })
    expect(await press({})).toMatchObject({ says: 'Failed to send again' })
    expect(await press({ delivery: String(own) }, null)).toMatchObject({
      to: path,
      says: 'No authentication credentials found',
      why: 'Nothing was sent. Please sign in again.',
    })
    expect(count()).toBe(before)
  })

  test('says until when it waits while the account is on hold', async () => {
    holdAccount(world)
    const form = { delivery: String(own) }
    const why = 'Trial ended: subscribe to resume. Until then everything waits, for 72 hours at most.'
    const path = `/deliveries?accountUUID=${LEEDS}`
    expect(await leadsTo(searchAction(argsOf(path, { form })))).toMatchObject({ says: 'On hold', why })
    expect(await leadsTo(deliveryAction(argsOf(path, { form })))).toMatchObject({ says: 'On hold', why })
  })

  test('says that it waits for the operator in a held copy', async () => {
    const path = `/deliveries?accountUUID=${LEEDS}`
    const { context, ...args } = argsOf(path, { form: { delivery: String(own) } })
    const app = { ...context.app, settings: { ...context.app.settings, held: true } }
    const says = { says: 'On hold', why: QUARANTINED }
    expect(await leadsTo(searchAction({ ...args, context: { ...context, app } }))).toMatchObject(says)
  })

  test('sends a group again: each delivery once, and says how many', async () => {
    const path = `/deliveries?accountUUID=${LEEDS}`
    const press = async (...ids: number[]) => {
      const { request, ...args } = argsOf(path, { form: {} })
      const body = new URLSearchParams(ids.map((id) => ['delivery', String(id)]))
      return leadsTo(searchAction({ ...args, request: new Request(request, { method: 'POST', body }) }))
    }
    const [second, before] = [make(LEEDS), count()]
    expect(await press(own, second, own)).toMatchObject({ status: 303, to: path, says: 'Sent again' })
    expect(count()).toBe(before + 2)
    expect(await press(own, foreign)).toMatchObject({ says: '1 of 2 sent again' })
    // What is on its way already is not sent twice.
    expect(count()).toBe(before + 2)
  })
})

describe('the page of a delivery', () => {
  test('brings everything about it', async () => {
    expect(await detail(own)).toMatchObject({
      view: 'delivery',
      accountUUID: LEEDS,
      delivery: { id: own, status: 'failed', attempts: [{ statusCode: 500 }], whyNotAgain: null },
    })
  })

  test('says that it is no longer kept and leads back: also of what never was and of what is somebody else’s', async () => {
    for (const id of [String(foreign), '12345', '0', 'x', '1.5', '9'.repeat(300)]) {
      expect(await detail(id)).toMatchObject({
        init: { status: 404 },
        data: {
          view: 'gone',
          accountUUID: LEEDS,
          gone: {
            title: 'This delivery is no longer kept',
            sentence: 'Deliveries are kept for 30 days.',
            ways: [
              { to: `/deliveries?accountUUID=${LEEDS}`, label: 'Find a delivery' },
              { to: `/fieldhook?accountUUID=${LEEDS}`, label: 'Back to webhooks' },
            ],
          },
        },
      })
    }
  })

  test('is the sign-in gate without a session of the account', async () => {
    for (const as of [null, BRISBANE]) expect(await detail(own, { as })).toMatchObject({ view: 'gate' })
  })

  test('sends again and leads to the new delivery', async () => {
    const args = (delivery: number, as: string | null = LEEDS) =>
      argsOf(`/deliveries/${own}?accountUUID=${LEEDS}`, {
        params: { id: String(own) },
        form: { delivery: String(delivery) },
        as,
      })
    const answer = await leadsTo(deliveryAction(args(own)))
    expect(answer).toMatchObject({
      status: 303,
      to: `/deliveries/${foreign + 1}?accountUUID=${LEEDS}`,
      says: 'Sent again',
    })
    const here = `/deliveries/${own}?accountUUID=${LEEDS}`
    expect(await leadsTo(deliveryAction(args(foreign)))).toMatchObject({ to: here, says: 'Failed to send again' })
    expect(await leadsTo(deliveryAction(args(own, BRISBANE)))).toMatchObject({
      to: here,
      why: expect.stringContaining('sign in'),
    })
  })

  test('says why when there is nothing left to send', async () => {
    world.client.sql.prepare('DELETE FROM event_body').run()
    const form = { delivery: String(own) }
    const answer = await leadsTo(deliveryAction(argsOf(`/deliveries/${own}?accountUUID=${LEEDS}`, { form })))
    expect(answer.why).toBe('This event is too old. We no longer keep its content.')
  })
})
