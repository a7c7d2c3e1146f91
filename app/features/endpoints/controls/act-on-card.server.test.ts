import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { QUARANTINED } from '#app/domain/quarantine.ts'
import { switchesOf } from '#app/domain/space.ts'
import { days, hours, seconds } from '#app/lib/duration.ts'
import { controlsOf, holdAccount, insertDelivery, insertEvent } from '#tests/support/webhook-calls.server.ts'
import { BRISBANE, LEEDS, openWebhookWorld, type WebhookWorld } from '#tests/support/webhook-world.server.ts'
import { createEndpoint, updateEndpoint } from '../endpoints.server.ts'
import { loadManagerPage } from '../manager-page.server.ts'
import { actOnCard, CARD_INTENTS, type CardIntent } from './act-on-card.server.ts'
import type { ReplayForm } from './replay-text.ts'

let world: WebhookWorld

beforeEach(async () => {
  world = await openWebhookWorld()
  const form = { callback_url: 'https://example.com/in', object: 'job', fields: '', accountUUID: LEEDS }
  await createEndpoint(world.app, LEEDS, 'webhook', form, { admin: false })
  world.woken.length = 0
})

afterEach(() => world.close())

const controls = (accountUuid = LEEDS) => controlsOf(world, accountUuid)

const press = (intent: CardIntent, values: Record<string, string> = {}, accountUuid = LEEDS) =>
  actOnCard(world.app, controls(accountUuid), accountUuid, intent, { id: '1', ...values })

async function view() {
  const [webhook] = (await loadManagerPage(world.app, controls(), LEEDS)).webhooks
  if (!webhook) throw new Error('the webhook is not there')
  return webhook
}

/** As the engine leaves it after a 410: the endpoint stopped, `events` ended with it. */
function letStop(events = 0): void {
  const { sql } = world.client
  for (let n = 0; n < events; n++) insertDelivery(world, insertEvent(world, 'job', `missed-${n}`), 'stopped')
  sql.prepare("UPDATE endpoint SET state = 'stopped', state_reason = 'Gone.', state_since = ?").run(world.clock.now())
}

describe('pausing and resuming', () => {
  test('keeps events, tells how many wait, and wakes the engine', async () => {
    insertDelivery(world, insertEvent(world, 'job'), 'pending')
    expect(await press('pause')).toMatchObject({
      flash: { title: 'Webhook paused', description: expect.stringMatching(/1 event waits/) },
    })
    expect(await view()).toMatchObject({ state: 'paused', status: 'paused', active: false, pending: 1 })
    expect(await press('resume')).toMatchObject({
      flash: { title: 'Webhook resumed', description: expect.stringMatching(/waiting event/) },
    })
    expect(await view()).toMatchObject({ state: 'active', pending: 1 })
    expect(world.woken).toEqual([1, 1])
  })

  test('without an address promises to send nothing', async () => {
    await press('pause')
    await updateEndpoint(world.app, LEEDS, (await view()).id, { callback_url: '' })
    expect((await press('resume')).flash.description).toBe('Without an address, its events are shown here.')
  })

  test('twice at once is harmless', async () => {
    await Promise.all([press('pause'), press('pause')])
    expect((await view()).state).toBe('paused')
    await Promise.all([press('resume'), press('resume')])
    expect((await view()).state).toBe('active')
  })
})

