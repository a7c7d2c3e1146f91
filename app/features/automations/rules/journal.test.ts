import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { CommitResult, EffectClass, VerifyResult } from '#app/domain/automations/effect.ts'
import type { JournalRow } from '#app/domain/automations/journal-row.ts'
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import { anEffect, aRow, NOW, sending } from '#tests/support/journal-rows.ts'
import {
  afterCommit,
  afterGuardPutOff,
  afterPlanPutOff,
  afterVerify,
  BLOCKED_GAP,
  isDeliberate,
  isOpen,
  outcomeOf,
  RETRY_GAPS,
  type RowChange,
  rowNext,
  triesAfter,
  WAIT_AT_MOST,
} from './journal.ts'

const CLASSES: EffectClass[] = ['set', 'create', 'document', 'customer', 'staff', 'webhook']
const next = (row: JournalRow, siblings: JournalRow[] = [row]) => rowNext(row, siblings, NOW)

test.each(CLASSES)('what is planned is sent, whatever its class: %s', (effectClass) => {
  expect(next(aRow({ effect: anEffect(effectClass) }))).toEqual({ next: 'send' })
})

test('what waits is not touched before its moment, and is sent at it', () => {
  expect(next(aRow({ nextAttemptAt: NOW + 1 }))).toEqual({ next: 'wait', until: NOW + 1, blocks: false })
  expect(next(aRow({ nextAttemptAt: NOW }))).toEqual({ next: 'send' })
  expect(next(aRow({ state: 'failed', nextAttemptAt: NOW + 1 }))).toMatchObject({ next: 'wait' })
  expect(next(aRow({ state: 'failed', nextAttemptAt: NOW }))).toEqual({ next: 'send' })
})

test('what quiet hours postponed is planned again at its moment, unless it or one beside it was attempted', () => {
  const moved = aRow({ errorClass: 'moved', nextAttemptAt: NOW })
  expect(next({ ...moved, nextAttemptAt: NOW + 1 })).toMatchObject({ next: 'wait' })
  expect(next(moved, [moved, { ...moved, itemKey: '1' }])).toEqual({ next: 'plan' })
  expect(next(moved, [moved, aRow({ itemKey: '1', state: 'sent' })])).toEqual({ next: 'send' })
  expect(next({ ...moved, attempt: 1 })).toEqual({ next: 'send' })
  expect(next({ ...moved, sendingAt: NOW - 1 })).toEqual({ next: 'send' })
})

test.each(['limit', 'reconnect', 'scope', 'suspended'])(
  'nothing overtakes what waits because of the account: %s',
  (errorClass) => {
    expect(next(aRow({ nextAttemptAt: NOW + 1, errorClass }))).toMatchObject({ next: 'wait', blocks: true })
  },
)

test('what was being sent is looked for; a call is simply made again under its key', () => {
  for (const effectClass of CLASSES) {
    expect(next(sending(effectClass))).toEqual({ next: effectClass === 'webhook' ? 'send' : 'verify' })
  }
})

test('what is held, or may have been sent, waits for a person; what is settled is left alone', () => {
  expect(next(aRow({ state: 'held' }))).toEqual({ next: 'ask' })
  expect(next(aRow({ state: 'unknown' }))).toEqual({ next: 'ask' })
  for (const state of ['sent', 'skipped', 'failed'] as const) expect(next(aRow({ state }))).toEqual({ next: 'ended' })
})

test('a line waits for the record it belongs to, and is given up with it', () => {
  const line = aRow({ itemKey: '1', effect: anEffect('create', { job_uuid: 0 }) })
  const parent = (state: JournalRow['state']) => aRow({ effect: anEffect('create'), state })
  expect(next(line, [parent('sent'), line])).toEqual({ next: 'send' })
  expect(next(line, [parent('unknown'), line])).toEqual({ next: 'after_sibling' })
  expect(next(line, [parent('failed'), line])).toEqual({ next: 'give_up' })
  expect(next(line, [parent('skipped'), line])).toEqual({ next: 'give_up' })
})

test('a plan that could not be made is made anew', () => {
  const effect = { kind: 'none', class: 'none', summary: '' } as const
  expect(next(aRow({ effect, state: 'failed', nextAttemptAt: NOW }))).toEqual({ next: 'plan' })
})

