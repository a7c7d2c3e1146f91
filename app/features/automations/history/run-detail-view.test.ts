import { describe, expect, test } from 'vitest'
import type { JournalRow } from '#app/domain/automations/journal-row.ts'
import type { RuleDefinition } from '#app/domain/automations/rule.ts'
import type { RunRecord } from '#app/domain/automations/run-record.ts'
import { anEffect, aRow, NOW } from '#tests/support/journal-rows.ts'
import { SAMPLE_RULE, SENT_TEXT, sampleRun } from '#tests/support/sample-runs.ts'
import { executionOf } from '../runs/run-history.ts'
import { type Repeatable, runView } from './run-detail-view.ts'

const SAME: Repeatable = {
  ...{ version: 3, customerMessages: 1, today: SAMPLE_RULE },
  rule: { version: 3, deleted: false, definition: SAMPLE_RULE },
}

const viewOf = (more: Partial<RunRecord> = {}, repeatable: Repeatable | null = SAME) =>
  runView(executionOf(sampleRun(more)), repeatable, null)

const offered = (more: Partial<RunRecord> = {}, repeatable: Repeatable | null = SAME) =>
  Object.entries(viewOf(more, repeatable).offers).flatMap(([name, says]) => (says === null ? [] : [name]))

const FAILED = aRow({ stepId: 's2', effect: anEffect('create'), state: 'failed', sentence: 'No.' })
const UNKNOWN = aRow({ state: 'unknown', sentence: 'It may have been sent.' })

describe('the steps', () => {
  test('say what went in, what came out, and each attempt', () => {
    const [step] = viewOf().steps
    expect(step).toMatchObject({ number: 1, label: 'Send SMS', mark: 'done' })
    expect(step?.items[0]).toMatchObject({
      summary: 'Text message',
      went: [
        { name: 'To', text: '+447700900123' },
        { name: 'Message', text: 'Hello' },
      ],
      came: [
        { name: 'sms_id', text: '9' },
        { name: 'status', text: 'sent' },
      ],
      tries: [{ at: NOW, ms: 5, words: 'Sent', sentence: null }],
      settle: false,
    })
  })

  test('show their parameters and what each placeholder became', () => {
    const replacements = [
      { variable: 'job_number', written: '{job_number}', originalValue: '3126', resolvedValue: '3126' },
      { variable: 'total', written: '{total as money}', originalValue: '5', resolvedValue: '£5.00' },
    ]
    const row = { ...SENT_TEXT, notes: { warnings: [], replacements } }
    const [step, next] = viewOf({ journal: [row] }).steps
    expect(step?.executed).toEqual({
      parameters: [
        { name: 'To', text: '+447700900123' },
        { name: 'Message', text: 'Hello' },
      ],
      replacements: [
        { written: '{job_number}', resolved: '3126', value: null },
        { written: '{total as money}', resolved: '£5.00', value: '5' },
      ],
    })
    expect(next?.executed).toBeNull()
  })

  test('and the records that matched are counted and described', () => {
    expect(viewOf().matched).toEqual({
      matched: 1,
      total: 1,
      records: [
        {
          title: 'Job 4411',
          facts: [
            { name: 'Status', text: 'Completed' },
            { name: 'Description', text: 'Boiler' },
            { name: 'Company', text: 'Margaret Smith' },
            { name: 'Address', text: '12 High St' },
            { name: 'Total invoice amount', text: '5' },
          ],
        },
      ],
    })
  })

  test('that were not begun stand there too', () => {
    expect(viewOf().steps[1]).toMatchObject({ number: 2, mark: 'not_begun', items: [] })
  })

  test('that will be tried again wait, and do not count as failed', () => {
    const retry = aRow({ state: 'failed', sentence: 'No answer.', nextAttemptAt: NOW + 9_000 })
    const [step] = viewOf({ state: 'waiting', outcome: null, journal: [retry] }).steps
    expect(step?.items[0]).toMatchObject({ mark: 'waits', nextAt: NOW + 9_000 })
  })
})

describe('the title', () => {
  const sent = (to: string) => ({
    definition: { ...SAMPLE_RULE, steps: [{ ...SAMPLE_RULE.steps[0], parameters: { to, message: 'Hello' } }] },
  })

  test('names the customer only where the rule wrote to the record', () => {
    expect(viewOf(sent('{entry.0.contact_mobile}') as Partial<RunRecord>).title).toBe(
      'Texted Margaret Smith · job 4411',
    )
    expect(viewOf(sent('') as Partial<RunRecord>).title).toBe('Texted Margaret Smith · job 4411')
    expect(viewOf().title).toBe('Texted +447700900123 · Margaret Smith · job 4411')
  })

  test('takes the names from snapshots where the run itself has none', () => {
    const triggerData = { ...sampleRun().triggerData, conditionMatching: null }
    const known = { what: 'Job 17', who: 'Joan Hartley', job: '17', customer: 'Joan Hartley' }
    const view = runView(executionOf(sampleRun({ triggerData, ...(sent('') as Partial<RunRecord>) })), SAME, known)
    expect(view.title).toBe('Texted Joan Hartley · job 17')
  })
})

