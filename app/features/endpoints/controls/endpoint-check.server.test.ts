import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hours, seconds } from '#app/lib/duration.ts'
import { controlsOf } from '#tests/support/webhook-calls.server.ts'
import { BRISBANE, LEEDS, openWebhookWorld, seenWell, type WebhookWorld } from '#tests/support/webhook-world.server.ts'
import { deleteEndpoint } from '../endpoints.server.ts'
import { actOnManagerPage, loadManagerPage } from '../manager-page.server.ts'
import { actOnNotices, type NoticeIntent } from '../notices/act-on-notices.server.ts'
import { checkEndpoint } from './endpoint-check.server.ts'

let world: WebhookWorld

beforeEach(async () => {
  world = await openWebhookWorld()
})

afterEach(() => world.close())

const ADDRESS = 'https://example.com/in'
const REFUSED = seenWell({
  endedAt: 'connection',
  result: {
    outcome: 'refused',
    sentence: 'The server refused the connection. Is it running?',
    peerIp: '203.0.113.9',
    timing: { totalMs: 9, dnsMs: 3, connectMs: null, tlsMs: null, firstByteMs: null },
  },
})

function send(fields: Record<string, string>) {
  const formData = new FormData()
  for (const [name, value] of Object.entries({ accountUUID: LEEDS, ...fields })) formData.set(name, value)
  return actOnManagerPage(world.app, controlsOf(world), LEEDS, formData, { admin: false })
}

const create = (url = ADDRESS, object = 'job') => send({ intent: 'create', callback_url: url, object, fields: '' })
const press = (intent: NoticeIntent, values: Record<string, string> = { id: '1' }, accountUuid = LEEDS) =>
  actOnNotices(world.app, controlsOf(world, accountUuid), accountUuid, intent, values)
const page = () => loadManagerPage(world.app, controlsOf(world), LEEDS)
const checkOf = async (id = 1) => (await page()).news.byCard[id]?.check

describe('saving', () => {
  test('looks at a new address and says only what is worth saying', async () => {
    expect(await create()).toEqual({
      outcome: 'done',
      flash: { kind: 'success', title: 'Webhook created successfully!' },
    })
    expect(await checkOf()).toMatchObject({ at: world.clock.now(), steps: { length: 7 } })
  })

  test('is not held up by what is wrong with it, which is said and shown', async () => {
    world.probes.set(ADDRESS, [REFUSED])
    expect(await create()).toMatchObject({
      outcome: 'done',
      flash: { kind: 'success', description: 'The server refused the connection. Is it running?' },
    })
    expect((await checkOf())?.steps.map((step) => step.verdict)).toEqual([
      'ok',
      'ok',
      'fail',
      'skipped',
      'skipped',
      'skipped',
      'skipped',
    ])
  })

  test('an address that is not allowed is refused as before, without a look', async () => {
    world.addresses.set(ADDRESS, { verdict: 'blocked', sentence: 'That address points into a private network.' })
    expect(await create()).toMatchObject({ outcome: 'refused', status: 400 })
    expect(world.probed).toEqual([])
  })

  test('looks again only when the address is another one', async () => {
    await create()
    await send({ intent: 'update', id: '1', fields: 'status', callback_url: ADDRESS })
    await send({ intent: 'update', id: '1', fields: 'date' })
    expect(world.probed).toEqual([ADDRESS])
    await send({ intent: 'update', id: '1', callback_url: 'https://example.com/other' })
    expect(world.probed).toEqual([ADDRESS, 'https://example.com/other'])
    expect(await checkOf()).toMatchObject({ steps: { length: 7 } })
  })

  test('without an address looks at nothing', async () => {
    await create('')
    expect(world.probed).toEqual([])
    expect(await checkOf()).toBeUndefined()
  })

  test('succeeds when the look itself breaks', async () => {
    world.app.outbound.probe = () => Promise.reject(new Error('no luck'))
    expect(await create()).toMatchObject({ outcome: 'done', flash: { title: 'Webhook created successfully!' } })
  })
})

