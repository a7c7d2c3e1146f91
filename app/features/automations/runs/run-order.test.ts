import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ActionType } from '#app/domain/automations/action-parameters.ts'
import type { EffectClass } from '#app/domain/automations/effect.ts'
import type { JournalRow } from '#app/domain/automations/journal-row.ts'
import type { ActionParameters, Step } from '#app/domain/automations/rule.ts'
import { seconds } from '#app/lib/duration.ts'
import { anEffect, aRow, NOW } from '#tests/support/journal-rows.ts'
import { afterVerify, isOpen, JOURNAL_CLASSES } from '../rules/journal.ts'
import { neededSteps, nextOfRun, resultOfStep, resultsOf, standingOf } from './run-order.ts'

function step(id: string, more: Partial<Step> = {}, parameters: ActionParameters = {}): Step {
  return { id, type: 'send_sms', parameters, waitForPrevious: false, ...more }
}

function row(stepId: string, state: JournalRow['state'], more: Partial<JournalRow> = {}): JournalRow {
  return aRow({ stepId, state, ...more })
}

const next = (steps: Step[], journal: JournalRow[]) => nextOfRun(steps, journal, NOW)

test('steps begin in order, each when the one before it has begun', () => {
  const steps = [step('s1'), step('s2')]
  expect(next(steps, [])).toMatchObject({ next: 'plan', step: { id: 's1' } })
  expect(next(steps, [row('s1', 'planned')])).toMatchObject({ next: 'send', row: { stepId: 's1' } })
  expect(next(steps, [row('s1', 'sent')])).toMatchObject({ next: 'plan', step: { id: 's2' } })
  expect(next(steps, [row('s1', 'sent'), row('s2', 'sent')])).toEqual({
    next: 'finish',
    outcome: 'success',
    reason: null,
  })
})

test('a rule without steps does nothing, and says so', () => {
  expect(next([], [])).toMatchObject({ next: 'finish', outcome: 'nothing' })
})

test('a step that waits for its next try lets independent steps go on, and keeps dependent ones', () => {
  const failing = row('s1', 'failed', { nextAttemptAt: NOW + seconds(30), sentence: 'Not now.' })
  expect(next([step('s1'), step('s2')], [failing])).toMatchObject({ next: 'plan', step: { id: 's2' } })
  expect(next([step('s1'), step('s2', { waitForPrevious: true })], [failing])).toEqual({
    next: 'wait',
    until: NOW + seconds(30),
    reason: 'Not now.',
  })
})

test('a step that has not begun keeps all later ones, whatever they need', () => {
  const failing = row('s1', 'failed', { nextAttemptAt: NOW + seconds(30) })
  const steps = [step('s1'), step('s2', { waitForPrevious: true }), step('s3')]
  expect(next(steps, [failing])).toMatchObject({ next: 'wait' })
})

test("the platform's limit keeps everything: the next step would meet it too", () => {
  const limited = row('s1', 'planned', { nextAttemptAt: NOW + 9, errorClass: JOURNAL_CLASSES.limit })
  expect(next([step('s1'), step('s2')], [limited])).toMatchObject({ next: 'wait', until: NOW + 9 })
})

test('a message moved to the morning lets the others go on', () => {
  const moved = row('s1', 'planned', {
    nextAttemptAt: NOW + 9,
    errorClass: JOURNAL_CLASSES.moved,
    sentence: 'Tomorrow.',
  })
  expect(next([step('s1'), step('s2')], [moved])).toMatchObject({ next: 'plan', step: { id: 's2' } })
  expect(next([step('s1')], [moved])).toEqual({ next: 'wait', until: NOW + 9, reason: 'Tomorrow.' })
})

test('what needs a step that failed does not begin', () => {
  const steps = [step('s1'), step('s2', { waitForPrevious: true })]
  expect(next(steps, [row('s1', 'failed')])).toMatchObject({ next: 'skip_step', step: { id: 's2' } })
  for (const errorClass of [JOURNAL_CLASSES.guard, JOURNAL_CLASSES.valueMissing]) {
    const kept = row('s1', 'skipped', { errorClass })
    expect(next(steps, [kept])).toMatchObject({ next: 'skip_step', step: { id: 's2' } })
  }
})

test('there being nothing to do is no reason to stop', () => {
  const steps = [step('s1'), step('s2', { waitForPrevious: true })]
  const skipped = row('s1', 'skipped', { errorClass: JOURNAL_CLASSES.nothingToDo })
  expect(next(steps, [skipped])).toMatchObject({ next: 'plan', step: { id: 's2' } })
})

