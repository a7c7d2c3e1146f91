import { describe, expect, test } from 'vitest'
import type { NoticeSubject } from '#app/domain/notices/notice.ts'
import { mailChoiceForm, namedChoices } from './mail-form.ts'
import { type MailFacts, noticeMail } from './notice-mail.ts'
import { mailableReason, noticeReason, noticeReasonText, untoldOf } from './notice-reasons.ts'
import { cardOf, namesText, noticeTitle, topicOf } from './notice-text.ts'

const NOW = Date.UTC(2026, 10, 21, 9, 30)
const RULE = { kind: 'rule', automationId: 3, name: 'Thank the customer' } as const
const ACCOUNT = { kind: 'account' } as const
const WEBHOOK = { kind: 'endpoint', objectType: 'jobactivity', webhookId: 4, rule: null } as const
const EXTRA = { kind: 'endpoint', objectType: 'job', webhookId: null, rule: { id: 7, name: 'Office copy' } } as const
const title = (
  subject: NoticeSubject,
  kind: Parameters<typeof noticeTitle>[0]['kind'],
  reason = noticeReason('waiting'),
  count = 1,
) => noticeTitle({ subject, kind, count, reason })

describe('a title', () => {
  test('names whom it is about, and what happened', () => {
    expect(title(WEBHOOK, 'failing')).toBe('Job Activity webhook started failing')
    expect(title(EXTRA, 'stopped')).toBe('Office copy rule was stopped')
    expect(title(WEBHOOK, 'recovered')).toBe('Job Activity webhook works again')
    expect(title(RULE, 'failing')).toBe('Thank the customer failed')
    expect(title(RULE, 'failing', undefined, 3)).toBe('Thank the customer failed 3 times')
    expect(title(RULE, 'waiting', undefined, 1)).toBe('Thank the customer has 1 run waiting for you')
    const silent = noticeReason('silent', { days: 9, usually: 'twice a week' })
    expect(title(RULE, 'silent', silent)).toBe('Thank the customer has not run for 9 days, usually twice a week')
    expect(title(ACCOUNT, 'plan', noticeReason('plan', { hold: 'trial_ended', rules: 'A' }))).toBe(
      'Your automations and forwarding stand still. Trial ended: subscribe to resume',
    )
    const alone = (hold: string) => title(ACCOUNT, 'plan', noticeReason('plan', { hold, rules: '' }))
    expect(alone('payment_failed')).toBe('Your webhooks stand still. Payment failed: pay to resume')
    expect(alone('past_due')).toBe('Your webhooks stop within 7 days. Your last payment failed')
    expect([cardOf(WEBHOOK), cardOf(EXTRA)]).toEqual([4, 'rule-7'])
  })

  test('decides which choice an e-mail falls under', () => {
    expect([topicOf(WEBHOOK, 'failing'), topicOf(RULE, 'recovered'), topicOf(RULE, 'silent')]).toEqual([
      'webhooks',
      'failing',
      'silent',
    ])
    expect([topicOf(ACCOUNT, 'recovered'), topicOf(ACCOUNT, 'weekly')]).toEqual(['account', null])
  })

  test('lists names, and counts the rest', () => {
    expect([namesText([]), namesText(['A']), namesText(['A', 'B', 'C'])]).toEqual(['', 'A', 'A, B and C'])
    expect(namesText(['A', 'B', 'C', 'D'], 2)).toBe('A, B and 2 more')
  })
})

describe('the line of the week', () => {
  const line = (rules: number, unwell: number, messages: number, failures: number) =>
    noticeReasonText(noticeReason('weekly', { rules, unwell, messages, failures }))
  test('says how many are well', () => {
    expect(line(7, 0, 31, 0)).toBe('All 7 automations are working: 31 messages, 0 failures.')
    expect(line(1, 0, 1, 1)).toBe('Your automation is working: 1 message, 1 failure.')
    expect(line(7, 2, 31, 4)).toBe('2 of your 7 automations need you: 31 messages, 4 failures.')
    expect(line(7, 1, 31, 4)).toBe('1 of your 7 automations needs you: 31 messages, 4 failures.')
  })
})

