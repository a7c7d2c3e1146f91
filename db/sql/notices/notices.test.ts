// Long: one store of notices: what is watched, said, mailed and checked, on one real file.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { CheckStep } from '#app/domain/endpoints/endpoint-check.ts'
import { DEFAULT_MAIL_CHOICE } from '#app/features/notices/notice-mail.ts'
import { days, hours, minutes } from '#app/lib/duration.ts'
import { BRISBANE, LEEDS, openWebhookWorld, type WebhookWorld } from '#tests/support/webhook-world.server.ts'
import type { NoticeStore } from '../../store/notices.ts'

let world: WebhookWorld
let store: NoticeStore

beforeEach(async () => {
  world = await openWebhookWorld()
  store = world.app.store.notices
  for (const object of ['job', 'note']) await made(object)
})

afterEach(() => world.close())

async function made(
  objectType: string,
  accountUuid = LEEDS,
  url = `https://example.com/${objectType}`,
): Promise<number> {
  const { endpointId } = await world.app.store.endpoints.saveEndpoint(accountUuid, {
    kind: 'webhook',
    objectType,
    fields: '',
    url,
    fieldFilter: '',
    active: true,
    secretSealed: 'sealed',
    subscription: null,
    at: world.clock.now(),
  })
  return endpointId
}

const set = (endpointId: number, columns: string) =>
  world.client.sql.prepare(`UPDATE endpoint SET ${columns} WHERE id = ?`).run(endpointId)

const now = () => world.clock.now()
const PENDING = () => ({ state: 'pending', dueAt: now() }) as const

function raise(
  over: Partial<Parameters<NoticeStore['raiseNotice']>[1]> = {},
  latestId: number | null = null,
  endpointId = 1,
) {
  return store.raiseNotice(
    { accountUuid: LEEDS, endpointId, latestId },
    { kind: 'failing', since: 5, reason: 'It fails.', at: now(), mail: PENDING(), ...over },
  )
}

describe('what is watched', () => {
  test('is what is in trouble, and what was said to be, in steps', async () => {
    expect(await store.watchedEndpointsStep(0, 10)).toEqual({ endpoints: [], next: null })
    set(1, `failing_since = 7, failure_events = '[1,2,3]', last_sentence = 'S.'`)
    set(2, `state = 'stopped', state_since = 8, state_reason = 'Gone.'`)
    const first = await store.watchedEndpointsStep(0, 1)
    expect(first).toMatchObject({
      endpoints: [
        { endpointId: 1, accountUuid: LEEDS, state: 'active', failingSince: 7, failedEvents: 3, latest: null },
      ],
      next: 1,
    })
    expect(await store.watchedEndpointsStep(1, 1)).toMatchObject({
      endpoints: [{ endpointId: 2, state: 'stopped', stateSince: 8, stateReason: 'Gone.', checkedAt: null }],
      next: 2,
    })
    expect(await store.watchedEndpointsStep(2, 1)).toEqual({ endpoints: [], next: null })
    await raise()
    set(1, `failing_since = NULL, failure_events = '[]'`)
    const { endpoints } = await store.watchedEndpointsStep(0, 10)
    expect(endpoints[0]).toMatchObject({ endpointId: 1, latest: { kind: 'failing', since: 5, at: now() } })
    await raise({ kind: 'recovered', since: 9 }, 1)
    expect((await store.watchedEndpointsStep(0, 10)).endpoints.map((one) => one.endpointId)).toEqual([2])
  })

  test('is neither what is deleted nor what has no address', async () => {
    set(1, `state = 'deleted'`)
    set(2, `state = 'stopped', url = ''`)
    expect((await store.watchedEndpointsStep(0, 10)).endpoints).toEqual([])
  })

  test('knows when the address was looked at, not when the platform was compared', async () => {
    set(1, 'failing_since = 7')
    await store.noteUpstream(LEEDS, 'job', { verdict: 'ok', sentence: 'Fine.', at: 3 })
    expect((await store.watchedEndpointsStep(0, 10)).endpoints).toMatchObject([{ checkedAt: null }])
    await store.saveEndpointCheck(LEEDS, 1, { url: 'https://example.com/job', at: 4, steps: [STEP] })
    expect((await store.watchedEndpointsStep(0, 10)).endpoints).toMatchObject([{ checkedAt: 4 }])
  })
})