test('a step that reads a result needs it, with or without its own switch', () => {
  const reads = step('s2', {}, { message: 'Job {action_1_result.generated_job_id}' })
  const steps = [step('s1'), reads]
  expect(neededSteps(reads, steps)).toEqual(['s1'])
  expect(next(steps, [row('s1', 'failed')])).toMatchObject({ next: 'skip_step', step: { id: 's2' } })
  const skipped = row('s1', 'skipped', { errorClass: JOURNAL_CLASSES.nothingToDo })
  expect(next(steps, [skipped])).toMatchObject({ next: 'skip_step', step: { id: 's2' } })
  expect(next(steps, [row('s1', 'sent')])).toMatchObject({ next: 'plan', step: { id: 's2' } })
})

test('an e-mail needs the document it carries: the one numbered, else the last one made before it', () => {
  const document = (id: string) => step(id, { type: 'generate_document' as ActionType })
  const mail = (parameters: ActionParameters) => step('s3', { type: 'send_email' }, parameters)
  const steps = (last: Step) => [document('s1'), document('s2'), last]
  const first = mail({ includeGeneratedDocument: true, documentActionIndex: 1 })
  const latest = mail({ includeGeneratedDocument: true })
  expect(neededSteps(first, steps(first))).toEqual(['s1'])
  expect(neededSteps(latest, steps(latest))).toEqual(['s2'])
  const none = mail({ includeGeneratedDocument: false, documentActionIndex: 1 })
  expect(neededSteps(none, steps(none))).toEqual([])
})

test.each(['{action_1_result}', '{ step.s1 }', '{Action 1 result.generated job id or "new"}'])(
  '%s alone needs the step as well',
  (message) => {
    const steps = [step('s1'), step('s2', {}, { message })]
    expect(neededSteps(step('s2', {}, { message }), steps)).toEqual(['s1'])
  },
)

test('a reference to itself or to a later step needs nothing', () => {
  const odd = step('s1', {}, { message: '{action_1_result.x} {action_2_result.x} {step.s2.x} {action_9_result.x}' })
  expect(neededSteps(odd, [odd, step('s2')])).toEqual([])
})

test('a message that may have been sent keeps what needs it for a person, and nothing else', () => {
  const unknown = row('s1', 'unknown')
  expect(next([step('s1'), step('s2', { waitForPrevious: true })], [unknown])).toMatchObject({ next: 'hold' })
  expect(next([step('s1'), step('s2')], [unknown])).toMatchObject({ next: 'plan', step: { id: 's2' } })
  expect(next([step('s1')], [unknown])).toMatchObject({ next: 'finish', outcome: 'failure' })
})

test('a held message holds the run once everything else is done', () => {
  const held = row('s1', 'held', { sentence: 'Too many.' })
  expect(next([step('s1')], [held])).toEqual({ next: 'hold', reason: 'Too many.' })
  const waiting = row('s2', 'failed', { nextAttemptAt: NOW + 5 })
  expect(next([step('s1'), step('s2')], [held, waiting])).toMatchObject({ next: 'wait', until: NOW + 5 })
})

test('lines of a record that is unclear wait for a person instead of ending half done', () => {
  const job = row('s1', 'unknown', { effect: anEffect('create') })
  const line = row('s1', 'planned', { itemKey: '1', effect: anEffect('create', { job_uuid: 0 }) })
  expect(next([step('s1')], [job, line])).toMatchObject({ next: 'hold' })
})

test('a cancelled run looks at what may be on its way, and then ends', () => {
  const steps = [step('s1'), step('s2')]
  const cancelled = { reason: 'By hand.' }
  expect(nextOfRun(steps, [row('s1', 'sending')], NOW, cancelled)).toMatchObject({ next: 'verify' })
  expect(nextOfRun(steps, [row('s1', 'planned')], NOW, cancelled)).toEqual({
    next: 'finish',
    outcome: 'cancelled',
    reason: 'By hand.',
  })
})

test('the reason of an ended run is the first thing that went wrong, or why there was nothing to do', () => {
  expect(next([step('s1')], [row('s1', 'failed', { sentence: 'No such number.' })])).toMatchObject({
    outcome: 'failure',
    reason: 'No such number.',
  })
  const skipped = row('s1', 'skipped', { errorClass: JOURNAL_CLASSES.nothingToDo, sentence: 'It is so already.' })
  expect(next([step('s1')], [skipped])).toMatchObject({ outcome: 'nothing', reason: 'It is so already.' })
})