describe('the button', () => {
  test('says in a sentence what was found, and the card keeps it with its time', async () => {
    await create()
    world.clock.advance(hours(1))
    expect(await press('check_address')).toMatchObject({
      outcome: 'done',
      flash: {
        kind: 'success',
        title: 'Address checked: all well',
        description: 'Your address can be reached and answers.',
      },
    })
    expect(await checkOf()).toMatchObject({ at: world.clock.now() })
    world.probes.set(ADDRESS, [REFUSED])
    expect(await press('check_address')).toMatchObject({
      flash: { kind: 'error', title: 'Address checked: something is wrong' },
    })
  })

  test('counts as no delivery and changes nothing about the address', async () => {
    await create()
    const before = world.client.sql.prepare('SELECT * FROM endpoint').all()
    await press('check_address')
    expect(world.client.sql.prepare('SELECT * FROM endpoint').all()).toEqual(before)
    for (const table of ['event', 'delivery', 'attempt', 'endpoint_hour', 'usage_day']) {
      expect(world.client.sql.prepare(`SELECT count(*) AS rows FROM ${table}`).get()).toEqual({ rows: 0 })
    }
  })

  test('works five times a minute, saving included', async () => {
    await create()
    for (let n = 0; n < 4; n += 1) expect(await press('check_address')).toMatchObject({ flash: { kind: 'success' } })
    expect(await press('check_address')).toMatchObject({
      flash: { kind: 'error', description: expect.stringMatching(/many checks\. Try again in \d+ s\./) },
    })
    expect(world.probed).toHaveLength(5)
    world.clock.advance(seconds(12))
    await press('check_address')
    expect(world.probed).toHaveLength(6)
  })

  test("does nothing for somebody else's card, one that is gone, or one without an address", async () => {
    await create()
    await create('', 'note')
    expect(await press('check_address', { id: '1' }, BRISBANE)).toMatchObject({
      flash: { kind: 'error', description: 'This webhook no longer exists.' },
    })
    for (const id of ['99', 'x', 'rule-1']) {
      expect(await press('check_address', { id })).toMatchObject({ flash: { kind: 'error' } })
    }
    expect(await press('check_address', { id: '2' })).toMatchObject({
      flash: { description: 'This webhook has no callback URL to check.' },
    })
    expect(world.probed).toHaveLength(1)
  })
})

test('a check of an address that was changed meanwhile is not shown for the new one', async () => {
  await create()
  const { probe } = world.app.outbound
  world.app.outbound.probe = async (request) => {
    await world.app.store.endpoints.updateEndpoint(
      LEEDS,
      { kind: 'webhook', id: 1 },
      { url: 'https://example.com/new', subscription: null, at: 1 },
    )
    return probe(request)
  }
  await checkEndpoint(world.app, LEEDS, 1)
  expect(await checkOf()).toBeUndefined()
})

test('an endpoint that is deleted is not looked at', async () => {
  await create()
  await deleteEndpoint(world.app, LEEDS, 1)
  expect(await checkEndpoint(world.app, LEEDS, 1)).toEqual({ outcome: 'not_found' })
})

describe('the settings of e-mails', () => {
  test('are saved, shown, and kept per account', async () => {
    expect((await page()).news.mail).toMatchObject({ byMail: true, email: '' })
    expect(await send({ intent: 'mail_settings', byMail: 'yes', email: 'me@example.com' })).toMatchObject({
      outcome: 'done',
      flash: { title: 'Saved' },
    })
    expect((await page()).news.mail).toMatchObject({ byMail: true, email: 'me@example.com' })
    expect(await send({ intent: 'mail_settings', email: '' })).toMatchObject({
      flash: { title: 'E-mails are switched off' },
    })
    expect((await page()).news.mail).toMatchObject({ byMail: false, email: '' })
    expect(await world.app.store.notices.findMailChoice(BRISBANE)).toBeNull()
  })

  test('of two people who opened the same form, keep what each of them changed', async () => {
    const { problem: _, ...shown } = (await page()).news.mail
    const form = {
      ...{ intent: 'mail_settings', all: 'yes', opened: JSON.stringify(shown), byMail: 'yes', email: '' },
      ...{ topic_failing: 'yes', topic_waiting: 'yes', topic_silent: 'yes', topic_account: 'yes' },
      ...{ topic_webhooks: 'yes', holidaysOff: 'yes', closedDays: '' },
    }
    await send({ ...form, weekly: 'yes', topic_silent: '', closedDays: '2026-12-24 to 2027-01-03' })
    const stayed = 'Settings changed after this page was opened stayed as they are.'
    expect(await send({ ...form, email: 'me@example.com', topic_webhooks: '' })).toMatchObject({
      flash: { kind: 'info', title: 'Saved', description: stayed },
    })
    // Back to the page as it was, where the first values are saved again.
    expect(await send(form)).toMatchObject({ flash: { title: 'Nothing changed', description: stayed } })
    const kept = {
      ...{ byMail: true, email: 'me@example.com', weekly: true, holidaysOff: true },
      ...{ topicsOff: ['webhooks', 'silent'], closedDays: [{ from: '2026-12-24', to: '2027-01-03' }] },
    }
    expect(await world.app.store.notices.findMailChoice(LEEDS)).toEqual(kept)
    // One that was opened before forms said so sends every part.
    const { opened: __, ...old } = form
    expect(await send(old)).toMatchObject({ flash: { kind: 'success', title: 'Saved' } })
    expect(await world.app.store.notices.findMailChoice(LEEDS)).toMatchObject({ email: null, weekly: false })
  })

  test('keep what was typed when it cannot be', async () => {
    expect(await send({ intent: 'mail_settings', byMail: 'yes', email: 'me' })).toEqual({
      outcome: 'refused',
      status: 400,
      result: {
        fieldErrors: { email: ['Enter one e-mail address, such as office@example.com'] },
        values: { accountUUID: LEEDS, intent: 'mail_settings', byMail: 'yes', email: 'me' },
      },
      toast: expect.objectContaining({ kind: 'error' }),
    })
    expect(await world.app.store.notices.findMailChoice(LEEDS)).toBeNull()
  })
})

