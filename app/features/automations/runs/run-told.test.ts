import { describe, expect, test } from 'vitest'
import type { JournalRow } from '#app/domain/automations/journal-row.ts'
import type { Step } from '#app/domain/automations/rule.ts'
import { runReason } from '#app/domain/automations/run-reasons.ts'
import type { Reason } from '#app/domain/reason.ts'
import { mailableReason, noticeReasonText } from '#app/features/notices/notice-reasons.ts'
import { minutes } from '#app/lib/duration.ts'
import { JOURNAL_CLASSES } from '../rules/journal.ts'
import { toldByRun, toldByWait } from './run.server.ts'

const STEPS: Step[] = [
  { id: 'a', type: 'create_task', parameters: {}, waitForPrevious: false },
  { id: 'b', type: 'send_sms', parameters: {}, waitForPrevious: false },
]
const row = (stepId: string, over: Partial<JournalRow>): JournalRow => ({
  ...{ stepId, itemKey: '0', seq: 1, state: 'sent', attempt: 1, clientUuid: 'u', notes: null, result: null, tries: [] },
  ...{ released: false, errorClass: null, sentence: null, nextAttemptAt: null, plannedAt: 0, sendingAt: 0, endedAt: 0 },
  effect: { kind: 'none', class: 'none', summary: '' },
  ...over,
})
const REFUSED = row('b', { state: 'failed', errorClass: 'invalid', sentence: 'ServiceM8 refused +447700900001: "No"' })

describe('the end of a run', () => {
  test('tells the step that failed first, and why: the same for the next customer', () => {
    const told = toldByRun('partial', null, STEPS, [row('a', {}), REFUSED])
    expect(told).toMatchObject([{ fingerprint: 'failing:2:invalid' }])
    const other = { ...REFUSED, sentence: 'ServiceM8 refused +447700900002: "No"' }
    expect(toldByRun('failure', null, STEPS, [other])).toMatchObject([{ fingerprint: 'failing:2:invalid' }])
    const [{ reason } = { reason: '' as Reason }] = told === 'works' ? [] : told
    expect(noticeReasonText(reason)).toBe('Step 2, Send SMS: ServiceM8 refused +447700900001: "No"')
    // What ServiceM8 said may name a customer.
    expect(noticeReasonText(mailableReason(reason))).toBe('Step 2, Send SMS: ServiceM8 rejected the values.')
  })

  test('goes by the code where there is one', () => {
    const failed = row('a', { state: 'failed', errorClass: 'not_done', sentence: runReason('never_done') })
    expect(toldByRun('failure', null, STEPS, [failed])).toMatchObject([{ fingerprint: 'failing:1:never_done' }])
  })

  test('says nothing when a message may have been sent: a person decides', () => {
    expect(toldByRun('partial', null, STEPS, [row('b', { state: 'unknown', errorClass: 'unclear' })])).toEqual([])
  })

  test('says that it works only when something was done', () => {
    expect(toldByRun('success', null, STEPS, [row('a', {})])).toBe('works')
    const empty = row('b', { state: 'skipped', errorClass: JOURNAL_CLASSES.valueMissing })
    expect(toldByRun('success', null, STEPS, [row('a', {}), empty])).toBe('works')
    const notBegun = row('c', { state: 'skipped', errorClass: JOURNAL_CLASSES.previousFailed })
    expect(toldByRun('success', null, STEPS, [row('a', {}), empty, notBegun])).toEqual([])
    expect(toldByRun('nothing', null, STEPS, [])).toEqual([])
    expect(toldByRun('cancelled', null, STEPS, [REFUSED])).toEqual([])
  })

  test('tells of a run that could not even begin', () => {
    expect(toldByRun('failure', runReason('version_gone'), [], [])).toMatchObject([
      { fingerprint: 'failing:0:version_gone' },
    ])
  })

  test('of a step that is no longer there still says something', () => {
    expect(toldByRun('failure', null, [], [{ ...REFUSED, errorClass: null }])).toMatchObject([
      { fingerprint: 'failing:0:other' },
    ])
  })
})

describe('a run that waits for its next try', () => {
  const failing = (over: Partial<JournalRow>) =>
    row('a', { state: 'failed', errorClass: 'unavailable', attempt: 4, nextAttemptAt: 9, endedAt: 5, ...over })
  const unclear = { state: 'sending', errorClass: 'unclear', endedAt: null } as const

  test.each([
    ['goes on failing', {}, 'failing:1:unavailable'],
    ['may or may not be done', unclear, 'failing:1:unclear'],
    [
      'may be done, and cannot be looked at',
      { ...unclear, attempt: 1, sendingAt: 5 - minutes(12) },
      'failing:1:unclear',
    ],
    ['may be done since a short time', { ...unclear, attempt: 1, sendingAt: 6 - minutes(12) }, undefined],
    ['failed for good at its first try', { attempt: 1, nextAttemptAt: null }, 'failing:1:unavailable'],
    ['failed for a short time', { attempt: 3 }, undefined],
    ['failed before this turn', { endedAt: 4 }, undefined],
    ['is being sent', { ...unclear, nextAttemptAt: null }, undefined],
  ] as const)('tells of a step that %s', (_what, over, fingerprint) => {
    const told = toldByWait(STEPS, [failing(over as Partial<JournalRow>)], 5)
    expect(told).toMatchObject(fingerprint === undefined ? [] : [{ fingerprint }])
    expect(told).toHaveLength(fingerprint === undefined ? 0 : 1)
  })

  test('tells what failed in this turn before what is still unclear', () => {
    const told = toldByWait(STEPS, [failing(unclear), failing({ stepId: 'b' })], 5)
    expect(told).toMatchObject([{ stepId: 'b', fingerprint: 'failing:2:unavailable' }, { stepId: 'a' }])
  })

  test('tells each reason once: an outage that several steps meet is one trouble', () => {
    const both = [failing({}), failing({ stepId: 'b' })]
    expect(toldByWait(STEPS, both, 5)).toMatchObject([{ fingerprint: 'failing:1:unavailable' }])
    expect(toldByRun('failure', null, STEPS, [...both, REFUSED])).toMatchObject([{ stepId: 'a' }, { stepId: 'b' }])
  })
})