test.each(CLASSES)('a clear no that may pass is tried at 30 s, 2, 10, 30 min, 2, 6 and 12 h: %s', (effectClass) => {
  const answer: CommitResult = { outcome: 'failed', errorClass: 'unavailable', sentence: 'Not now.', retry: true }
  const gaps = [1, 2, 3, 4, 5, 6, 7, 8].map((attempt) => afterCommit(sending(effectClass, attempt), answer, NOW))
  expect(gaps.map(({ state }) => state)).toEqual(Array(8).fill('failed'))
  expect(gaps.map(({ nextAttemptAt }) => nextAttemptAt && nextAttemptAt - NOW)).toEqual([
    seconds(30),
    minutes(2),
    minutes(10),
    minutes(30),
    hours(2),
    hours(6),
    hours(12),
    null,
  ])
})

test('a receiver that names a moment is not asked before it, and no later than is planned anyway', () => {
  const answer = { outcome: 'failed', errorClass: 'unavailable', sentence: 'Wait.', retry: true } as const
  const next = (attempt: number, wait: number) =>
    afterCommit(sending('webhook', attempt), { ...answer, notBefore: NOW + wait }, NOW).nextAttemptAt
  expect([next(1, hours(1)), next(7, hours(1)), next(8, hours(1))]).toEqual([NOW + hours(1), NOW + hours(12), null])
})

test('a clear no for good is not tried again', () => {
  const answer: CommitResult = { outcome: 'failed', errorClass: 'invalid', sentence: 'No such number.', retry: false }
  expect(afterCommit(sending('customer'), answer, NOW)).toMatchObject({
    state: 'failed',
    nextAttemptAt: null,
    sentence: 'No such number.',
  })
})

test('without an answer a message to a customer may have been sent; everything else is looked for, or repeated under its key', () => {
  const answer: CommitResult = { outcome: 'unknown', sentence: 'No answer.' }
  expect(afterCommit(sending('customer'), answer, NOW)).toMatchObject({ state: 'unknown', nextAttemptAt: null })
  for (const effectClass of ['set', 'create', 'document', 'staff'] as const) {
    expect(afterCommit(sending(effectClass), answer, NOW)).toMatchObject({
      state: 'sending',
      nextAttemptAt: NOW + seconds(30),
    })
  }
  expect(afterCommit(sending('webhook'), answer, NOW)).toMatchObject({
    state: 'failed',
    nextAttemptAt: NOW + seconds(30),
  })
})

test('a limit and a lost connection cost no try', () => {
  const limit = afterCommit(sending('customer', 3), { outcome: 'wait', until: NOW + 7_000, sentence: 'Soon.' }, NOW)
  expect(limit).toMatchObject({ state: 'planned', attempt: 2, nextAttemptAt: NOW + 7_000, errorClass: 'limit' })
  const lost = afterCommit(
    sending('set', 1),
    { outcome: 'blocked', errorClass: 'reconnect', sentence: 'Reconnect.' },
    NOW,
  )
  expect(lost).toMatchObject({
    state: 'planned',
    attempt: 0,
    nextAttemptAt: NOW + BLOCKED_GAP,
    errorClass: 'reconnect',
  })
})

test('a limit without a moment is asked again after a second, never at once', () => {
  const change = afterCommit(sending('set'), { outcome: 'wait', until: 0, sentence: 'Soon.' }, NOW)
  expect(change.nextAttemptAt).toBe(NOW + seconds(1))
})

test('what has waited two days for the account has failed', () => {
  const tries = [{ at: NOW - WAIT_AT_MOST - 1, endedAt: NOW, outcome: 'wait' as const, sentence: null }]
  const row = { ...sending('set'), tries, errorClass: 'suspended' }
  const change = afterCommit(row, { outcome: 'blocked', errorClass: 'suspended', sentence: 'Suspended.' }, NOW)
  expect(change).toMatchObject({ state: 'failed', nextAttemptAt: null })
})

test('quiet hours between two waits are no wait: what waited on Friday is not given up on Monday', () => {
  const tries = [{ at: NOW - WAIT_AT_MOST - 1, endedAt: NOW - WAIT_AT_MOST, outcome: 'wait' as const, sentence: null }]
  const moved = { ...sending('customer'), tries, errorClass: 'moved' }
  const wait = { outcome: 'wait', until: NOW + 7_000, sentence: 'Soon.' } as const
  const again = afterCommit(moved, wait, NOW)
  expect(again).toMatchObject({ state: 'planned', nextAttemptAt: NOW + 7_000 })
  expect(triesAfter(moved, again, NOW, NOW + 1).map(({ at }) => at)).toEqual([NOW - WAIT_AT_MOST - 1, NOW])
})