describe('a notice', () => {
  test('is written once per change, however often it is raised', async () => {
    // Any of them may be the first.
    expect((await Promise.all([raise(), raise(), raise()])).sort()).toEqual([false, false, true])
    expect(await raise({}, 1)).toBe(false)
    expect(await store.listNotices(LEEDS, 9, now())).toHaveLength(1)
  })

  test('is not written when something newer was said meanwhile', async () => {
    await raise()
    expect(await raise({ kind: 'recovered', since: 9 }, null)).toBe(false)
    expect(await raise({ kind: 'recovered', since: 9 }, 1)).toBe(true)
    expect(await raise({ kind: 'recovered', since: 10 }, 1)).toBe(false)
  })

  test("is not written about somebody else's endpoint, or a deleted one", async () => {
    const notice = { kind: 'failing', since: 5, reason: '', at: 1, mail: PENDING() } as const
    expect(await store.raiseNotice({ accountUuid: BRISBANE, endpointId: 1, latestId: null }, notice)).toBe(false)
    set(1, `state = 'deleted'`)
    expect(await raise()).toBe(false)
  })

  test('is listed newest first until it is dismissed, one for each address', async () => {
    await raise()
    await raise({ kind: 'recovered', since: 9 }, 1)
    await raise({}, null, 2)
    expect(await store.listNotices(LEEDS, 9, now())).toMatchObject([
      { id: 3, subject: { objectType: 'note', webhookId: 2, rule: null } },
      { id: 2, kind: 'recovered', mailState: 'pending', mailReason: null },
    ])
    expect(await store.listNotices(LEEDS, 1, now())).toHaveLength(1)
    expect(await store.listNotices(BRISBANE, 9, now())).toEqual([])
    expect(await store.dismissNotice(BRISBANE, 2, now())).toBe(false)
    expect(await store.dismissNotice(LEEDS, 99, now())).toBe(false)
    expect(await store.dismissNotice(LEEDS, 2, now())).toBe(true)
    expect(await store.dismissNotice(LEEDS, 2, now())).toBe(true)
    expect((await store.listNotices(LEEDS, 9, now())).map((one) => one.id)).toEqual([3])
  })

  test('about the account is listed while it goes on, whatever addresses said since, and its end for a week', async () => {
    const account = { kind: 'account', id: 0 } as const
    const held = {
      kind: 'plan',
      fingerprint: 'plan:ended',
      since: 5,
      count: 1,
      reason: 'No plan.',
      runId: null,
    } as const
    const listed = async () => (await store.listNotices(LEEDS, 100, now())).map(({ kind }) => kind)
    await store.raiseTrouble(LEEDS, account, { ...held, total: true }, now())
    for (let n = 0; n < 101; n += 1)
      await raise({ kind: n % 2 === 0 ? 'failing' : 'recovered', since: 10 + n }, n === 0 ? null : n + 1)
    expect(await listed()).toEqual(['failing', 'plan'])
    await store.endTrouble(LEEDS, account, held.fingerprint, { at: now(), say: 'It works.' })
    expect(await listed()).toEqual(['recovered', 'failing'])
    world.clock.advance(days(7))
    expect(await listed()).toEqual(['failing'])
  })

  test('opens again when the same trouble since the same moment is back, and is mailed a day after its mail', async () => {
    const rule = { kind: 'rule', id: 1 } as const
    const silent = { kind: 'silent', fingerprint: 'silent', since: 5, count: 1, reason: 'S.', runId: null } as const
    const again = (count: number) => store.raiseTrouble(LEEDS, rule, { ...silent, count, total: true }, now())
    const row = () =>
      world.client.sql.prepare('SELECT count, mail_state, mail_due_at - told_at AS after FROM notice').all()
    await again(1)
    const how = { at: now(), countSince: 0, most: 9, unclear: 'U.', tooMany: 'T.' }
    expect(await store.claimNoticeMail(LEEDS, 1, how)).toMatchObject({ outcome: 'claimed' })
    await store.endTrouble(LEEDS, rule, 'silent', { at: now(), say: null })
    expect(await store.openTroubles(['silent'])).toEqual([])
    await again(2)
    expect(await store.openTroubles(['silent'])).toHaveLength(1)
    expect(row()).toEqual([{ count: 2, mail_state: 'pending', after: days(1) }])
  })

  test('is mailed again when its number rises after it fell, also to less than it once was', async () => {
    const rule = { kind: 'rule', id: 1 } as const
    const waiting = {
      kind: 'waiting',
      fingerprint: 'waiting',
      since: 5,
      reason: 'W.',
      runId: null,
      total: true,
    } as const
    const raised = (count: number, at: number) => store.raiseTrouble(LEEDS, rule, { ...waiting, count }, now() + at)
    const state = () => world.client.sql.prepare('SELECT mail_state FROM notice').pluck().get()
    await raised(5, 0)
    await store.claimNoticeMail(LEEDS, 1, { at: now(), countSince: 0, most: 9, unclear: 'U.', tooMany: 'T.' })
    await raised(1, 0)
    await raised(1, hours(25))
    expect(state()).toBe('failed')
    await raised(2, hours(25))
    expect(state()).toBe('pending')
  })

  test('goes with its endpoint', async () => {
    await raise()
    set(1, `state = 'deleted'`)
    expect(await store.listNotices(LEEDS, 9, now())).toEqual([])
  })

  test('is forgotten when it is old and not the newest of its address', async () => {
    await raise()
    await raise({ kind: 'recovered', since: 9 }, 1)
    await raise({ since: 10 }, 2)
    world.clock.advance(days(90))
    expect(await store.forgetNoticesStep(now(), 1)).toBe(1)
    expect(await store.forgetNoticesStep(now(), 9)).toBe(1)
    expect(await store.forgetNoticesStep(now(), 9)).toBe(0)
    expect((await store.listNotices(LEEDS, 9, now())).map((one) => one.id)).toEqual([3])
    set(1, `state = 'deleted', state_since = ${now()}`)
    expect(await store.forgetNoticesStep(now(), 9)).toBe(0)
    world.clock.advance(days(90))
    expect(await store.forgetNoticesStep(now(), 9)).toBe(1)
  })

  test('is not forgotten while the trouble goes on, and not told as new', async () => {
    const account = { kind: 'account', id: 0 } as const
    const cause = { kind: 'failing', fingerprint: 'reconnect', since: 5, count: 1, reason: 'R.', runId: null } as const
    const goesOn = () => store.raiseTrouble(LEEDS, account, { ...cause, total: true }, now())
    await goesOn()
    await store.claimNoticeMail(LEEDS, 1, { at: now(), countSince: 0, most: 9, unclear: 'U.', tooMany: 'T.' })
    world.clock.advance(days(91))
    expect(await store.forgetNoticesStep(now() - days(90), 9)).toBe(0)
    await goesOn()
    expect(await store.listNotices(LEEDS, 9, now())).toMatchObject([{ id: 1, mailState: 'failed' }])
    await store.endTrouble(LEEDS, account, 'reconnect', { at: now(), say: null })
    expect(await store.forgetNoticesStep(now() + 1, 9)).toBe(1)
  })

  test('that an automation failed is forgotten long after the last time, as its run is', async () => {
    const [account, rule] = [{ kind: 'account', id: 0 } as const, { kind: 'rule', id: 1 } as const]
    const trouble = { kind: 'failing', fingerprint: 'f', since: 5, count: 1, reason: 'R.', runId: null } as const
    const raised = (of: typeof account | typeof rule, more: { kind?: 'silent'; fingerprint?: string } = {}) =>
      store.raiseTrouble(LEEDS, of, { ...trouble, ...more, total: false }, now())
    for (const one of [account, rule]) await raised(one)
    await raised(rule, { kind: 'silent', fingerprint: 'silent' })
    world.clock.advance(days(60))
    await raised(rule)
    world.clock.advance(days(60))
    expect(await store.forgetNoticesStep(now() - days(90), 9)).toBe(0)
    world.clock.advance(days(31))
    expect(await store.forgetNoticesStep(now() - days(90), 9)).toBe(1)
    const left = 'SELECT subject_kind, kind FROM notice ORDER BY id'
    expect(world.client.sql.prepare(left).all()).toEqual([
      { subject_kind: 'account', kind: 'failing' },
      { subject_kind: 'rule', kind: 'silent' },
    ])
  })
})

