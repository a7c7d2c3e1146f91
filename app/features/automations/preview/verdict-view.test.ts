import { describe, expect, test } from 'vitest'
import type { PollTrigger, RuleDefinition, WebhookTrigger } from '#app/domain/automations/rule.ts'
import { SAMPLE_RULE } from '#tests/support/sample-runs.ts'
import { inOrder, readAskedRecord, type WhyFacts, type WhyRule, whyView } from './verdict-view.ts'

const ON_STATUS: WebhookTrigger = {
  source: 'webhook',
  object: 'job',
  type: 'job_status',
  webhookSubscriptionId: null,
  jobUuid: null,
  queueUuid: null,
  fieldName: null,
  fromValue: null,
  settleMinutes: 0,
}
const DAILY: PollTrigger = {
  source: 'api_polling',
  endpoint: '/api_1.0/job.json',
  method: 'GET',
  interval: 'daily',
  runTime: '10:00',
  weekday: 1,
  dayOfMonth: 1,
  workingDays: false,
  scheduleType: 'recurring',
  scheduleDate: null,
  scheduleRecurrence: null,
}

function aRuleOf(trigger: RuleDefinition['trigger'], more: Partial<WhyRule> = {}): WhyRule {
  return {
    id: 7,
    name: 'Rule',
    active: true,
    pausedReason: null,
    baselined: true,
    nextRunAt: null,
    updatedAt: 0,
    definition: { ...SAMPLE_RULE, trigger },
    ...more,
  }
}

const NOTHING: WhyFacts = { verdict: null, ledger: null, run: null, now: null }
const why = (rule: WhyRule, facts: Partial<WhyFacts>) => whyView(rule, { ...NOTHING, ...facts })
const noted = (verdict: string, detail: unknown = null, runId: number | null = null) => ({
  verdict,
  detail: detail === null ? null : JSON.stringify(detail),
  at: 50,
  runId,
})
const FAILED = [{ field: 'status', operator: 'equals', value: 'Completed', seen: 'Quote' }] as const

describe('what a rule noted', () => {
  test('a firing leads to its run', () => {
    expect(why(aRuleOf(ON_STATUS), { verdict: noted('fired', null, 12) })).toMatchObject({
      standing: 'fired',
      runId: 12,
      at: 50,
    })
  })

  test.each([
    ['fired', { standing: 'success', happened: 'Sent.' }, { standing: 'fired', words: [] }],
    ['fired', { standing: 'cancelled', happened: 'Cancelled.' }, { standing: 'cancelled', words: ['Cancelled.'] }],
    ['held', { standing: 'success', happened: 'Sent.' }, { standing: 'fired', words: [] }],
    ['held', { standing: 'held', happened: 'It asks.' }, { standing: 'held', words: ['It asks.'] }],
  ] as const)('a %s run that is now %j is told as what it is', (verdict, run, told) => {
    expect(why(aRuleOf(ON_STATUS), { verdict: noted(verdict, null, 12), run })).toMatchObject({ ...told, runId: 12 })
    expect(why(aRuleOf(DAILY), { ledger: { runId: 12, at: 3 }, run })).toMatchObject({ ...told, runId: 12 })
  })

  test('conditions that were not met are told with the value seen', () => {
    const view = why(aRuleOf(ON_STATUS), { verdict: noted('not_matched', { failed: FAILED }) })
    expect(view.standing).toBe('not_met')
    expect(view.failed).toEqual(['"Status" is Quote. The automation needs: its status is Completed.'])
  })

  test('a change of mind since then is told too', () => {
    const view = why(aRuleOf(ON_STATUS), {
      verdict: noted('not_matched', { failed: FAILED }),
      now: { matched: true },
    })
    expect(view.words).toContain('Right now they are met: the next change starts it.')
  })

  test.each([
    ['not_triggered', 'not_yet'],
    ['first_sight', 'passed_over'],
    ['own_change', 'passed_over'],
    ['muted', 'passed_over'],
    ['held', 'held'],
  ])('%s keeps its own sentence', (verdict, standing) => {
    const view = why(aRuleOf(ON_STATUS), { verdict: noted(verdict, { sentence: 'Because of that.' }) })
    expect(view).toMatchObject({ standing, words: ['Because of that.'] })
  })

  test('what starts on new records never comes for one that is not new', () => {
    const rule = aRuleOf({ ...ON_STATUS, type: 'job_created' })
    const verdict = noted('not_triggered', { sentence: 'The job is not new.' })
    expect(why(rule, { verdict })).toMatchObject({ standing: 'passed_over', words: ['The job is not new.'] })
  })

  test('a note nobody can read is as good as none', () => {
    const verdict = { verdict: 'not_triggered', detail: '{oops', at: 1, runId: null }
    expect(why(aRuleOf(ON_STATUS), { verdict }).words).toEqual(['This change does not start it.'])
  })
})