test('a message that cannot be judged just before it leaves waits like one that cannot be sent', () => {
  const row = aRow({ effect: anEffect('customer'), plannedAt: NOW - WAIT_AT_MOST - 1, errorClass: 'moved' })
  const lost = { errorClass: 'reconnect', sentence: 'Reconnect.', retryAt: null }
  const change = afterGuardPutOff(row, lost, NOW)
  expect(change).toMatchObject({ state: 'planned', attempt: 0, nextAttemptAt: NOW + BLOCKED_GAP })
  const waiting = { ...row, errorClass: 'reconnect', tries: triesAfter(row, change, NOW, NOW) }
  expect(afterGuardPutOff(waiting, lost, NOW + WAIT_AT_MOST)).toMatchObject({ state: 'planned' })
  expect(afterGuardPutOff(waiting, lost, NOW + WAIT_AT_MOST + 1)).toMatchObject({
    state: 'failed',
    nextAttemptAt: null,
  })
  const trouble = { errorClass: 'unavailable', sentence: 'Not now.', retryAt: null }
  expect(afterGuardPutOff(row, trouble, NOW)).toMatchObject({
    state: 'failed',
    attempt: 1,
    nextAttemptAt: NOW + 30_000,
  })
})

test('what was found done is done, and nobody sends it again', () => {
  for (const effectClass of CLASSES) {
    expect(afterVerify(sending(effectClass), { outcome: 'done', result: { uuid: 'x' } }, NOW)).toMatchObject({
      state: 'sent',
      result: { uuid: 'x' },
    })
  }
})

test('what is not there is done again, but never a message to a customer', () => {
  for (const effectClass of CLASSES) {
    const change = afterVerify(sending(effectClass), { outcome: 'not_done' }, NOW)
    if (effectClass === 'customer') expect(change).toMatchObject({ state: 'unknown' })
    else expect(change).toBe('again')
  }
})

test('where looking tells nothing, a new record is for a person, a value is set again', () => {
  const unclear: VerifyResult = { outcome: 'unclear', sentence: 'Two look like it.' }
  expect(afterVerify(sending('create'), unclear, NOW)).toMatchObject({
    state: 'unknown',
    sentence: 'Two look like it.',
  })
  expect(afterVerify(sending('customer'), unclear, NOW)).toMatchObject({ state: 'unknown' })
  for (const effectClass of ['set', 'document', 'staff'] as const) {
    expect(afterVerify(sending(effectClass), unclear, NOW)).toBe('again')
  }
})

test('a look that is not answered is taken again later, and after two days a person is asked', () => {
  const later: VerifyResult = { outcome: 'later', sentence: 'Not now.', retryAt: NOW + 5_000 }
  expect(afterVerify(sending('create'), later, NOW)).toMatchObject({ state: 'sending', nextAttemptAt: NOW + 5_000 })
  const old = { ...sending('create'), sendingAt: NOW - WAIT_AT_MOST - 1 }
  expect(afterVerify(old, later, NOW)).toMatchObject({ state: 'unknown' })
})

test('what was tried eight times and is not there has failed', () => {
  const most = RETRY_GAPS.length + 1
  expect(afterVerify(sending('set', most), { outcome: 'not_done' }, NOW)).toMatchObject({ state: 'failed' })
  expect(afterVerify(sending('set', most - 1), { outcome: 'not_done' }, NOW)).toBe('again')
})

test('a plan is put off like a try, but a named moment costs none', () => {
  const row = { attempt: 0, effect: { kind: 'none', class: 'none', summary: '' } as const, plannedAt: NOW }
  const trouble = { errorClass: 'unavailable', sentence: 'Not now.', retryAt: null }
  expect(afterPlanPutOff(row, trouble, NOW)).toMatchObject({ state: 'failed', attempt: 1, nextAttemptAt: NOW + 30_000 })
  expect(afterPlanPutOff(row, { ...trouble, retryAt: NOW + 9 }, NOW)).toMatchObject({
    state: 'planned',
    attempt: 0,
    nextAttemptAt: NOW + 9,
  })
  const lost = { errorClass: 'reconnect', sentence: 'Reconnect.', retryAt: null }
  expect(afterPlanPutOff(row, lost, NOW)).toMatchObject({
    state: 'planned',
    attempt: 0,
    nextAttemptAt: NOW + BLOCKED_GAP,
  })
  expect(afterPlanPutOff({ ...row, plannedAt: NOW - WAIT_AT_MOST - 1 }, lost, NOW)).toMatchObject({
    state: 'failed',
    nextAttemptAt: null,
  })
})

test('one wait after the other is one long wait among the tries', () => {
  const wait = (at: number): RowChange => ({
    ...afterCommit(sending('set'), { outcome: 'wait', until: at + 1, sentence: 'Soon.' }, at),
  })
  const first = triesAfter(aRow(), wait(NOW), NOW, NOW + 1)
  const second = triesAfter(aRow({ tries: first, errorClass: 'limit' }), wait(NOW + 50), NOW + 50, NOW + 60)
  expect(second).toEqual([{ at: NOW, endedAt: NOW + 60, outcome: 'wait', sentence: 'Soon.' }])
})