describe('its e-mail', () => {
  const claim = (id: number, most = 5) =>
    store.claimNoticeMail(LEEDS, id, {
      at: now(),
      countSince: now() - days(1),
      most,
      unclear: 'Unclear.',
      tooMany: 'Too many.',
    })
  const stateOf = async (id: number) => (await store.listNotices(LEEDS, 99, now())).find((one) => one.id === id)

  test('is due when it is planned, with what it says', async () => {
    await raise({ mail: { state: 'none', reason: 'Off.' } })
    expect(await store.dueNoticeMails(now() + days(9), 9)).toEqual([])
    await raise({ kind: 'recovered', since: 9, mail: { state: 'pending', dueAt: now() + 1 } }, 1)
    expect(await store.dueNoticeMails(now(), 9)).toEqual([])
    world.clock.advance(1)
    set(1, 'pending_count = 4')
    expect(await store.dueNoticeMails(now(), 9)).toMatchObject([
      {
        id: 2,
        accountUuid: LEEDS,
        accountName: 'Leeds Electrical',
        timezone: 'Europe/London',
        kind: 'recovered',
        troubleSince: 5,
        waiting: 4,
        tries: 0,
        superseded: false,
      },
    ])
  })

  test('knows that something newer was said, or that its endpoint is gone', async () => {
    await raise()
    await raise({ kind: 'recovered', since: 9, mail: { state: 'none', reason: 'Off.' } }, 1)
    expect(await store.dueNoticeMails(now(), 9)).toMatchObject([{ id: 1, superseded: true }])
    await raise({}, null, 2)
    set(2, `state = 'deleted'`)
    expect(await store.dueNoticeMails(now(), 9)).toMatchObject([{ superseded: true }, { superseded: true }])
  })

  test('is claimed by one, and stays marked as unclear when that one is never heard of again', async () => {
    await raise()
    const claims = await Promise.all([claim(1), claim(1)])
    // On PostgreSQL, either may be first.
    expect(claims.toSorted((a, b) => a.outcome.localeCompare(b.outcome))).toEqual([
      { outcome: 'claimed', tries: 1 },
      { outcome: 'gone' },
    ])
    expect(await stateOf(1)).toMatchObject({ mailState: 'failed', mailReason: 'Unclear.' })
    expect(await store.dueNoticeMails(now() + days(9), 9)).toEqual([])
    expect(
      await store.claimNoticeMail(BRISBANE, 1, { at: 1, countSince: 0, most: 5, unclear: '', tooMany: '' }),
    ).toEqual({
      outcome: 'gone',
    })
  })

  test('is settled as sent, or comes back', async () => {
    await raise()
    await claim(1)
    await store.settleNoticeMail(LEEDS, 1, { state: 'pending', dueAt: now() + minutes(1), reason: 'Again.' }, true)
    expect(await store.dueNoticeMails(now(), 9)).toEqual([])
    expect(await store.dueNoticeMails(now() + minutes(1), 9)).toMatchObject([{ tries: 1, mailReason: 'Again.' }])
    expect(await claim(1)).toEqual({ outcome: 'claimed', tries: 2 })
    await store.settleNoticeMail(LEEDS, 1, { state: 'sent', reason: 'Sent.' }, true)
    expect(await stateOf(1)).toMatchObject({ mailState: 'sent', mailReason: 'Sent.' })
  })

  test('that was not even tried is settled only while nobody has claimed it, and counts as a try', async () => {
    await raise()
    await store.settleNoticeMail(LEEDS, 1, { state: 'pending', dueAt: now(), reason: 'Later.' }, false)
    expect(await store.dueNoticeMails(now(), 9)).toMatchObject([{ tries: 1 }])
    await claim(1)
    await store.settleNoticeMail(LEEDS, 1, { state: 'none', reason: 'Off.' }, false)
    expect(await stateOf(1)).toMatchObject({ mailState: 'failed', mailReason: 'Unclear.' })
  })

  test('is one of a few a day: those that were sent or may have been', async () => {
    for (let n = 0; n < 4; n += 1) {
      await raise({ since: 10 + n }, n === 0 ? null : n)
    }
    expect(await claim(1, 2)).toMatchObject({ outcome: 'claimed' })
    await store.settleNoticeMail(LEEDS, 1, { state: 'sent', reason: 'Sent.' }, true)
    expect(await claim(2, 2)).toMatchObject({ outcome: 'claimed' })
    expect(await claim(3, 2)).toEqual({ outcome: 'too_many' })
    expect(await claim(4, 2)).toEqual({ outcome: 'too_many' })
    expect(await stateOf(4)).toMatchObject({ mailState: 'none', mailReason: 'Too many.' })
    world.clock.advance(days(1))
    await raise({ since: 14 }, 4)
    expect(await claim(5, 2)).toMatchObject({ outcome: 'claimed' })
  })
})