describe('without a note', () => {
  test('a rule on events has heard of nothing', () => {
    const view = why(aRuleOf(ON_STATUS), { now: { matched: true } })
    expect(view.standing).toBe('not_yet')
    expect(view.words).toEqual([
      'No change of this record since it was switched on.',
      'Right now its conditions are met.',
    ])
  })

  test('a rule that looks is judged on the record as it is now', () => {
    const rule = aRuleOf(DAILY, { nextRunAt: 900 })
    expect(why(rule, { now: { matched: false, failed: FAILED } })).toMatchObject({
      standing: 'not_met',
      failed: ['"Status" is Quote. The automation needs: its status is Completed.'],
      nextAt: 900,
    })
    expect(why(rule, { now: { matched: true } }).standing).toBe('not_yet')
  })

  test('a rule that has checked since it was switched on does not say that it has not', () => {
    const day = (date: number, hour: number) => Date.UTC(2026, 0, date, hour)
    const words = (nextRunAt: number) =>
      why(aRuleOf(DAILY, { updatedAt: day(5, 9), nextRunAt }), { now: { matched: true } }).words
    const now = 'Right now its conditions are met.'
    expect(words(day(5, 10))).toEqual(['It has not checked this record yet. See its next check.', now])
    expect(words(day(6, 10))).toEqual(['At its last check, it did not start. See its next check.', now])
  })

  test('what was there when the rule was switched on was left alone', () => {
    const view = why(aRuleOf(DAILY), { ledger: { runId: null, at: 3 }, now: { matched: true } })
    expect(view).toMatchObject({ standing: 'passed_over', at: 3 })
  })

  test('what the ledger remembers was done', () => {
    expect(why(aRuleOf(DAILY), { ledger: { runId: 8, at: 3 } })).toMatchObject({ standing: 'fired', runId: 8 })
  })

  test('a rule that is off says so first', () => {
    const off = why(aRuleOf(DAILY, { active: false, nextRunAt: 900 }), { now: { matched: true } })
    expect(off).toMatchObject({ standing: 'off', nextAt: null })
    expect(off.words).toEqual(['The automation is switched off.', 'Right now its conditions would be met.'])
    const paused = why(aRuleOf(ON_STATUS, { pausedReason: 'It ran in circles.' }), {})
    expect(paused.words[0]).toBe('The automation is stopped. It ran in circles.')
  })
})

test('what is closest to having happened stands first', () => {
  const views = [
    why(aRuleOf(ON_STATUS, { active: false }), {}),
    why(aRuleOf(ON_STATUS), { verdict: noted('fired', null, 1), run: { standing: 'nothing', happened: 'No.' } }),
    why(aRuleOf(ON_STATUS), { verdict: noted('fired', null, 1) }),
    why(aRuleOf(ON_STATUS), { verdict: noted('not_matched', { failed: FAILED }) }),
  ]
  expect(inOrder(views).map((view) => view.standing)).toEqual(['nothing', 'fired', 'not_met', 'off'])
})

test.each([
  ['4411', { by: 'number', number: '4411' }],
  [' #4411 ', { by: 'number', number: '4411' }],
  ['Job 4411', { by: 'number', number: '4411' }],
  ['A-17/2', { by: 'number', number: 'A-17/2' }],
  ['11111111-0000-4000-8000-00000000000A', { by: 'uuid', uuid: '11111111-0000-4000-8000-00000000000a' }],
  ["4411' or '1", null],
  ['', null],
  ['a b', null],
])('%s is read', (text, read) => {
  expect(readAskedRecord(text)).toEqual(read)
})