test('success, partial, failure and nothing follow from what was sent and what was skipped on purpose', () => {
  const sent = aRow({ state: 'sent' })
  const skipped = aRow({ state: 'skipped', errorClass: 'nothing_to_do' })
  const guarded = aRow({ state: 'skipped', errorClass: 'guard' })
  const notBegun = aRow({ state: 'skipped', errorClass: 'previous_failed' })
  const failed = aRow({ state: 'failed' })
  const unknown = aRow({ state: 'unknown' })
  expect(outcomeOf([sent, skipped, guarded])).toBe('success')
  expect(outcomeOf([skipped, guarded])).toBe('nothing')
  expect(outcomeOf([])).toBe('nothing')
  expect(outcomeOf([sent, failed])).toBe('partial')
  expect(outcomeOf([sent, unknown])).toBe('partial')
  expect(outcomeOf([sent, failed, notBegun])).toBe('partial')
  expect(outcomeOf([guarded, notBegun])).toBe('nothing')
  expect(outcomeOf([sent, guarded, notBegun])).toBe('success')
  expect(outcomeOf([failed, notBegun])).toBe('failure')
  expect(outcomeOf([failed, notBegun, skipped])).toBe('failure')
  expect(outcomeOf([unknown])).toBe('failure')
  expect([skipped, guarded, notBegun].map(isDeliberate)).toEqual([true, true, false])
})

const anyCommit: fc.Arbitrary<CommitResult> = fc.oneof(
  fc.constant<CommitResult>({ outcome: 'sent', result: {} }),
  fc.record({
    outcome: fc.constant('failed' as const),
    errorClass: fc.constant('unavailable'),
    sentence: fc.constant('No.'),
    retry: fc.boolean(),
  }),
  fc.constant<CommitResult>({ outcome: 'unknown', sentence: '?' }),
  fc.record({ outcome: fc.constant('wait' as const), until: fc.nat(), sentence: fc.constant('Soon.') }),
  fc.constant<CommitResult>({ outcome: 'blocked', errorClass: 'reconnect', sentence: 'Reconnect.' }),
  // The process ended while it was being sent: nothing was written.
  fc.constant({ outcome: 'died' } as unknown as CommitResult),
)
const anyVerify: fc.Arbitrary<VerifyResult> = fc.oneof(
  fc.constant<VerifyResult>({ outcome: 'done', result: {} }),
  fc.constant<VerifyResult>({ outcome: 'not_done' }),
  fc.constant<VerifyResult>({ outcome: 'unclear', sentence: '?' }),
  fc.constant<VerifyResult>({ outcome: 'later', sentence: 'Later.', retryAt: null }),
)

test('whatever happens, a customer is written to again only after a clear no, and every row comes to an end', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...CLASSES),
      fc.array(anyCommit, { maxLength: 30 }),
      fc.array(anyVerify, { maxLength: 30 }),
      (effectClass, commits, verifies) => {
        let row = aRow({ effect: anEffect(effectClass) })
        let now = NOW
        /** What the customer may have got: grows with each try that was not clearly refused. */
        let perhaps = 0
        const apply = (change: RowChange) => {
          const tries = triesAfter(row, change, now, now)
          row = { ...row, ...change, tries }
        }
        const send = () => {
          expect(effectClass === 'customer' ? perhaps : 0).toBe(0)
          row = { ...row, state: 'sending', attempt: row.attempt + 1, sendingAt: now, nextAttemptAt: null }
          const answer = commits.pop() ?? { outcome: 'sent', result: {} }
          if ((answer.outcome as string) === 'died') {
            perhaps++
            return
          }
          if (answer.outcome === 'sent' || answer.outcome === 'unknown') perhaps++
          apply(afterCommit(row, answer, now))
        }
        for (let turn = 0; turn < 400; turn++) {
          const act = rowNext(row, [row], now)
          if (act.next === 'ended' || act.next === 'ask') break
          if (act.next === 'wait') {
            expect(act.until).toBeGreaterThan(now)
            now = act.until
          } else if (act.next === 'verify') {
            const change = afterVerify(row, verifies.pop() ?? { outcome: 'done', result: {} }, now)
            if (change === 'again') send()
            else apply(change)
          } else send()
        }
        expect(['sent', 'failed', 'unknown']).toContain(row.state)
        expect(isOpen(row)).toBe(row.state === 'unknown')
        expect(row.attempt).toBeLessThanOrEqual(8 + 30)
      },
    ),
  )
})
