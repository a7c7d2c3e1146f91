import { createHash } from 'node:crypto'
import { describe, expect, it, test } from 'vitest'
import { AUDIT_ACTIONS, AUDIT_GROUPS, type AuditDetail, type AuditGroup } from '#app/domain/audit.ts'
import { newToken } from '#app/lib/token.server.ts'
import { hostOf } from '#app/lib/url.ts'
import { NO_AUDIT_FILTER } from '#tests/support/sample-views.ts'
import {
  actionsOf,
  actorText,
  asksNothingOfAudit,
  auditText,
  factsText,
  maskEmail,
  maskText,
  redactDetail,
} from './audit.ts'
import { readAuditQuery } from './audit-filter.ts'

test('every act is found under exactly one heading, and has words', () => {
  const groups = Object.keys(AUDIT_GROUPS) as AuditGroup[]
  expect(groups.flatMap(actionsOf).sort()).toEqual([...AUDIT_ACTIONS].sort())
  for (const action of AUDIT_ACTIONS) {
    expect(auditText({ action, target: 'X' })).toMatch(/^[A-Z]/)
    expect(auditText({ action, target: 'X' })).not.toContain('{')
  }
})

test('words name what it was done to, as it is written', () => {
  expect(auditText({ action: 'automation.deleted', target: '$& $1' })).toBe('Deleted the automation $& $1')
  expect(auditText({ action: 'webhook.created', target: '' })).toBe('Created the webhook for (no name)')
  expect(auditText({ action: 'of.another.version', target: 'x' })).toBe('of.another.version: x')
  expect(auditText({ action: 'constructor', target: '' })).toBe('constructor')
})

test('whoever did it is called by name where the name is known', () => {
  const staff = { 'staff-1': 'Alex Smith' }
  expect(actorText({ actor: 'staff', staffUuid: 'staff-1' }, staff)).toBe('Alex Smith')
  expect(actorText({ actor: 'staff', staffUuid: 'constructor' }, staff)).toBe('A staff member')
  expect(actorText({ actor: 'session', staffUuid: null })).toBe('A signed-in user')
  expect(actorText({ actor: 'platform', staffUuid: null })).toBe('ServiceM8')
  // An opening: ServiceM8 says who.
  expect(actorText({ actor: 'platform', staffUuid: 'staff-1' }, staff)).toBe('Alex Smith')
  expect(actorText({ actor: 'system', staffUuid: null })).toBe('Fieldhook')
  expect(actorText({ actor: 'stranger', staffUuid: null })).toBe('Not signed in')
})

test('facts are words; empty ones, and numbers for programs alone, are left out', () => {
  const facts = (action: string, detail: AuditDetail) => factsText({ action, detail }, 'Australia/Sydney')
  expect(facts('automation.changed', { automation: 3, version: 3, active: true, none: '', address: null })).toBe(
    'version 3 · switched on',
  )
  expect(facts('message.sent', { channel: 'text message', run: 5, receiver: 'NGOmOlHeJdQl' })).toBe('run 5')
  expect(facts('message.sent', { run: 5, sure: false })).toBe('run 5 · may not have arrived')
  expect(facts('sessions.ended', { count: 2, asked: 'the operator of this service' })).toBe(
    '2 browsers · asked by the operator of this service',
  )
  expect(facts('rule.created', { object: 'jobactivity', address: 'hooks.example.com' })).toBe(
    'Job Activity · hooks.example.com',
  )
  // It is the 30th in Sydney by then.
  expect(facts('customer.muted', { until: '2026-11-29T20:00:00.000Z' })).toBe('until 30 November 2026')
  const alerts = { mail: true, to: 'j…@x', weekly: false, off: 'waiting, silent', holidaysOff: true, closedDays: 2 }
  expect(facts('mail.changed', alerts)).toBe(
    'on · to j…@x · no line on Mondays · not about runs that wait, silence · silence over holidays ignored · 2 closed periods',
  )
  expect(facts('automation.created', { trigger: 'api_polling', active: false })).toBe('on a schedule · switched off')
})

test('no entry of the product shows the name of a fact with a colon', () => {
  for (const action of AUDIT_ACTIONS) {
    const detail = {
      count: 1,
      reason: 'state_used',
      run: 1,
      scopes: 1,
      status: 403,
      role: 'owner',
      mail: true,
      to: 'j…@x',
    }
    expect(factsText({ action, detail }, 'UTC')).not.toMatch(/:|_/)
  }
})

test('a resend says which events only when not all of them', () => {
  const said = (status: string) => factsText({ action: 'replay.started', detail: { count: 2, status } }, 'UTC')
  expect([said('all'), said('failed')]).toEqual(['2 events', '2 events · failed ones'])
})

