import type { ActionFunctionArgs } from '@remix-run/node'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createSecretBox } from '#app/adapters/secret-box.server.ts'
import type { App } from '#app/context/app-context.ts'
import { dayText } from '#app/domain/time/moments.ts'
import { STAYS_DUE } from '#app/features/billing/offers.ts'
import { flashCookieName, readCookies, sessionCookieName } from '#app/http/cookies.ts'
import { loadFlash } from '#app/http/flash.server.ts'
import { days, hours } from '#app/lib/duration.ts'
import { hashToken } from '#app/lib/token.server.ts'
import { type BillingWorld, BRISBANE, billingWorld, LEEDS } from '#tests/support/billing-world.server.ts'
import { action, loader } from './subscription.tsx'

const ORIGIN = 'https://hooks.example.com'
const HOME = `/subscription?accountUUID=${LEEDS}`

let world: BillingWorld
let app: App

beforeEach(async () => {
  world = billingWorld()
  const { store, clock } = world.app
  const tokens = { accessTokenSealed: '-', refreshTokenSealed: '-', expiresAt: clock.now() + days(60), scope: '' }
  for (const accountUuid of [LEEDS, BRISBANE]) await store.accounts.saveCredential(accountUuid, tokens)
  await signIn()
  const secrets = createSecretBox(`k1:${Buffer.alloc(32, 7).toString('base64')}`)
  app = { ...world.app, secrets } as unknown as App
})
afterEach(() => world.close())

/** A session for each account; the ones before are over. */
async function signIn() {
  const { store, clock } = world.app
  world.run('DELETE FROM session')
  for (const accountUuid of [LEEDS, BRISBANE]) {
    await store.accounts.openSession({
      tokenHash: hashToken(accountUuid),
      expiresAt: clock.now() + hours(8),
      account: { accountUuid, staffUuid: null, proof: 'launch', provedAt: clock.now() },
      replaces: [],
      carryProofsSince: 0,
    })
  }
}

interface Visit {
  /** Whose session; null = nobody's. */
  as?: string | null
  /** The form that was sent. */
  form?: Record<string, string>
  /** To which address; absent = the account's page. */
  at?: string
}

function argsOf(address: string, { as = LEEDS, form }: Visit = {}) {
  const headers: Record<string, string> = as === null ? {} : { cookie: `${sessionCookieName('tab', true)}=${as}` }
  const body = form ? new URLSearchParams(form) : undefined
  const request = new Request(`${ORIGIN}${address}`, { method: form ? 'POST' : 'GET', headers, ...(body && { body }) })
  return {
    request,
    params: {},
    context: { app, clientIp: '203.0.113.9', nonce: '' },
  } as unknown as ActionFunctionArgs
}

async function open(address = HOME, visit: Visit = {}) {
  const { data, init } = await loader(argsOf(address, visit))
  return { page: data, status: init?.status ?? 200 }
}

async function press(form: Record<string, string>, visit: Visit = {}) {
  const { data, init } = await action(argsOf(visit.at ?? HOME, { ...visit, form }))
  return { answer: data, status: init?.status ?? 200 }
}

/** Where somebody is sent, and what is said there. */
async function leadsTo(work: Promise<unknown>) {
  const response = await work.then(
    () => Promise.reject(new Error('nothing was thrown')),
    (thrown: unknown) => thrown as Response,
  )
  const cookies = readCookies(response.headers.get('set-cookie')?.split(';')[0] ?? null)
  const cookie = `${flashCookieName(true)}=${cookies.get(flashCookieName(true)) ?? ''}`
  const { flash } = await loadFlash(app, new Request(ORIGIN, { headers: { cookie } }))
  return { status: response.status, to: response.headers.get('location'), says: flash?.title, why: flash?.description }
}

/** Opens the form for the first month; gives what the browser would confirm. */
async function secretOf(intent: string): Promise<string> {
  const { answer } = await press({ intent })
  if (answer.kind !== 'quote') throw new Error(JSON.stringify(answer))
  return answer.quote.clientSecret
}

const idOf = (clientSecret: string) => clientSecret.split('_secret')[0] ?? ''
/** What the browser's page is told after confirming. */
async function settle(id: string) {
  const { answer, status } = await press({ intent: 'settle', payment_intent: id })
  expect([answer.kind, status]).toEqual(['settled', 200])
  return { says: answer.toast?.title, why: answer.toast?.description }
}
const PAID = { says: 'Payment Successful', why: 'Your subscription is now active!' }