describe('an e-mail about an automation', () => {
  const facts = (over: Partial<MailFacts>): MailFacts => ({
    ...{ kind: 'failing', subject: RULE, accountName: 'Leeds Electrical', since: NOW - 960_000, count: 3 },
    ...{ troubleSince: null, waiting: 0, next: null, link: 'https://x.example/a', timezone: 'Europe/London' },
    reason: noticeReason('run_failed', {
      step: 1,
      action: 'Send SMS',
      why: 'invalid',
      said: '+447700900001 is not one',
    }),
    ...over,
  })

  test('holds the name, the number and a link, and nothing of a customer', () => {
    expect(noticeMail(facts({}), NOW)).toEqual({
      subject: 'Thank the customer failed 3 times',
      text: [
        'Thank the customer failed 3 times since 09:14.',
        'Step 1, Send SMS: ServiceM8 rejected the values.',
        'Open it: https://x.example/a',
        'Fieldhook wrote this for Leeds Electrical. To stop these e-mails, open “Notices by e-mail” in the Webhook Manager.',
      ].join('\n\n'),
    })
    expect(noticeMail(facts({ reason: 'Words of somebody else: Margaret' }), NOW).text).not.toContain('Margaret')
    expect(mailableReason(noticeReason('waiting'))).toEqual({ code: 'waiting' })
  })

  test('about the plan says once why all of it stands still, and what comes back', () => {
    const reason = noticeReason('plan', { hold: 'payment_failed', rules: 'A and B' })
    const end =
      'Fieldhook wrote this for Leeds Electrical. To stop these e-mails, open “Notices by e-mail” in the Webhook Manager.'
    expect(noticeMail(facts({ kind: 'plan', subject: ACCOUNT, reason }), NOW)).toEqual({
      subject: 'Your automations and forwarding stand still. Payment failed: pay to resume',
      text: [
        'Your automations and forwarding stand still. Payment failed: pay to resume.',
        'An owner does that: open Fieldhook from ServiceM8. Events of the last 72 hours go out then. It stops: A and B.',
        'Open it: https://x.example/a',
        end,
      ].join('\n\n'),
    })
    const over = facts({
      kind: 'recovered',
      subject: ACCOUNT,
      reason: { code: 'account_works' },
      troubleSince: NOW,
    })
    expect(noticeMail(over, NOW).text).toContain('run again since 09:14.\n\nThey had stood still since 09:30.')
  })

  test('of silence asks why', () => {
    const reason = noticeReason('silent', { days: 9, usually: 'twice a week' })
    expect(noticeMail(facts({ kind: 'silent', reason }), NOW).text).toContain('See why: https://x.example/a')
  })
})

describe('the choices', () => {
  test('an old form changes only what it has; a whole one says every box', () => {
    expect(mailChoiceForm.parse({ byMail: 'yes', email: '' })).toEqual({ byMail: true, email: null })
    const whole = {
      all: 'yes',
      byMail: 'yes',
      email: '',
      topic_failing: 'yes',
      weekly: 'yes',
      closedDays: '2026-12-24',
    }
    expect(mailChoiceForm.parse(whole)).toEqual({
      ...{ byMail: true, email: null, weekly: true, holidaysOff: false },
      topicsOff: ['webhooks', 'waiting', 'silent', 'account'],
      closedDays: [{ from: '2026-12-24', to: '2026-12-24' }],
    })
    const wrong = mailChoiceForm.safeParse({ ...whole, closedDays: 'soon' })
    expect(wrong.error?.issues[0]).toMatchObject({ path: ['closedDays'], message: expect.stringContaining('“soon”') })
  })

  test('name what is changed, and each topic once', () => {
    const changed = namedChoices({
      topicsOff: ['silent', 'failing', 'silent'],
      byMail: undefined,
    })
    expect(changed).toEqual({ topicsOff: ['failing', 'silent'] })
  })
})

test('the operator hears of notices that reached nobody, not of those that were not to be sent', () => {
  const ends = [
    { code: 'sent', count: 9 },
    { code: 'off', count: 3 },
    { code: 'not_connected', count: 2 },
  ]
  expect(untoldOf(ends)).toEqual({ count: 2, bySmtp: false })
  expect(untoldOf([...ends, { code: 'smtp_refused', count: 1 }])).toEqual({ count: 3, bySmtp: true })
})