test('the result of a step is what its effects gave, the first one first', () => {
  const rows = [
    row('s1', 'sent', { result: { uuid: 'job', generated_job_id: '7' } }),
    row('s1', 'sent', { itemKey: '1', result: { uuid: 'line', price: '5' } }),
  ]
  expect(resultOfStep(rows)).toEqual({ uuid: 'job', generated_job_id: '7', price: '5' })
  expect(resultsOf([step('s1'), step('s2')], rows)).toEqual({ s1: { uuid: 'job', generated_job_id: '7', price: '5' } })
  expect(resultOfStep([row('s1', 'failed')])).toBeNull()
})

test('a step shows what most wants to be seen', () => {
  expect(standingOf([])).toBe('not_begun')
  expect(standingOf([row('s1', 'sent'), row('s1', 'unknown')])).toBe('unknown')
  expect(standingOf([row('s1', 'failed'), row('s1', 'held')])).toBe('held')
  expect(standingOf([row('s1', 'sent'), row('s1', 'planned')])).toBe('open')
  expect(standingOf([row('s1', 'sent'), row('s1', 'failed')])).toBe('failed')
  expect(standingOf([row('s1', 'sent'), row('s1', 'skipped')])).toBe('sent')
  expect(standingOf([row('s1', 'skipped')])).toBe('skipped')
})

const CLASSES: EffectClass[] = ['set', 'create', 'document', 'customer', 'staff', 'webhook']

test('whatever the steps and their ends, a run comes to an end without anything left open, and begins its steps in order', () => {
  const anyStep = fc.record({
    waits: fc.boolean(),
    effects: fc.array(fc.constantFrom(...CLASSES), { minLength: 1, maxLength: 3 }),
  })
  const anyEnd = fc.constantFrom('sent', 'failed', 'again', 'unclear', 'skipped', 'held', 'limit')
  fc.assert(
    fc.property(
      fc.array(anyStep, { minLength: 1, maxLength: 4 }),
      fc.array(anyEnd, { maxLength: 40 }),
      (given, ends) => {
        const steps = given.map(({ waits }, index) => step(`s${index}`, { waitForPrevious: waits }))
        const journal: JournalRow[] = []
        const begun: string[] = []
        let now = NOW
        for (let turn = 0; turn < 1_000; turn++) {
          const act = nextOfRun(steps, journal, now)
          if (act.next === 'finish') {
            expect(journal.filter((one) => isOpen(one) && one.state !== 'unknown')).toEqual([])
            expect(begun).toEqual(steps.map(({ id }) => id))
            return
          }
          switch (act.next) {
            case 'plan': {
              begun.push(act.step.id)
              const effects = given[steps.indexOf(act.step)]?.effects ?? []
              journal.push(
                ...effects.map((effectClass, index) =>
                  row(act.step.id, 'planned', { itemKey: String(index), effect: anEffect(effectClass) }),
                ),
              )
              break
            }
            case 'skip_step':
              begun.push(act.step.id)
              journal.push(row(act.step.id, 'skipped', { errorClass: JOURNAL_CLASSES.previousFailed }))
              break
            case 'send': {
              const end = ends.pop() ?? 'sent'
              const change: Partial<JournalRow> =
                end === 'sent' || end === 'failed' || end === 'skipped' || end === 'held'
                  ? { state: end, nextAttemptAt: null }
                  : end === 'unclear'
                    ? { state: act.row.effect.class === 'customer' ? 'unknown' : 'sending', nextAttemptAt: now + 1 }
                    : end === 'limit'
                      ? { state: 'planned', nextAttemptAt: now + 1, errorClass: JOURNAL_CLASSES.limit }
                      : { state: 'failed', nextAttemptAt: now + 1 }
              Object.assign(act.row, change)
              break
            }
            case 'verify': {
              const found = afterVerify(act.row, { outcome: 'done', result: {} }, now)
              if (found !== 'again') Object.assign(act.row, found)
              break
            }
            case 'skip_row':
              Object.assign(act.row, { state: 'skipped', errorClass: JOURNAL_CLASSES.previousFailed })
              break
            case 'wait':
              expect(act.until).toBeGreaterThan(now)
              now = act.until
              break
            case 'hold':
              // A person decides: whatever waits goes out, whatever is unclear went out.
              for (const one of journal) {
                if (one.state === 'held') Object.assign(one, { state: 'planned', nextAttemptAt: null })
                if (one.state === 'unknown') Object.assign(one, { state: 'sent', nextAttemptAt: null })
              }
          }
        }
        throw new Error('it never came to an end')
      },
    ),
  )
})
