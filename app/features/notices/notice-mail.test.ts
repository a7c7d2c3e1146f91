import { describe, expect, test } from 'vitest'
import type { AfterMail } from '#app/domain/notices/notice.ts'
import { hours, minutes } from '#app/lib/duration.ts'
import { mailChoiceChange, mailChoiceForm } from './mail-form.ts'
import { afterMail, again, type MailAnswer, type MailFacts, mailProblem, mailSaid, noticeMail } from './notice-mail.ts'
import { MAIL_PROBLEM_TEXTS, MAIL_REASON_TEXTS, mailReason, mailReasonText } from './notice-reasons.ts'

const NOW = Date.UTC(2026, 10, 21, 9, 30)
const CONNECTED = { state: 'connected', scope: 'vendor read_jobs publish_email' } as const

describe('whether an e-mail can be sent', () => {
  test('it can with the permission, and where the platform did not say which it gave', () => {
    expect(mailProblem(CONNECTED)).toBeNull()
    expect(mailProblem({ state: 'connected', scope: '' })).toBeNull()
  })

  test('otherwise it says why, and what to do', () => {
    const said = (...asked: Parameters<typeof mailProblem>) =>
      MAIL_PROBLEM_TEXTS[mailProblem(...asked) ?? 'not_allowed']
    expect(said({ state: 'connected', scope: 'vendor publish_sms' })).toContain('may not send e-mails')
    expect(said({ ...CONNECTED, state: 'reconnect' })).toContain('not connected')
    expect(said(null)).toContain('Sign in again')
  })
})

describe('after a try', () => {
  const after = (answer: MailAnswer, tries = 1, at = NOW) =>
    said(afterMail(answer, { to: 'a@b.example', tries, at }, NOW))
  const said = ({ reason, ...rest }: AfterMail) => ({ ...rest, sentence: mailReasonText(reason) })
  const down = { outcome: 'unavailable', status: 503, message: 'Down for maintenance', undone: true } as const

  test('it was sent when the platform gave an id', () => {
    expect(after({ outcome: 'ok' })).toEqual({ state: 'sent', sentence: 'E-mail sent to a@b.example.' })
  })

  test('a clear failure of the platform is tried again, each time later, five times', () => {
    const gaps = [1, 2, 3, 4, 5].map((tries) => {
      const next = after(down, tries)
      return 'dueAt' in next ? (Number(next.dueAt) - NOW) / minutes(1) : next.state
    })
    expect(gaps).toEqual([1, 5, 15, 60, 240])
    expect(after(down, 6)).toEqual({ state: 'failed', sentence: 'No e-mail: Down for maintenance.' })
  })

  test('what certainly sent nothing is tried again, what may have sent it never', () => {
    const silent = { outcome: 'unavailable', status: null, message: 'No answer.' } as const
    expect(after(silent)).toEqual({ state: 'failed', sentence: MAIL_REASON_TEXTS.unclear })
    expect(after({ ...silent, status: 502 })).toEqual({ state: 'failed', sentence: MAIL_REASON_TEXTS.unclear })
    expect(after({ ...silent, undone: true })).toMatchObject({ state: 'pending' })
  })

  test('a limit of the platform is waited for', () => {
    const limited = { outcome: 'rate_limited', message: 'Throttled', retryAt: NOW + hours(1) } as const
    expect(after(limited)).toMatchObject({ state: 'pending', dueAt: NOW + hours(1) })
    expect(after({ ...limited, retryAt: NOW + hours(30) })).toMatchObject({ state: 'failed' })
  })

  test('it ends while it is still news', () => {
    expect(after(down, 1, NOW - hours(24))).toMatchObject({ state: 'failed' })
    expect(after(down, 1, NOW - hours(23))).toMatchObject({ state: 'pending' })
  })

  test.each(['refused', 'forbidden', 'suspended', 'unauthorized', 'not_connected', 'reconnect'] as const)(
    'a refusal (%s) ends it with its words',
    (outcome) => {
      expect(after({ outcome, message: 'x is not a valid email address' })).toEqual({
        state: 'failed',
        sentence: 'No e-mail: x is not a valid email address.',
      })
    },
  )

  test('asking for the address in vain is tried again like that', () => {
    expect(said(again('Down', { tries: 1, at: NOW }, NOW))).toEqual({
      state: 'pending',
      dueAt: NOW + minutes(1),
      sentence: 'We retry the e-mail: Down.',
    })
    expect(again('Down', { tries: 6, at: NOW }, NOW)).toMatchObject({ state: 'failed' })
  })
})