describe('the page', () => {
  test('shows the trial, and begins it when nobody has yet', async () => {
    const { page, status } = await open()
    expect(status).toBe(200)
    expect(page).toMatchObject({
      view: 'page',
      accountName: 'Leeds Electrical',
      plan: { phase: 'trial', offers: [{ offer: 'upgrade' }] },
      payments: { mode: 'stripe', publishableKey: 'pk_test_1', returnUrl: `${ORIGIN}${HOME}` },
    })
    expect(world.rows('SELECT id FROM plan')).toHaveLength(1)
  })

  test('without an account leads to the start and says why', async () => {
    for (const address of ['/subscription', '/subscription?accountUUID=', '/subscription?accountUUID=%00']) {
      expect(await leadsTo(open(address))).toEqual({
        status: 303,
        to: '/',
        says: 'Error',
        why: 'No account UUID provided',
      })
    }
  })

  test('is the sign-in gate without a session of the account, and nothing is made or asked', async () => {
    for (const as of [null, BRISBANE]) {
      expect((await open(`${HOME}&payment_intent=pi_1`, { as })).page).toEqual({
        view: 'gate',
        state: 'ready',
        accountUUID: LEEDS,
        token: '',
        proved: false,
      })
      expect(await leadsTo(press({ intent: 'upgrade' }, { as }))).toMatchObject({
        status: 303,
        to: HOME,
        why: 'Nothing was changed. Please sign in again.',
      })
    }
    expect(world.rows('SELECT id FROM plan')).toEqual([])
    expect(world.payments.calls).toEqual([])
  })

  test('tells who paid while the session ended that the payment is checked', async () => {
    const told = await leadsTo(press({ intent: 'settle', payment_intent: 'pi_1' }, { as: null }))
    expect(told).toMatchObject({ to: HOME, why: expect.stringMatching(/^We check your payment.* Do not pay again\./) })
  })

  test('is there when the provider is not, and when the plan cannot be read says only that', async () => {
    world.payments.pay(await secretOf('upgrade'))
    world.payments.failNext('unavailable', 10)
    expect((await open()).page).toMatchObject({ plan: { phase: 'trial' } })
    world.run('DROP TABLE plan')
    const { page, status } = await open()
    expect(status).toBe(500)
    expect(page).toMatchObject({ view: 'page', plan: null })
    expect(world.logged).toContain('subscription.not_loaded')
  })
})

describe('paying', () => {
  test('the amount is the server’s, the secret is one and the same for two tabs, and what was paid is looked up', async () => {
    const [one, two] = await Promise.all([secretOf('upgrade'), secretOf('upgrade')])
    expect(one).toBe(two)
    const { answer } = await press({ intent: 'subscribe', amount: '1' })
    expect(answer).toMatchObject({ kind: 'quote', quote: { amount: '£5.00' }, toast: null })
    expect(await settle(idOf(one))).toMatchObject({ says: 'Payment Failed' })
    world.payments.pay(one)
    expect(await settle(idOf(one))).toEqual(PAID)
    expect((await open()).page).toMatchObject({ plan: { phase: 'active', word: 'Active' } })
    expect(await settle(idOf(one))).toEqual(PAID)
    // A page from before the payment still has the button.
    expect(await press({ intent: 'upgrade' })).toMatchObject({
      status: 409,
      answer: { kind: 'refused', message: 'Your subscription is already active: nothing is due now.' },
    })
    for (const forged of ['pi_forged', '', 'sub_1']) expect(await settle(forged)).toMatchObject({ says: 'Error' })
    expect(world.payments.taken()).toBe(500)
  })

  test('a return by address is believed only when the provider knows it for this account', async () => {
    const secret = await secretOf('upgrade')
    const check = (id: string, visit: Visit = {}) =>
      leadsTo(press({ intent: 'settle', payment_intent: id, returned: 'yes' }, visit))
    const unknown = { to: HOME, says: 'Error', why: 'This account has no such payment. Nothing was changed.' }
    expect(await check('pi_forged')).toMatchObject(unknown)
    expect(await leadsTo(open(`${HOME}&redirect_status=succeeded`))).toMatchObject(unknown)
    expect(await check(idOf(secret))).toMatchObject({ to: HOME, says: 'Payment Failed' })
    world.payments.pay(secret)
    // Somebody else brings it.
    expect(await check(idOf(secret), { as: BRISBANE, at: `/subscription?accountUUID=${BRISBANE}` })).toMatchObject({
      says: 'Error',
    })
    expect((await open(`/subscription?accountUUID=${BRISBANE}`, { as: BRISBANE })).page).toMatchObject({
      plan: { phase: 'trial' },
    })
    expect(await check(idOf(secret))).toEqual({ status: 303, to: HOME, ...PAID })
  })

  test('what is not known yet stays on the page until it is, also after a return by address', async () => {
    const id = idOf(await secretOf('upgrade'))
    for (const returned of [{ returned: '' }, { returned: 'yes' }]) {
      world.payments.failNext('unavailable')
      const { answer } = await press({ intent: 'settle', payment_intent: id, ...returned })
      expect(answer).toEqual({ kind: 'processing', paymentId: id, toast: null })
    }
  })

  test('opening the address of a return asks nobody and changes nothing: its page names the payment, a button checks it', async () => {
    const secret = await secretOf('upgrade')
    world.payments.pay(secret)
    const before = world.rows('SELECT * FROM plan')
    world.payments.calls.length = 0
    const { page } = await open(`${HOME}&payment_intent=${idOf(secret)}&redirect_status=succeeded`)
    expect(page).toMatchObject({ view: 'return', accountUUID: LEEDS, paymentId: idOf(secret) })
    expect(world.payments.calls).toEqual([])
    expect(world.rows('SELECT * FROM plan')).toEqual(before)
  })

  test('refusals are said, each with its status', async () => {
    world.payments.failNext('unavailable', 10)
    const down = await press({ intent: 'upgrade' })
    expect(down).toMatchObject({ status: 503, answer: { kind: 'refused', toast: { title: 'Error' } } })
    expect(await press({ intent: 'cancel' })).toMatchObject({ status: 409, answer: { kind: 'refused' } })
    expect(await press({ intent: 'portal' })).toMatchObject({ status: 409, answer: { kind: 'refused' } })
    expect(await press({ intent: 'everything' })).toMatchObject({ status: 400, answer: { kind: 'refused' } })
  })

  test('asked for more often than anybody would it is braked, in words, and a payment that was made is not', async () => {
    const id = idOf(await secretOf('upgrade'))
    for (let n = 1; n < 20; n++) await press({ intent: 'upgrade' })
    expect(await press({ intent: 'upgrade' })).toMatchObject({
      status: 429,
      answer: { kind: 'refused', message: expect.stringContaining('Wait a minute') },
    })
    expect(await settle(id)).toMatchObject({ says: 'Payment Failed' })
  })
})