test('a notice is dismissed by its account only', async () => {
  await create()
  const notice = {
    kind: 'failing',
    since: 1,
    reason: 'S.',
    at: 1,
    mail: { state: 'none', reason: 'Off.' },
  } as const
  await world.app.store.notices.raiseNotice({ accountUuid: LEEDS, endpointId: 1, latestId: null }, notice)
  expect((await page()).news.notices).toEqual([
    {
      id: 1,
      card: 1,
      automationId: null,
      kind: 'failing',
      name: 'Job webhook',
      what: 'started failing',
      title: 'Job webhook started failing',
      sentence: 'S.',
      since: 1,
      count: 1,
      runId: null,
      at: 1,
      mail: 'Off.',
    },
  ])
  await press('dismiss_notice', { notice: '1' }, BRISBANE)
  expect((await page()).news.notices).toHaveLength(1)
  await send({ intent: 'dismiss_notice', notice: '1' })
  expect((await page()).news.notices).toEqual([])
})

describe('comparing with the platform', () => {
  test('on request repairs, says why, and the card keeps it', async () => {
    await create()
    Object.assign(world.platform.listed()[0] ?? {}, {
      active: false,
      lastFailureReason: 'Webhook request failed for over 12 hours',
      lastFailureAt: Date.UTC(2026, 0, 4, 22, 10),
    })
    expect(await press('compare', {})).toMatchObject({
      flash: {
        title: 'Subscribed again',
        description:
          'Job: Subscribed again: ServiceM8 had switched it off since 4 Jan, 22:10: Webhook request failed for over 12 hours.',
      },
    })
    expect((await page()).news.byCard[1]?.upstream).toMatchObject({ verdict: 'warn', at: world.clock.now() })
    expect(await press('compare', {})).toMatchObject({ flash: { title: 'Compared with ServiceM8' } })
    expect((await page()).news.byCard[1]?.upstream).toMatchObject({ verdict: 'ok' })
  })

  test('works twice a minute', async () => {
    await create()
    await press('compare', {})
    await press('compare', {})
    world.platform.asked.length = 0
    expect(await press('compare', {})).toMatchObject({
      flash: { kind: 'error', description: expect.stringMatching(/Try again in 30 s/) },
    })
    expect(world.platform.asked).toEqual([])
  })

  test('says so when the platform cannot be asked', async () => {
    await create()
    world.platform.failures.list.push({
      outcome: 'unavailable',
      status: null,
      message: 'ServiceM8 could not be reached.',
      undone: true,
    })
    expect(await press('compare', {})).toMatchObject({
      flash: { kind: 'error', description: 'ServiceM8 could not be reached.' },
    })
  })
})

test('silence of the platform is said on the card, and not where it is known that nothing comes', async () => {
  await create()
  const count = world.client.sql.prepare('INSERT INTO endpoint_hour VALUES (1, ?, 6, 6, 0, 0, 0)')
  const last = Math.floor(world.clock.now() / hours(1)) - 30
  for (let hour = last - 400; hour <= last; hour += 1) count.run(hour)
  expect((await page()).news.byCard[1]?.silence).toMatchObject({
    sentence: expect.stringMatching(/^No events for 30 hours, usually about 144 a day\./),
  })
  await world.app.store.endpoints.updateSubscription(LEEDS, 1, { stateReason: 'Off.', at: 1 })
  expect((await page()).news.byCard[1]?.silence).toBeNull()
})
