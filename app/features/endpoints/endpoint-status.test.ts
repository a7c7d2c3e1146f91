import { describe, expect, test } from 'vitest'
import { ago, clockTime } from '#app/domain/time/moments.ts'
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import { accountHealth, needsAttention, type WebhookCondition, webhookStatus } from './endpoint-status.ts'
import type { WebhookStatus } from './endpoint-view.ts'

const NOW = Date.UTC(2026, 0, 5, 9, 30)
const ZONE = 'Europe/London'

const WORKING: WebhookCondition = {
  endpoint: {
    url: 'https://example.com/in',
    state: 'active',
    stateReason: null,
    stateSince: NOW - hours(30),
    holdUntil: null,
    holdReason: null,
    breaker: 'closed',
    failingSince: null,
    redirectStreak: 0,
    lastSuccessAt: NOW - minutes(2),
    lastCode: 200,
    lastSentence: 'Delivered: your address answered 200.',
    pendingCount: 0,
    failedEvents: 0,
  },
  subscription: { stateReason: null },
  lastEventAt: NOW - minutes(2),
  meanMs: 120,
  note: null,
}

function statusOf(endpoint: Partial<WebhookCondition['endpoint']>, rest: Partial<WebhookCondition> = {}) {
  return webhookStatus({ ...WORKING, ...rest, endpoint: { ...WORKING.endpoint, ...endpoint } }, NOW, ZONE)
}