test('a message is named by what it is', () => {
  const said = (channel?: string) => auditText({ action: 'message.sent', target: 'a customer' }, channel)
  expect([said('text message'), said('e-mail'), said('feed'), said()]).toEqual([
    'Sent a text to a customer',
    'Sent an e-mail to a customer',
    'Posted to the activity feed for a customer',
    'Sent a message to a customer',
  ])
})

describe('what never gets into the log', () => {
  const UUID = '0f8fad5b-d9cb-469f-a165-70867728950e'

  it.each([
    ['jane.doe@example.com', 'j…@example.com'],
    ['@example.com', '…'],
    ['nonsense', '…'],
  ])('the address %s is masked as %s', (address, masked) => {
    expect(maskEmail(address)).toBe(masked)
  })

  it.each([
    ['Call +44 7700 900123 now', 'Call [number] now'],
    ['0412 345 678', '[number]'],
    ['mail jane@example.com, please', 'mail j…@example.com, please'],
    [`key ${'a1B2'.repeat(11)} end`, 'key [secret] end'],
    [newToken(), '[secret]'],
    ['sk_live_51H8abCdEfGhIjKlMnOpQrStUvWxYz0123456789', '[secret]'],
    [createHash('sha256').update('x').digest('hex'), '[secret]'],
    ['a'.repeat(100), 'a'.repeat(100)],
    ...[
      'Follow-up_for-customers-who-have-not-paid-since-2024-invoices',
      'RemindCustomersWhoHaveNotPaidAfterDays30',
    ].map((name) => [name, name]),
    ['https://user:pw@hooks.zapier.com/hooks/catch/123/abc?token=s', 'hooks.zapier.com'],
    [`customer ${UUID}`, `customer ${UUID}`],
    ['2026-01-05 09:00', '2026-01-05 09:00'],
    ['line\nbreak\u202eright to left', 'line break right to left'],
  ])('%j becomes %j', (text, masked) => {
    expect(maskText(text)).toBe(masked)
  })

  it('no text is longer than 200 characters, however it was before', () => {
    expect(maskText('word '.repeat(100_000))).toHaveLength(200)
    for (const hostile of ['+'.repeat(100_000), '0 '.repeat(50_000), '@'.repeat(100_000), 'http://'.repeat(20_000)]) {
      expect(maskText(hostile).length).toBeLessThanOrEqual(200)
    }
  })

  it('a fact that is called a secret is left out, others are masked, and there are few', () => {
    expect(redactDetail({ token: 'x', key: 'y', signingSecret: 'z', to: 'jane@example.com', count: 3 })).toEqual({
      to: 'j…@example.com',
      count: 3,
    })
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`fact${n}`, n]))
    expect(Object.keys(redactDetail(many))).toHaveLength(12)
  })

  it('of an address only the host', () => {
    expect(hostOf('https://hooks.example.com:8443/secret/path?key=1')).toBe('hooks.example.com:8443')
    expect(hostOf('no address', '')).toBe('')
  })
})

describe('the filter', () => {
  const read = (query: string, zone = 'UTC') => readAuditQuery(new URLSearchParams(query), zone)

  it('asks for everything when it says nothing', () => {
    expect(read('')).toEqual({
      outcome: 'ok',
      form: NO_AUDIT_FILTER,
      before: '',
      query: { actions: null, outcome: null, since: null, until: null, before: null, limit: 50 },
    })
    expect(asksNothingOfAudit(NO_AUDIT_FILTER)).toBe(true)
  })

  it('takes days of the account, the last one whole', () => {
    expect(read('from=2026-01-05&until=2026-01-05', 'Australia/Brisbane')).toMatchObject({
      query: { since: Date.UTC(2026, 0, 4, 14), until: Date.UTC(2026, 0, 5, 14) },
    })
    // The clocks go back in between.
    expect(read('until=2026-10-25', 'Europe/London')).toMatchObject({ query: { until: Date.UTC(2026, 9, 26) } })
  })

  it('knows the acts under a heading', () => {
    expect(read('group=messages&outcome=failed&before=12')).toMatchObject({
      query: { actions: ['message.sent', 'message.tested'], outcome: 'failed', before: 12 },
    })
  })

  it.each([
    ['group=constructor', 'group'],
    ['outcome=maybe', 'outcome'],
    ['from=2026-02-30', 'from'],
    ['until=yesterday', 'until'],
    ['before=-1', 'before'],
    ['before=99999999999999999999', 'before'],
  ])('%s is refused with a word about it', (query, field) => {
    const answer = read(query)
    expect(answer.outcome === 'invalid' && Object.keys(answer.errors)).toEqual([field])
  })
})
