import { describe, expect, it } from 'vitest'
import { DEFAULT_GUARDS } from '#app/domain/automations/rule.ts'
import { runReason, runReasonText } from '#app/domain/automations/run-reasons.ts'
import { days, hours, minutes } from '#app/lib/duration.ts'
import { AT } from '#tests/support/record-facts.ts'
import {
  DEFAULT_ACCOUNT_GUARDS,
  type MessageAsked,
  type MessageVerdict,
  mayMessage,
  mayStart,
  quietUntil,
  readAccountGuards,
} from './guards.ts'

const LONDON = 'Europe/London'
const utc = (text: string) => Date.parse(`${text}Z`)
const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString().slice(0, 16))

/** With the sentence a person reads. */
function worded(verdict: MessageVerdict) {
  if (verdict.outcome === 'now') return verdict
  const { reason, ...rest } = verdict
  return { ...rest, sentence: runReasonText(reason) }
}

function ask(given: Partial<Omit<MessageAsked, 'sent'>> & { sent?: Partial<MessageAsked['sent']> } = {}) {
  return worded(
    mayMessage({
      rule: DEFAULT_GUARDS,
      account: DEFAULT_ACCOUNT_GUARDS,
      at: AT,
      muted: null,
      released: false,
      ...given,
      sent: {
        byRuleToday: 0,
        byRuleLastHour: 0,
        byAccountToday: 0,
        lastByRule: null,
        lastByAnyRule: null,
        ...given.sent,
      },
    }),
  )
}

describe('a message to a customer', () => {
  it('goes out at once when nobody chose otherwise, at any hour', () => {
    expect(ask()).toEqual({ outcome: 'now' })
    expect(ask({ at: { now: utc('2026-11-21T03:00:00'), zone: LONDON } })).toEqual({ outcome: 'now' })
    expect(ask({ sent: { lastByRule: AT.now - minutes(1), byRuleToday: 199, byRuleLastHour: 199 } })).toEqual({
      outcome: 'now',
    })
  })

  it('is left out where messages are switched off, also when a person pressed send', () => {
    expect(ask({ muted: { kind: 'company', until: null } })).toEqual({
      outcome: 'skip',
      sentence: 'Not sent: automatic messages are switched off for this customer.',
    })
    expect(ask({ muted: { kind: 'job', until: AT.now + days(3) }, released: true })).toEqual({
      outcome: 'skip',
      sentence: 'Not sent: automatic messages are switched off for this job until Tuesday, 24 November.',
    })
    expect(ask({ muted: { kind: 'job', until: AT.now - 1 } })).toEqual({ outcome: 'now' })
  })

  it('keeps the days that a rule leaves between two messages to one customer', () => {
    const rule = { ...DEFAULT_GUARDS, cooldownDays: 7 }
    const last = (ago: number) => ask({ rule, sent: { lastByRule: AT.now - ago } })
    expect(last(days(6))).toMatchObject({
      outcome: 'skip',
      sentence: expect.stringMatching(/on Sunday, 15 November\. .*7 days /),
    })
    expect(last(days(7))).toEqual({ outcome: 'now' })
    expect(ask({ rule, sent: { lastByRule: AT.now - days(1) }, released: true })).toEqual({ outcome: 'now' })
  })

  it('keeps the days of the account over all rules', () => {
    const account = { ...DEFAULT_ACCOUNT_GUARDS, customerCooldownDays: 1 }
    const today = ask({ account, sent: { lastByAnyRule: AT.now - hours(2) } })
    expect(today).toMatchObject({ outcome: 'skip', sentence: expect.stringMatching(/ today\. .*1 day /) })
    expect(ask({ account, sent: { lastByAnyRule: AT.now - hours(12) } })).toEqual({ outcome: 'now' })
  })

  it('is held at the daily cap of the rule, else of the account, until a person says send', () => {
    const rule = { ...DEFAULT_GUARDS, dailyCap: 2 }
    expect(ask({ rule, sent: { byRuleToday: 1 } })).toEqual({ outcome: 'now' })
    expect(ask({ rule, sent: { byRuleToday: 2 } })).toMatchObject({
      outcome: 'hold',
      sentence: expect.stringMatching(/2 messages.*today/),
    })
    expect(ask({ rule, sent: { byRuleToday: 2 }, released: true })).toEqual({ outcome: 'now' })
    expect(ask({ sent: { byRuleToday: 500 } })).toMatchObject({ outcome: 'hold' })
    expect(ask({ sent: { byAccountToday: 1000 } })).toMatchObject({
      outcome: 'hold',
      sentence: expect.stringMatching(/1000 messages/),
    })
  })

  it('is held when a rule floods', () => {
    expect(ask({ sent: { byRuleLastHour: 200 } })).toMatchObject({
      outcome: 'hold',
      sentence: expect.stringMatching(/within an hour/),
    })
  })

  it('waits for the end of the quiet hours where they are kept', () => {
    const night = { now: utc('2026-11-21T22:30:00'), zone: LONDON }
    const rule = { ...DEFAULT_GUARDS, respectQuietHours: true }
    expect(ask({ at: night })).toEqual({ outcome: 'now' })
    expect(ask({ at: night, rule })).toEqual({
      outcome: 'later',
      at: utc('2026-11-22T08:00:00'),
      sentence: 'Waits until your quiet hours end: tomorrow, 08:00.',
    })
    expect(ask({ at: night, account: { ...DEFAULT_ACCOUNT_GUARDS, quietForAll: true } })).toMatchObject({
      outcome: 'later',
    })
    expect(ask({ at: night, rule, released: true })).toEqual({ outcome: 'now' })
    expect(ask({ at: { now: utc('2026-11-22T08:00:00'), zone: LONDON }, rule })).toEqual({ outcome: 'now' })
  })
})