describe('the status of a webhook', () => {
  test('is working, with the time of the last delivery', () => {
    expect(statusOf({})).toEqual({ status: 'working', sentence: 'Working. Last delivered 2 minutes ago.' })
  })

  test('is waiting until something was delivered', () => {
    expect(statusOf({ lastSuccessAt: null }, { lastEventAt: null })).toEqual({
      status: 'waiting',
      sentence: 'Waiting for the first event.',
    })
    expect(statusOf({ lastSuccessAt: null }).sentence).toBe('Waiting for the first delivery.')
  })

  test('says since when it fails, why, and what to look at', () => {
    const failing = statusOf({
      failingSince: NOW - minutes(16),
      lastCode: 404,
      lastSentence: 'Your address answered 404. Is the scenario switched on?',
      pendingCount: 3,
    })
    expect(failing).toEqual({
      status: 'failing',
      sentence: 'Failing since 09:14. Your address answered 404. Is the scenario switched on? 3 events waiting.',
    })
  })

  test('of what we look for ourselves needs no subscription, and names a failed look without changing for it', () => {
    const polling = { lastOkAt: NOW - minutes(6), nextAt: NOW + minutes(5), problem: 'ServiceM8 did not answer.' }
    const looking = { subscription: null, polling }
    expect(statusOf({}, { ...looking, polling: { ...polling, problem: null } })).toEqual({
      status: 'working',
      sentence: 'Working. Last delivered 2 minutes ago.',
    })
    expect(statusOf({}, looking)).toEqual({
      status: 'working',
      sentence:
        'Working. Last delivered 2 minutes ago. ServiceM8 did not answer. Last checked at 09:24. Next check at 09:35.',
    })
    expect(statusOf({ state: 'paused' }, looking).sentence).toMatch(/^Paused since .*ServiceM8 did not answer/)
  })

  test('of what we look for ourselves is "not receiving" after two looks were missed', () => {
    const polling = { lastOkAt: NOW - minutes(13), nextAt: NOW - 1, problem: 'ServiceM8 did not answer.' }
    expect(statusOf({}, { subscription: null, polling })).toEqual({
      status: 'unsubscribed',
      sentence: 'ServiceM8 did not answer. Last checked at 09:17. Next check at 09:30.',
    })
    expect(statusOf({}, { subscription: null, polling: { ...polling, lastOkAt: null } }).sentence).toBe(
      'ServiceM8 did not answer. Next check at 09:30.',
    )
  })

  test('names the day when it is not today, in the zone of the account', () => {
    const sentence = statusOf({ failingSince: NOW - hours(24), lastSentence: 'It hangs.' }).sentence
    expect(sentence).toBe('Failing since 4 Jan, 09:30. It hangs.')
    const brisbane = webhookStatus(
      { ...WORKING, endpoint: { ...WORKING.endpoint, failingSince: NOW - hours(20), lastSentence: null } },
      NOW,
      'Australia/Brisbane',
    )
    expect(brisbane.sentence).toBe('Failing since 4 Jan, 23:30.')
  })

  test('is failing with an open breaker even before anybody wrote down since when', () => {
    expect(statusOf({ breaker: 'open' }).status).toBe('failing')
  })

  test('says that we gave up after 72 hours', () => {
    const given = statusOf({
      state: 'failing',
      failingSince: NOW - hours(73),
      lastSentence: 'The name does not exist.',
    })
    expect(given.status).toBe('failing')
    expect(given.sentence).toMatch(
      /so we stopped trying\. The name does not exist\. Press “Start again” when it is repaired\.$/,
    )
  })

  test('is held while the account is not paid for, unless it was paused or stopped before', () => {
    const accountHold = { since: NOW - hours(1), reason: 'Trial ended: subscribe to resume' }
    expect(statusOf({ pendingCount: 2 }, { accountHold })).toEqual({
      status: 'held',
      sentence:
        'On hold since 08:30. Trial ended: subscribe to resume. Events from the last 72 hours go out then. 2 events waiting.',
    })
    expect(statusOf({ state: 'paused' }, { accountHold }).status).toBe('paused')
    expect(statusOf({ state: 'stopped' }, { accountHold }).status).toBe('stopped')
    expect(statusOf({ url: '' }, { accountHold }).status).toBe('no_address')
  })

  test('is held while the receiver asked us to wait, and failing when it was something else', () => {
    const holdUntil = NOW + minutes(5)
    expect(statusOf({ lastCode: 429, holdUntil, holdReason: 'Your address answered 429.' })).toEqual({
      status: 'held',
      sentence: 'Your address answered 429. We send again at 09:35.',
    })
    const outlived = statusOf({ lastCode: 200, holdUntil, holdReason: 'Your address answered 503.', pendingCount: 2 })
    expect(outlived.sentence).toBe('Your address answered 503. We send again at 09:35. 2 events waiting.')
    expect(statusOf({ lastCode: 200, holdUntil }).status).toBe('working')
    // Another attempt in flight failed meanwhile: everything waits all the same.
    const asked = { holdUntil, holdReason: 'Your address answered 429.', failingSince: NOW, pendingCount: 3 }
    expect(statusOf({ ...asked, lastCode: 500 })).toEqual({
      status: 'held',
      sentence: 'Your address answered 429. We send again at 09:35. 3 events waiting.',
    })
    expect(statusOf({ ...asked, lastCode: 302, redirectStreak: 3 }).status).toBe('failing')
    // From when a notice calls it failing, the card does too.
    const young = { ...asked, failedEvents: 3, lastSentence: 'Your address answered 500.' }
    expect(statusOf({ ...young, failingSince: NOW - minutes(15) + 1 }).status).toBe('held')
    expect(statusOf({ ...young, failingSince: NOW - minutes(15), failedEvents: 2 }).status).toBe('held')
    expect(statusOf({ ...young, failingSince: NOW - minutes(15) })).toEqual({
      status: 'failing',
      sentence: 'Failing since 09:15. Your address answered 500. We send again at 09:35. 3 events waiting.',
    })
    const lost = { lastCode: 429, holdUntil, holdReason: 'Your address answered 429.', failingSince: NOW }
    expect(statusOf({ ...lost, pendingCount: 1 }).status).toBe('held')
    expect(statusOf(lost).status).toBe('failing')
    expect(statusOf({ lastCode: 301, holdUntil, holdReason: 'Redirected.', failingSince: NOW }).status).toBe('failing')
    expect(statusOf({ lastCode: 429, holdUntil: NOW - 1 }).status).toBe('working')
  })

  test('is paused, with what waits', () => {
    const paused = statusOf({ state: 'paused', stateSince: NOW - hours(1), pendingCount: 1 })
    expect(paused).toEqual({
      status: 'paused',
      sentence: 'Paused since 08:30. We keep events and send them, oldest first, when you resume. 1 event waiting.',
    })
  })

  test('is paused without an address, and keeps nothing to send', () => {
    expect(statusOf({ state: 'paused', url: '', stateSince: NOW - hours(1) })).toEqual({
      status: 'paused',
      sentence: 'Paused since 08:30. Without an address, events are shown here and not sent later.',
    })
  })

  test('is stopped when the receiver answered 410', () => {
    const stopped = statusOf({ state: 'stopped', stateReason: 'Your address answered 410.' })
    expect(stopped.status).toBe('stopped')
    expect(stopped.sentence).toMatch(/^Stopped by your system since .* Your address answered 410\./)
  })

  test('is without an address', () => {
    expect(statusOf({ url: '' }).status).toBe('no_address')
  })

  test('is slow from five seconds on', () => {
    expect(statusOf({}, { meanMs: seconds(6.2) })).toEqual({
      status: 'slow',
      sentence: 'Slow. Your address takes 6.2 seconds to answer; the limit is 15.',
    })
    expect(statusOf({}, { meanMs: null }).status).toBe('working')
  })

  test('is unsubscribed before anything else, with the reason where there is one', () => {
    const reason = 'ServiceM8 switched it off: Webhook request failed for over 12 hours.'
    const off = statusOf({ state: 'paused' }, { subscription: { stateReason: reason } })
    expect(off.status).toBe('unsubscribed')
    expect(off.sentence).toContain(reason)
    expect(statusOf({}, { subscription: null }).status).toBe('unsubscribed')
  })

  test('adds what there is to say about the fields', () => {
    expect(statusOf({}, { note: 'ServiceM8 does not report x for Job.' }).sentence).toBe(
      'Working. Last delivered 2 minutes ago. ServiceM8 does not report x for Job.',
    )
  })
})