describe('a paid month', () => {
  beforeEach(async () => {
    const secret = await secretOf('upgrade')
    world.payments.pay(secret)
    expect(await settle(idOf(secret))).toEqual(PAID)
  })

  test('cannot be bought twice, and an early one is quoted before it is paid', async () => {
    expect(await press({ intent: 'subscribe' })).toMatchObject({ status: 409 })
    world.clock.advance(days(10))
    await signIn()
    expect((await press({ intent: 'early_full' })).answer).toMatchObject({
      kind: 'quote',
      quote: { amount: '£5.00' },
      toast: { title: 'Upgrade Available' },
    })
    expect((await press({ intent: 'early_prorated' })).answer).toMatchObject({
      kind: 'quote',
      toast: { title: 'Upgrade Available' },
    })
    expect(world.payments.taken()).toBe(500)
  })

  test.each(['past_due', 'unpaid'])('ended on a page from before it was %s: what is open stays due', async (status) => {
    const { subscriptionId } = (await app.store.billing.findPlan(LEEDS)) ?? {}
    world.payments.renew(subscriptionId ?? '', 'failed')
    if (status === 'unpaid') world.payments.giveUp(subscriptionId ?? '')
    const ended = await leadsTo(press({ intent: 'cancel' }))
    expect(ended).toMatchObject({ says: 'Your subscription is canceled', why: STAYS_DUE })
    expect(await app.store.billing.findPlan(LEEDS)).toMatchObject({ status })
  })

  test('can be ended and kept, and looked after at the provider', async () => {
    const ended = await leadsTo(press({ intent: 'cancel' }))
    expect(ended).toMatchObject({ status: 303, to: HOME })
    const end = (await app.store.billing.findPlan(LEEDS))?.currentPeriodEnd ?? 0
    expect(ended.why).toBe(`It stays active until ${dayText(end, 'Europe/London')}.`)
    expect((await open()).page).toMatchObject({ plan: { phase: 'ending', offers: [] } })
    expect(await leadsTo(press({ intent: 'keep' }))).toMatchObject({ status: 303, to: HOME })
    expect((await open()).page).toMatchObject({ plan: { phase: 'active' } })
    // They come back as who they were.
    app = { ...app, settings: { ...app.settings, adminAccounts: new Set([LEEDS]) } }
    for (const at of [HOME, `${HOME}&admin=yes`]) {
      const portal = await leadsTo(press({ intent: 'portal' }, { at }))
      expect(portal.status).toBe(303)
      expect(new URL(portal.to ?? '').searchParams.get('return')).toBe(`${ORIGIN}${at}`)
    }
  })
})