test('an e-mail on its way is not called unclear', () => {
  const unclear = mailReason('unclear')
  expect(mailSaid(unclear, NOW - 5, NOW)).toBe('An e-mail is being sent.')
  expect(mailSaid(unclear, NOW - minutes(1), NOW)).toBe(MAIL_REASON_TEXTS.unclear)
  expect(mailSaid(mailReason('sent', { to: 'a@b.example' }), NOW, NOW)).toBe('E-mail sent to a@b.example.')
  expect(mailSaid('E-mail sent to a@b.example.', NOW, NOW)).toBe('E-mail sent to a@b.example.')
  expect(mailSaid(null, NOW, NOW)).toBeNull()
})

describe('what it says', () => {
  const facts = (over: Partial<MailFacts> = {}): MailFacts => ({
    kind: 'failing',
    subject: { kind: 'endpoint', objectType: 'job', webhookId: 1, rule: null },
    accountName: 'Leeds Electrical',
    reason: 'Your address answered 404. Is the scenario switched on?',
    count: 1,
    since: NOW - minutes(16),
    troubleSince: null,
    waiting: 3,
    next: 'Open the Zap in Zapier and switch it on. Copy its address again.',
    link: 'https://fieldhook.example/fieldhook?accountUUID=a#webhook-1',
    timezone: 'Europe/London',
    ...over,
  })

  test('what happened, since when, how many wait, what to do, where', () => {
    expect(noticeMail(facts(), NOW)).toEqual({
      subject: 'Your Job webhook is failing',
      text: [
        'Your Job webhook has been failing since 09:14.',
        'Your address answered 404. Is the scenario switched on?',
        '3 events are waiting.',
        'Open the Zap in Zapier and switch it on. Copy its address again.',
        'Open it: https://fieldhook.example/fieldhook?accountUUID=a#webhook-1',
        'Fieldhook wrote this for Leeds Electrical. To stop these e-mails, open “Notices by e-mail” in the Webhook Manager.',
      ].join('\n\n'),
    })
  })

  test('that it was stopped, with the way back', () => {
    const mail = noticeMail(facts({ kind: 'stopped', next: null, waiting: 0, accountName: '' }), NOW)
    expect(mail.subject).toBe('Your Job webhook was stopped')
    expect(mail.text).toContain('was stopped at 09:14.')
    expect(mail.text).toContain('press “Start again”')
    expect(mail.text).not.toContain('waiting')
    expect(mail.text).toContain('wrote this for your account.')
  })

  test('that it works again, and since when it had not', () => {
    const subject = { kind: 'endpoint', objectType: 'job', webhookId: null, rule: { id: 2, name: 'Office' } } as const
    const recovered = facts({ kind: 'recovered', subject, troubleSince: NOW - hours(26), waiting: 1, next: null })
    expect(noticeMail(recovered, NOW)).toEqual({
      subject: 'Your Office rule works again',
      text: expect.stringMatching(/working again since 09:14\.\n\nIt had not worked since 20 Nov, 07:30\./),
    })
    expect(noticeMail(recovered, NOW).text).toContain('1 event is waiting and being sent now.')
  })
})

describe('what is entered', () => {
  test('on the form: a box and perhaps an address', () => {
    expect(mailChoiceForm.parse({ byMail: 'yes', email: ' me@example.com ' })).toEqual({
      byMail: true,
      email: 'me@example.com',
    })
    expect(mailChoiceForm.parse({ email: '' })).toEqual({ byMail: false, email: null })
    expect(mailChoiceForm.parse({})).toEqual({ byMail: false, email: null })
  })

  test('by call: what is not named does not change', () => {
    expect(mailChoiceChange.parse({})).toEqual({})
    expect(mailChoiceChange.parse({ email: null, byMail: false })).toEqual({ email: null, byMail: false })
    expect(mailChoiceChange.safeParse({ byMail: 'yes' }).success).toBe(false)
    expect(mailChoiceChange.safeParse({ noticeEmail: 'a@b.example' }).success).toBe(false)
  })

  test.each([
    ['me'],
    ['a@b.example, c@d.example'],
    ['a@b.example\nbcc: x@y.example'],
    [`${'a'.repeat(250)}@b.example`],
  ])('an address such as %j is refused', (email) => {
    expect(mailChoiceForm.safeParse({ email }).error?.issues[0]?.message).toBe(
      'Enter one e-mail address, such as office@example.com',
    )
  })
})