test('a rule without a subscription says what to do about a rule', () => {
  expect(statusOf({}, { subscription: null, kind: 'extra' })).toEqual({
    status: 'unsubscribed',
    sentence:
      'ServiceM8 sends no events for this rule at present. We subscribe again within a day. To subscribe now, save the rule again.',
  })
})

describe('the health of an account', () => {
  const WEBHOOK = { kind: 'webhook', name: null } as const
  const job = { ...WEBHOOK, label: 'Job', status: 'working' } as const
  const note = { ...WEBHOOK, label: 'Note', status: 'waiting' } as const

  test('is one sentence an owner would say', () => {
    expect(accountHealth([job, note, job, job], NOW - minutes(2), NOW)).toBe(
      '4 webhooks: 3 working, 1 ready. Last event 2 minutes ago.',
    )
    expect(accountHealth([job], NOW - minutes(1), NOW)).toBe('Your webhook is working. Last event 1 minute ago.')
    expect(accountHealth([note], null, NOW)).toBe('Your webhook is ready. No events yet.')
    expect(accountHealth([note], NOW, NOW)).toBe('Your webhook is ready. Last event just now.')
    expect(accountHealth([note, note], NOW, NOW)).toMatch(/^All 2 webhooks are ready\./)
    expect(accountHealth([], null, NOW)).toMatch(/^No webhooks yet\./)
    const slow = { ...WEBHOOK, label: 'Task', status: 'slow' } as const
    expect(accountHealth([job, slow], NOW, NOW)).toBe('2 webhooks: 1 working, 1 slow. Last event just now.')
  })

  test('counts webhooks, and forwarding rules by their name', () => {
    const rule = (status: WebhookStatus, name = 'Accounting') =>
      ({ kind: 'extra', name, label: 'Job', status }) as const
    expect(accountHealth([job, rule('working')], NOW - minutes(2), NOW)).toBe(
      '1 webhook and 1 forwarding rule are working. Last event 2 minutes ago.',
    )
    expect(accountHealth([rule('working')], NOW, NOW)).toBe('Your forwarding rule is working. Last event just now.')
    expect(accountHealth([job, rule('stopped'), rule('failing', 'Books')], NOW, NOW)).toBe(
      '2 of 2 forwarding rules need attention. Last event just now.',
    )
    const task = { ...WEBHOOK, label: 'Task', status: 'failing' } as const
    expect(accountHealth([job, task, rule('failing')], NOW, NOW)).toMatch(
      /^1 of 2 webhooks and 1 forwarding rule need attention\./,
    )
    expect(accountHealth([rule('paused')], NOW, NOW)).toMatch(/^Your forwarding rule is not forwarding\./)
    expect(accountHealth([job, rule('paused')], NOW, NOW)).toMatch(
      /^1 webhook and 1 forwarding rule: 1 working, 1 not forwarding\./,
    )
    const states: WebhookStatus[] = ['working', 'failing', 'paused', 'held', 'waiting']
    for (const status of states) expect(accountHealth([job, rule(status)], NOW, NOW)).not.toContain('address')
  })

  test('on hold is not called in need of attention: the plan is, or the receiver asked for it', () => {
    const held = { ...WEBHOOK, label: 'Job', status: 'held' } as const
    expect(needsAttention('held')).toBe(false)
    expect(accountHealth([held], NOW - minutes(2), NOW)).toBe('Your webhook is on hold. Last event 2 minutes ago.')
    expect(accountHealth([held, held], NOW, NOW)).toMatch(/^All 2 webhooks are on hold\./)
    expect(accountHealth([held, note, { ...WEBHOOK, status: 'paused' }], NOW, NOW)).toMatch(
      /^3 webhooks: 1 ready, 1 on hold, 1 not forwarding\./,
    )
  })

  test('counts what needs attention', () => {
    const failing = { ...WEBHOOK, label: 'Task', status: 'failing' } as const
    const off = { ...WEBHOOK, label: 'Company', status: 'unsubscribed' } as const
    expect(accountHealth([job, failing], NOW, NOW)).toBe('1 of 2 webhooks needs attention. Last event just now.')
    expect(accountHealth([failing], NOW, NOW)).toMatch(/^Your webhook needs attention\./)
    expect(accountHealth([job, failing, off], NOW, NOW)).toMatch(/^2 of 3 webhooks need attention\./)
  })

  test('tells resting ones from working ones', () => {
    const paused = { ...WEBHOOK, label: 'Task', status: 'paused' } as const
    expect(accountHealth([job, paused], NOW, NOW)).toMatch(/^2 webhooks: 1 working, 1 not forwarding\./)
    expect(accountHealth([paused], NOW, NOW)).toMatch(/^Your webhook is not forwarding\./)
    expect(accountHealth([paused, paused], NOW, NOW)).toMatch(/^All 2 webhooks are not forwarding\./)
  })
})

describe('moments', () => {
  test.each([
    [0, 'just now'],
    [-5000, 'just now'],
    [seconds(59), 'just now'],
    [seconds(60), '1 minute ago'],
    [minutes(59), '59 minutes ago'],
    [hours(1), '1 hour ago'],
    [hours(47), '1 day ago'],
    [hours(72), '3 days ago'],
  ])('%d ms before now is %j', (passed, words) => expect(ago(NOW - passed, NOW)).toBe(words))

  test('a zone nobody knows is read as UTC', () => {
    expect(clockTime(NOW, NOW, 'Mars/Olympus')).toBe('09:30')
  })
})