describe('what a person reads', () => {
  test('is the message as it was sent', () => {
    expect(viewOf().steps[0]?.items[0]?.message).toEqual({ channel: 'sms', subject: '', text: 'Hello' })
    const html = {
      kind: 'send_email',
      class: 'customer',
      to: 'a@b.c',
      cc: '',
      replyTo: '',
      subject: 'Done',
      textBody: '',
    }
    const mail = { ...html, htmlBody: '<p>Dear <b>Joan</b></p>', regardingJobUuid: null, summary: 'E-mail' }
    const effect = { ...mail, signatureOfStaff: null, attachments: [], documentSteps: [] } as JournalRow['effect']
    const [step] = viewOf({ journal: [{ ...SENT_TEXT, effect }] }).steps
    expect(step?.items[0]?.message).toEqual({ channel: 'email', subject: 'Done', text: 'Dear Joan' })
  })

  test('is what changed, without fields that hold ids', () => {
    const changes = [
      { field: 'completion_actioned_by_uuid', from: '', to: '0ff31bc6-8966-565c-a0ac-0473c5b2d813' },
      { field: 'completion_date', from: null, to: '2026-11-24' },
      { field: 'badges', from: '', to: '["8f0c1c7e-2d7b-4a51-9d8e-7d0f4a1b2c3d"]' },
      { field: 'quote_sent', from: '0', to: '1' },
      { field: 'work_done_description', from: '', to: 'New tap' },
    ]
    const view = viewOf({ triggerData: { ...sampleRun().triggerData, changes } })
    expect(view.changes).toEqual([
      'Completed on: empty → 24 November 2026',
      'Quote sent: no → yes',
      'Work done: empty → "New tap"',
    ])
    expect(view.source).toBe('ServiceM8')
  })
})

describe('what is offered', () => {
  test('for a run that went well is doing all of it once more, with what that sends', () => {
    expect(offered()).toEqual(['allAgain'])
    expect(viewOf().offers.allAgain).toBe('Repeats every step: 1 message to customers will be sent again.')
  })

  test('says that customers may get a message, although the run sent none', () => {
    const silent = { ...SAMPLE_RULE, steps: SAMPLE_RULE.steps.slice(1) }
    const says = (then: RuleDefinition, today: RuleDefinition, customerMessages = 0) => {
      const rule = { version: 5, deleted: false, definition: then }
      const { offers } = viewOf({}, { ...SAME, customerMessages, rule, today })
      return [offers.allAgain, offers.today?.split(' Uses')[0]]
    }
    const [may, none] = [
      'Repeats every step. Customers may get a message.',
      'Repeats every step. No customer gets a message again.',
    ]
    expect(says(SAMPLE_RULE, silent)).toEqual([may, none])
    expect(says(silent, SAMPLE_RULE)).toEqual([none, may])
    expect(says(SAMPLE_RULE, silent, 1)[1]).toBe(none)
  })

  test('is the rule of today as well where it was changed since', () => {
    const changed = { ...SAME, rule: { ...SAME.rule, version: 5 } }
    expect(offered({}, changed)).toEqual(['allAgain', 'today'])
    expect(viewOf({}, changed).offers.today).toContain('version 5 of the automation instead of 3.')
  })

  test('is nothing once the rule is deleted', () => {
    expect(offered({}, { ...SAME, rule: { ...SAME.rule, deleted: true } })).toEqual([])
    expect(offered({}, null)).toEqual([])
  })

  test('for what failed says what is tried again and that the rest is not', () => {
    const run = { outcome: 'partial', journal: [SENT_TEXT, FAILED] } as const
    expect(offered({ ...run, journal: [...run.journal] })).toEqual(['failedAgain', 'allAgain'])
    expect(viewOf({ ...run, journal: [...run.journal] }).offers.failedAgain).toBe(
      'Tries again: Task "Ring". Nothing is done twice.',
    )
  })

  test('for an empty value is to try again only where a step waited for it', () => {
    // As they are stored: nothing was planned.
    const effect = { kind: 'none', class: 'none', summary: '' } as const
    const empty = aRow({ stepId: 's1', effect, state: 'skipped', errorClass: 'value_missing' })
    const after = aRow({ stepId: 's2', effect, state: 'skipped', errorClass: 'previous_failed' })
    expect(offered({ outcome: 'nothing', journal: [empty] })).toEqual(['allAgain'])
    expect(viewOf({ outcome: 'nothing', journal: [empty] }).title).toContain('Left out: a value is empty')
    const { failedAgain } = viewOf({ outcome: 'nothing', journal: [empty, after] }).offers
    expect(failedAgain).toBe('Tries again: what an empty value left out.')
  })

  test('for what is held is send or discard, never cancel', () => {
    expect(offered({ state: 'held', outcome: null, journal: [] })).toEqual(['release', 'discard'])
    const held = aRow({ state: 'held', sentence: 'Too many.' })
    const { offers } = viewOf({ state: 'waiting', outcome: null, journal: [held] })
    expect(offers.release).toBe('Goes out now: Text message.')
  })

  test('for what may have been sent is settling it: the run is not simply let go', () => {
    const run = { state: 'held', outcome: null, journal: [UNKNOWN] } as const
    expect(offered({ ...run, journal: [UNKNOWN] })).toEqual(['cancel'])
    expect(viewOf({ ...run, journal: [UNKNOWN] }).steps[0]?.items[0]).toMatchObject({ mark: 'unknown', settle: true })
  })

  test('while it is on its way is cancelling', () => {
    expect(offered({ state: 'waiting', outcome: null, journal: [SENT_TEXT] })).toEqual(['cancel'])
    const { offers } = viewOf({ state: 'waiting', outcome: null, journal: [SENT_TEXT] })
    expect(offers.cancel).toBe('Stops here. What was done stays.')
  })
})