describe('starting again', () => {
  test('says what was missed, and sends it only when asked', async () => {
    letStop(3)
    expect(await view()).toMatchObject({ state: 'stopped', status: 'stopped', missed: 3 })
    expect(await press('start_again')).toMatchObject({ flash: { title: 'Webhook started again' } })
    expect(await view()).toMatchObject({ state: 'active', missed: null, replays: [] })
    expect(world.woken).toContain(1)
  })

  test('with what it missed begins a replay of exactly that', async () => {
    insertDelivery(world, insertEvent(world, 'job', 'fine'), 'delivered')
    letStop(3)
    expect(await press('start_again', { missed: 'yes' })).toMatchObject({
      flash: { description: 'The 3 events it missed are being sent.' },
    })
    expect((await view()).replays).toMatchObject([{ state: 'running', status: 'failed', total: 3 }])
  })

  test('counts for an address that was given up after 72 hours as well', async () => {
    world.client.sql.prepare("UPDATE endpoint SET state = 'failing', failing_since = ?").run(world.clock.now())
    insertDelivery(world, insertEvent(world, 'job'), 'expired')
    expect(await view()).toMatchObject({ state: 'failing', missed: 1 })
    await press('start_again')
    expect((await view()).status).toBe('waiting')
  })

  test('counts for an address that is still tried once everything was given up', async () => {
    world.client.sql.prepare('UPDATE endpoint SET failing_since = ?').run(world.clock.now())
    insertDelivery(world, insertEvent(world, 'job'), 'expired')
    expect(await view()).toMatchObject({ state: 'active', status: 'failing', missed: 1 })
    insertDelivery(world, insertEvent(world, 'job', 'later'), 'pending')
    expect(await view()).toMatchObject({ state: 'active', status: 'failing', missed: null })
  })

  test('counts one page for an address that is still tried', async () => {
    world.client.sql.prepare('UPDATE endpoint SET failing_since = ?').run(world.clock.now())
    for (let n = 0; n < 501; n++) insertDelivery(world, insertEvent(world, 'job', `lost-${n}`), 'expired')
    const read = vi.spyOn(world.app.store.deliveries, 'findReplayableEvents')
    expect(await view()).toMatchObject({ state: 'active', missed: 500 })
    expect(read).toHaveBeenCalledTimes(1)
  })

  test('counts on the card what its form “Send everything since …” finds as it opens', async () => {
    insertDelivery(world, insertEvent(world, 'job'), 'expired')
    world.clock.advance(seconds(65))
    world.client.sql.prepare('UPDATE endpoint SET failing_since = ?').run(world.clock.now())
    const panel = async (form: ReplayForm | null) =>
      (await loadManagerPage(world.app, controls(), LEEDS, { replay: { webhookId: 1, form } })).replay
    const first = (await panel(null))?.form ?? null
    expect([(await view()).missed, (await panel(first))?.count]).toEqual([1, 1])
  })

  test('tells the result where it was pressed', async () => {
    expect((await press('start_again')).flash.at).toBe('buttons of 1')
    expect((await press('start_again', { place: 'health' })).flash.at).toBe('health')
    expect((await press('start_again', { place: 'elsewhere' })).flash.at).toBe('buttons of 1')
  })
})

test('what is asked for while the account is on hold says until when it waits', async () => {
  const id = insertDelivery(world, insertEvent(world, 'job'), 'stopped')
  holdAccount(world)
  const description = 'Trial ended: subscribe to resume. Until then everything waits, for 72 hours at most.'
  const of = async (intent: CardIntent, values?: Record<string, string>) => (await press(intent, values)).flash
  expect(await of('pause')).toMatchObject({ kind: 'success', title: 'Webhook paused' })
  expect(await of('resume')).toMatchObject({ kind: 'info', title: 'Webhook resumed', description })
  expect(await of('start_again')).toMatchObject({ title: 'Webhook started again', description })
  expect(await of('send_again', { delivery: String(id) })).toMatchObject({ title: 'On hold', description })
  const asked = { since: '2026-01-05T00:00', status: 'failed' }
  world.client.sql.exec("UPDATE delivery SET state = 'stopped'")
  expect(await of('replay', asked)).toMatchObject({ title: 'On hold', description })
  Object.assign(world.app, { settings: { ...world.app.settings, held: true } })
  expect(await of('resume')).toMatchObject({ title: 'Webhook resumed', description: QUARANTINED })
  expect(await of('send_again', { delivery: String(id) })).toMatchObject({ title: 'On hold', description: QUARANTINED })
})

describe('a test', () => {
  function answering(verdict: { outcome: string; statusCode: number | null; sentence: string }) {
    Object.assign(world.app, { deliverNow: async () => ({ result: { kind: 'sent', verdict, durationMs: 42 } }) })
  }

  test('tells how it went in the words of the specification', async () => {
    answering({ outcome: 'delivered', statusCode: 202, sentence: '' })
    expect((await press('test')).flash.title).toBe('Test webhook sent successfully (Status: 202)')
    answering({ outcome: 'http_error', statusCode: 404, sentence: 'Your address answered 404.' })
    expect((await press('test')).flash).toEqual({
      at: 'buttons of 1',
      kind: 'error',
      title: 'Failed to send test webhook',
      description: 'Your address answered 404.',
    })
  })

  test('is limited to five a minute', async () => {
    answering({ outcome: 'delivered', statusCode: 200, sentence: '' })
    for (let n = 0; n < 5; n++) expect((await press('test')).flash.kind).toBe('success')
    expect((await press('test')).flash).toMatchObject({
      kind: 'error',
      description: expect.stringMatching(/Try again in 12 s/),
    })
    world.clock.advance(seconds(12))
    expect((await press('test')).flash.kind).toBe('success')
  })
})