test("an account's choice is its own, and the last one counts", async () => {
  expect(await store.findMailChoice(LEEDS)).toBeNull()
  await store.saveMailChoice(LEEDS, { byMail: true, email: 'a@b.example' }, DEFAULT_MAIL_CHOICE, now())
  await store.saveMailChoice(LEEDS, { byMail: false, email: null }, DEFAULT_MAIL_CHOICE, now())
  expect(await store.findMailChoice(LEEDS)).toEqual({ ...DEFAULT_MAIL_CHOICE, byMail: false, email: null })
  expect(await store.findMailChoice(BRISBANE)).toBeNull()
})

const STEP: CheckStep = { name: 'address', verdict: 'ok', sentence: 'The address may be called.', fix: null }

describe('the check of an address', () => {
  const size = (at: number, url = 'https://example.com/job') => ({ url, at, steps: [STEP] })

  test('replaces the one before, and leaves what the platform said', async () => {
    const note = { verdict: 'warn', sentence: 'Subscribed again.', at: 2 } as const
    await store.saveEndpointCheck(LEEDS, 1, size(1))
    await store.noteUpstream(LEEDS, 'job', note)
    await store.saveEndpointCheck(LEEDS, 1, size(3))
    expect(await store.listEndpointChecks(LEEDS)).toEqual([{ endpointId: 1, ...size(3), upstream: note }])
    await store.noteUpstream(LEEDS, 'job', null)
    expect(await store.findEndpointCheck(LEEDS, 1)).toEqual({ endpointId: 1, ...size(3), upstream: null })
  })

  test('can be only what the platform said', async () => {
    await store.noteUpstream(LEEDS, 'note', { verdict: 'ok', sentence: 'Fine.', at: 2 })
    await store.noteUpstream(LEEDS, 'company', { verdict: 'ok', sentence: 'Fine.', at: 2 })
    await store.noteUpstream(LEEDS, 'job', null)
    expect(await store.listEndpointChecks(LEEDS)).toMatchObject([{ endpointId: 2, steps: [], upstream: { at: 2 } }])
  })

  test("is not written or read for somebody else's endpoint", async () => {
    await store.saveEndpointCheck(BRISBANE, 1, size(1))
    await store.noteUpstream(BRISBANE, 'job', { verdict: 'ok', sentence: '', at: 2 })
    expect(await store.findEndpointCheck(LEEDS, 1)).toBeNull()
    await store.saveEndpointCheck(LEEDS, 1, size(1))
    expect(await store.findEndpointCheck(BRISBANE, 1)).toBeNull()
    expect(await store.listEndpointChecks(BRISBANE)).toEqual([])
    expect(await store.findCheckTarget(BRISBANE, 1)).toBeNull()
    expect(await store.eventRhythm(BRISBANE, 1, 9)).toEqual({ lastEventAt: null, hours: [] })
  })

  test('is about the address as it is, and how it answered the latest event', async () => {
    expect(await store.findCheckTarget(LEEDS, 1)).toEqual({
      url: 'https://example.com/job',
      lastCode: null,
      lastSentence: null,
    })
    set(1, `last_code = 404, last_sentence = 'No.'`)
    expect(await store.findCheckTarget(LEEDS, 1)).toMatchObject({ lastCode: 404, lastSentence: 'No.' })
    set(1, `state = 'deleted'`)
    expect(await store.findCheckTarget(LEEDS, 1)).toBeNull()
  })
})