describe('quiet hours', () => {
  const quiet = (at: string, given: Partial<Parameters<typeof quietUntil>[0]> = {}) =>
    iso(
      quietUntil(
        { quietFrom: '20:00', quietTo: '08:00', quietWeekends: false, ...given },
        { now: utc(at), zone: LONDON },
      ),
    )

  it('end in the morning, before and after midnight', () => {
    expect(quiet('2026-11-20T20:00:00')).toBe('2026-11-21T08:00')
    expect(quiet('2026-11-21T07:59:59')).toBe('2026-11-21T08:00')
    expect(quiet('2026-11-21T08:00:00')).toBe(null)
    expect(quiet('2026-11-21T19:59:59')).toBe(null)
  })

  it('can be in the middle of the day, or none at all', () => {
    const midday = { quietFrom: '12:00', quietTo: '13:30' }
    expect(quiet('2026-11-20T12:10:00', midday)).toBe('2026-11-20T13:30')
    expect(quiet('2026-11-20T13:30:00', midday)).toBe(null)
    expect(quiet('2026-11-20T12:10:00', { quietFrom: '12:00', quietTo: '12:00' })).toBe(null)
  })

  it('last over the weekend where that is wanted', () => {
    const weekend = { quietWeekends: true }
    expect(quiet('2026-11-20T21:00:00', weekend)).toBe('2026-11-23T08:00')
    expect(quiet('2026-11-22T12:00:00', weekend)).toBe('2026-11-23T08:00')
    expect(quiet('2026-11-22T12:00:00', { ...weekend, quietFrom: '12:00', quietTo: '13:00' })).toBe('2026-11-23T00:00')
  })

  it('end when the clocks say so on the day they change', () => {
    expect(quiet('2026-10-24T21:00:00')).toBe('2026-10-25T08:00')
    expect(quiet('2026-03-28T22:00:00')).toBe('2026-03-29T07:00')
    expect(quiet('2026-03-28T22:00:00', { quietTo: '01:30' })).toBe('2026-03-29T01:00')
  })
})

describe('what is stored of the guards', () => {
  it('is the defaults when there is nothing, or nothing readable', () => {
    for (const stored of [null, undefined, 'x', 5, [], {}])
      expect(readAccountGuards(stored)).toEqual(DEFAULT_ACCOUNT_GUARDS)
  })

  it('keeps what can be read beside what cannot', () => {
    const stored = {
      quietFrom: '21:30',
      quietTo: 'late',
      floodPerHour: -1,
      accountDailyCap: 50,
      __proto__: { quietForAll: true },
    }
    expect(readAccountGuards(stored)).toEqual({ ...DEFAULT_ACCOUNT_GUARDS, quietFrom: '21:30', accountDailyCap: 50 })
  })
})

describe('a rule on a change', () => {
  const start = (given: Partial<Parameters<typeof mayStart>[0]>) =>
    mayStart({ automationId: 1, cause: null, runsOnRecord: [], now: AT.now, ...given })

  it('starts when a person made it', () => {
    expect(start({})).toEqual({ outcome: 'go' })
  })

  it('does not start on its own change', () => {
    expect(start({ cause: { automationId: 1, hop: 0 } })).toMatchObject({ outcome: 'skip' })
  })

  it('starts on the change of another, up to three in a row', () => {
    expect(start({ cause: { automationId: 2, hop: 0 } })).toEqual({ outcome: 'go' })
    expect(start({ cause: { automationId: 2, hop: 2 } })).toEqual({ outcome: 'go' })
    expect(start({ cause: { automationId: 2, hop: 3 } })).toEqual({ outcome: 'hold', reason: runReason('hop_limit') })
  })

  it('is stopped when it has run three times on the record within ten minutes', () => {
    const ago = (...list: number[]) => list.map((one) => AT.now - minutes(one))
    expect(start({ runsOnRecord: ago(1, 2, 9) })).toEqual({ outcome: 'pause', reason: runReason('breaker') })
    expect(start({ runsOnRecord: ago(1, 2, 10) })).toEqual({ outcome: 'go' })
    expect(start({ runsOnRecord: ago(1, 2) })).toEqual({ outcome: 'go' })
  })
})

it.each([
  // 02:00 BST becomes 01:00 GMT at 01:00 UTC: this is the second 01:05.
  ['Europe/London', '01:30', Date.UTC(2026, 9, 25, 1, 5)],
  // 01:00 CDT becomes 00:00 CST at 05:00 UTC.
  ['America/Havana', '00:30', Date.UTC(2026, 10, 1, 5, 5)],
])(
  'quiet hours that end within the hour that comes twice end at a moment that is not quiet: %s',
  (zone, quietTo, now) => {
    const guards = { quietFrom: '20:00', quietTo, quietWeekends: false }
    const until = quietUntil(guards, { now, zone }) ?? 0
    expect(until).toBe(now + minutes(25))
    expect(quietUntil(guards, { now: until, zone })).toBeNull()
  },
)