describe('sending one again', () => {
  test('makes one new delivery, however often it is pressed', async () => {
    const id = insertDelivery(world, insertEvent(world, 'job'), 'stopped')
    const [first, second] = await Promise.all([
      press('send_again', { delivery: String(id) }),
      press('send_again', { delivery: String(id) }),
    ])
    expect([first.flash.title, second.flash.title]).toEqual(['Sent again', 'Sent again'])
    expect((await view()).pending).toBe(1)
  })

  test('says when the event is gone', async () => {
    expect((await press('send_again', { delivery: '77' })).flash).toMatchObject({ kind: 'error' })
    expect((await press('send_again', { delivery: 'x' })).flash).toMatchObject({ kind: 'error' })
    const id = insertDelivery(world, insertEvent(world, 'job'), 'expired')
    world.client.sql.prepare('DELETE FROM event_body').run()
    expect((await press('send_again', { delivery: String(id) })).flash.description).toContain('no longer keep')
  })
})

describe('sending everything since a moment', () => {
  // The clock stands at 09:00 in London.
  const since = '2026-01-05T08:00'

  test('is counted first, and nothing is sent by that', async () => {
    insertDelivery(world, insertEvent(world, 'job', 'r-1'), 'expired')
    insertDelivery(world, insertEvent(world, 'job', 'r-2'), 'delivered')
    const count = async (status: string) => {
      const form = { since, status, objectUuid: '' }
      return (await loadManagerPage(world.app, controls(), LEEDS, { replay: { webhookId: 1, form } })).replay
    }
    expect(await count('failed')).toMatchObject({ webhookId: 1, count: 1, errors: {} })
    expect(await count('all')).toMatchObject({ count: 2 })
    expect((await view()).replays).toEqual([])
  })

  test('says how long delivered events can be sent where older ones are asked for', async () => {
    const open = async (on: string) => {
      const form = { since: `${on}T09:00`, status: 'all', objectUuid: '' }
      return (await loadManagerPage(world.app, controls(), LEEDS, { replay: { webhookId: 1, form } })).replay
    }
    expect(await open('2025-12-29')).not.toHaveProperty('kept')
    expect(await open('2025-12-28')).toMatchObject({ kept: days(7) })
    Object.assign(world.app, {
      space: { ...world.app.space, isOverShare: () => true, switches: () => switchesOf('shorten') },
    })
    expect(await open('2025-12-29')).toMatchObject({ kept: hours(24) })
  })

  test('opens with a sensible moment and puts messages to their fields', async () => {
    const open = async (form: { since: string; status: string; objectUuid: string } | null, webhookId = 1) =>
      (await loadManagerPage(world.app, controls(), LEEDS, { replay: { webhookId, form } })).replay
    // Nothing was sent there so far: what it collected was not given up.
    expect(await open(null)).toMatchObject({ form: { since: '2026-01-04T09:00', status: 'all' }, count: null })
    world.client.sql.prepare('UPDATE endpoint SET last_attempt_at = 1').run()
    expect(await open(null)).toMatchObject({ form: { status: 'failed' } })
    expect(await open({ since: 'soon', status: '', objectUuid: '' })).toMatchObject({
      errors: { since: ['Choose a date and a time.'] },
      count: null,
    })
    expect(await open(null, 99)).toBeNull()
  })

  test('begins once for the same wish, and can be cancelled once', async () => {
    insertDelivery(world, insertEvent(world, 'job'), 'expired')
    const request = { since, status: 'failed', objectUuid: '' }
    const [first, second] = await Promise.all([press('replay', request), press('replay', request)])
    expect([first.flash.title, second.flash.title]).toEqual(['Sending 1 event again', 'Sending 1 event again'])
    const { replays } = await view()
    expect(replays).toMatchObject([{ state: 'running', total: 1 }])
    const replay = String(replays[0]?.id)
    expect((await press('cancel_replay', { replay })).flash.title).toBe('Sending again was cancelled')
    expect((await press('cancel_replay', { replay })).flash.title).toBe('It had already ended')
    expect((await view()).replays).toMatchObject([{ state: 'cancelled' }])
  })

  test('on a paused webhook says that it waits until somebody resumes it', async () => {
    insertDelivery(world, insertEvent(world, 'job'), 'expired')
    await press('pause')
    const { flash } = await press('replay', { since, status: 'failed', objectUuid: '' })
    expect(flash).toMatchObject({ kind: 'info', title: '1 event waits', description: 'Resume the webhook to send it.' })
  })

  test('refuses a moment that is none', async () => {
    expect((await press('replay', { since: 'soon', status: 'all' })).flash).toMatchObject({
      kind: 'error',
      description: 'Choose a date and a time.',
    })
  })
})