describe('the rhythm of events', () => {
  const count = (hour: number, events: number, endpointId = 1) =>
    world.client.sql.prepare('INSERT INTO endpoint_hour VALUES (?, ?, ?, 0, 0, 0, 0)').run(endpointId, hour, events)
  const event = (object: string, receivedAt: number, source = 'object') =>
    world.client.sql
      .prepare(
        `INSERT INTO event (id, account_uuid, source, object, object_uuid, changed_fields, received_at, dedupe)
         VALUES (?, ?, ?, ?, 'u', '[]', ?, ?)`,
      )
      .run(`e-${receivedAt}`, LEEDS, source, object, receivedAt, `${object}-${receivedAt}`)

  test('is counted up to the latest event, samples aside', async () => {
    expect(await store.eventRhythm(LEEDS, 1, 3)).toEqual({ lastEventAt: null, hours: [] })
    for (const hour of [1, 2, 3, 4, 5]) count(hour, hour)
    count(6, 0)
    count(7, 9, 2)
    expect(await store.eventRhythm(LEEDS, 1, 3)).toEqual({
      lastEventAt: hours(5),
      hours: [3, 4, 5].map((hour) => ({ hour, events: hour })),
    })
    event('job', hours(5) + 7)
    event('job', hours(9), 'test')
    event('note', hours(9))
    expect((await store.eventRhythm(LEEDS, 1, 3)).lastEventAt).toBe(hours(5) + 7)
  })

  test('an event that no filter lets through is a sign of life', async () => {
    count(5, 1)
    event('job', hours(8))
    expect(await store.eventRhythm(LEEDS, 1, 3)).toEqual({ lastEventAt: hours(8), hours: [] })
  })
})