describe('a forwarding rule’s card', () => {
  // It owns the account's second endpoint; the webhook with the same number owns the first.
  const pressRule = (intent: CardIntent, values: Record<string, string> = {}) =>
    press(intent, { id: 'rule-1', ...values })

  beforeEach(async () => {
    const form = { name: 'Accounting', objectType: 'job', forwardUrl: 'https://accounts.example.com/in' }
    await createEndpoint(world.app, LEEDS, 'extra', { ...form, accountUUID: LEEDS }, { admin: false })
    world.woken.length = 0
  })

  async function rule() {
    const [found] = (await loadManagerPage(world.app, controls(), LEEDS)).rules
    if (!found) throw new Error('the rule is not there')
    return found
  }

  test('pauses and resumes in its own words, and only itself', async () => {
    expect((await pressRule('pause')).flash.title).toBe('Rule paused')
    expect([(await rule()).state, (await view()).state]).toEqual(['paused', 'active'])
    expect((await pressRule('resume')).flash.title).toBe('Rule resumed')
    expect((await rule()).state).toBe('active')
    expect(world.woken).toEqual([2, 2])
  })

  test('starts again with what it missed', async () => {
    const { sql } = world.client
    insertDelivery(world, insertEvent(world, 'job', 'missed'), 'stopped')
    sql.prepare('UPDATE delivery SET endpoint_id = 2').run()
    sql.prepare("UPDATE endpoint SET state = 'stopped', state_since = ? WHERE id = 2").run(world.clock.now())
    expect(await rule()).toMatchObject({ status: 'stopped', missed: 1 })
    expect(await pressRule('start_again', { missed: 'yes' })).toMatchObject({
      flash: { title: 'Rule started again', description: 'The event it missed is being sent.' },
    })
    expect((await rule()).replays).toMatchObject([{ state: 'running', total: 1 }])
    const replay = String((await rule()).replays[0]?.id)
    expect((await press('cancel_replay', { replay })).flash.title).toBe('It had already ended')
    expect((await pressRule('cancel_replay', { replay })).flash.title).toBe('Sending again was cancelled')
  })

  test('renews its own secret and opens its own card', async () => {
    const [webhookBefore, ruleBefore] = [await view(), await rule()]
    expect(await pressRule('rotate_secret')).toMatchObject({ secretOf: 'rule-1' })
    expect((await rule()).signingSecret).not.toBe(ruleBefore.signingSecret)
    expect((await view()).signingSecret).toBe(webhookBefore.signingSecret)
  })

  test.each(CARD_INTENTS)("%s does nothing to another account's rule, or to one that is gone", async (intent) => {
    const before = [await view(), await rule()]
    for (const [id, account] of [
      ['rule-1', BRISBANE],
      ['rule-9', LEEDS],
    ] as const) {
      expect(await press(intent, { id }, account)).toMatchObject({
        flash: { kind: 'error', description: 'This rule no longer exists.' },
      })
    }
    expect([await view(), await rule()]).toEqual(before)
  })
})

test('a new secret is another one, opens the card, and pressed twice is made once', async () => {
  const before = (await view()).signingSecret
  const [first, second] = await Promise.all([press('rotate_secret'), press('rotate_secret')])
  expect(first).toEqual(second)
  expect(first).toMatchObject({
    secretOf: 1,
    flash: { title: 'New signing secret', description: expect.stringMatching(/24 hours, until 6 Jan/) },
  })
  const after = await view()
  expect(after.signingSecret).not.toBe(before)
  expect(after.previousSecretUntil).toBe(world.clock.now() + hours(24))
  world.clock.advance(hours(24))
  expect((await view()).previousSecretUntil).toBeNull()
})

test.each(CARD_INTENTS)("%s does nothing to another account's webhook, or to one that is gone", async (intent) => {
  const before = await view()
  for (const [values, account] of [
    [{}, BRISBANE],
    [{ id: '99' }, LEEDS],
    [{ id: 'x' }, LEEDS],
  ] as const) {
    expect(await press(intent, values, account)).toMatchObject({
      flash: { kind: 'error', description: 'This webhook no longer exists.' },
    })
  }
  expect(await view()).toEqual(before)
})
