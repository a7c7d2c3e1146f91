import { expect, test } from 'vitest'
import type { JournalRow } from '#app/domain/automations/journal-row.ts'
import { DEFAULT_GUARDS, type RuleDefinition, type Step } from '#app/domain/automations/rule.ts'
import type { RunRecord } from '#app/domain/automations/run-record.ts'
import { anEffect, aRow, NOW } from '#tests/support/journal-rows.ts'
import { previewedEffect } from '../preview/preview.ts'
import { executionOf, executionStatus, needsPerson, resolvedFields } from './run-history.ts'

const STEPS: Step[] = [
  {
    id: 's1',
    type: 'send_sms',
    parameters: { to: '{entry.0.contact_mobile}', message: 'Hi {x}' },
    waitForPrevious: false,
  },
  { id: 's2', type: 'create_task', parameters: { title: 'Ring' }, waitForPrevious: true },
]

const DEFINITION: RuleDefinition = {
  description: '',
  trigger: { source: 'manual_endpoint' },
  conditions: [],
  grouping: { enabled: false, field: null },
  digest: false,
  steps: STEPS,
  once: 'change',
  guards: DEFAULT_GUARDS,
}

const MATCHED = {
  totalRecords: 3,
  matchedRecords: [
    {
      jobId: '7',
      status: 'Quote',
      jobDescription: 'Boiler',
      companyName: 'Smith',
      jobAddress: '12 High St',
      totalInvoiceAmount: '5',
    },
  ],
}

function aRun(more: Partial<RunRecord> = {}): RunRecord {
  return {
    id: 4,
    accountUuid: 'account-1',
    automationId: 2,
    ruleName: 'Quote check-in',
    version: 3,
    definition: DEFINITION,
    source: 'poll',
    object: 'job',
    recordUuids: ['job-1'],
    groupKey: null,
    triggerData: {
      description: 'Looked through job records',
      object: 'job',
      manualTrigger: false,
      conditionMatching: MATCHED,
      values: {},
      bypassedConditions: false,
      changes: [],
    },
    state: 'done',
    outcome: 'success',
    reason: null,
    wakeAt: NOW,
    replayOf: null,
    hop: 0,
    createdAt: NOW,
    startedAt: NOW + 1_000,
    endedAt: NOW + 2_000,
    journal: [],
    ...more,
  }
}

const SENT: JournalRow = aRow({
  state: 'sent',
  attempt: 1,
  result: { sms_id: '9', status: 'sent' },
  notes: {
    warnings: [{ code: 'not_e164', sentence: 'Written as +44.' }],
    replacements: [{ variable: 'x', originalValue: 'a', resolvedValue: 'A' }],
  },
  tries: [{ at: NOW, endedAt: NOW + 5, outcome: 'sent', sentence: null }],
})
const FAILED: JournalRow = aRow({
  stepId: 's2',
  effect: anEffect('create'),
  state: 'failed',
  attempt: 8,
  errorClass: 'invalid',
  sentence: 'ServiceM8 refused this task.',
})

test('an execution has the shape of the specification', () => {
  const execution = executionOf(
    aRun({ outcome: 'partial', reason: 'ServiceM8 refused this task.', journal: [SENT, FAILED] }),
  )
  expect(execution).toMatchObject({
    id: 4,
    automationRuleId: 2,
    accountUUID: 'account-1',
    triggerData: {
      description: 'Looked through job records',
      object: 'job',
      manualTrigger: false,
      conditionMatching: MATCHED,
    },
    executionStatus: 'partial',
    errorMessage: 'ServiceM8 refused this task.',
    executedAt: '2026-01-05T09:00:01.000Z',
  })
  expect(execution.actionsExecuted).toEqual([
    {
      action: 'send_sms',
      success: true,
      parameters: STEPS[0]?.parameters,
      result: {
        sms_id: '9',
        status: 'sent',
        message: 'Text message',
        // Kept from before placeholders were noted whole.
        templateReplacements: [{ variable: 'x', written: '{x}', originalValue: 'a', resolvedValue: 'A' }],
        resolvedFields: { to: '+447700900123', message: 'Hello' },
      },
      context: { stepId: 's1', sequenceOrder: 1, state: 'sent', waitForPrevious: false },
      error: null,
      errorStack: null,
    },
    {
      action: 'create_task',
      success: false,
      parameters: STEPS[1]?.parameters,
      result: { message: 'ServiceM8 refused this task.', templateReplacements: [], resolvedFields: { name: 'Ring' } },
      context: { stepId: 's2', sequenceOrder: 2, state: 'failed', waitForPrevious: true },
      error: 'ServiceM8 refused this task.',
      errorStack: null,
    },
  ])
})

test('beside it stand the steps as they really are, with tries, warnings and what a person can do', () => {
  const unclear = { ...FAILED, effect: anEffect('customer'), state: 'unknown' as const }
  const { steps, needsYou } = executionOf(aRun({ journal: [SENT, unclear] }))
  expect(needsYou).toBe(true)
  expect(steps).toMatchObject([
    {
      state: 'sent',
      warnings: [],
      notes: ['Written as +44.'],
      items: [
        { kind: 'send_sms', attempts: 1, tries: [{ outcome: 'sent', at: '2026-01-05T09:00:00.000Z' }], settle: false },
      ],
    },
    { state: 'unknown', items: [{ settle: true, attempts: 8 }] },
  ])
})

test('steps that never began are in the list of steps, not among what was executed', () => {
  const { steps, actionsExecuted } = executionOf(aRun({ journal: [SENT] }))
  expect(actionsExecuted).toHaveLength(1)
  expect(steps.map(({ state }) => state)).toEqual(['sent', 'not_begun'])
})

test.each([
  [{ outcome: 'success' }, 'success'],
  [{ outcome: 'nothing' }, 'success'],
  [{ outcome: 'partial' }, 'partial'],
  [{ outcome: 'failure' }, 'failure'],
  [{ outcome: 'cancelled' }, 'failure'],
  [{ outcome: 'cancelled', journal: [SENT] }, 'partial'],
  [{ state: 'waiting', outcome: null }, null],
] as const)('%o is "%s" in the words of the specification', (more, status) => {
  expect(executionStatus(aRun(more as Partial<RunRecord>))).toBe(status)
})

test('a run that waits says until when', () => {
  const waiting = executionOf(aRun({ state: 'waiting', outcome: null, wakeAt: NOW + 60_000, reason: 'Trying again.' }))
  expect(waiting).toMatchObject({
    nextAttemptAt: '2026-01-05T09:01:00.000Z',
    reason: 'Trying again.',
    errorMessage: 'Trying again.',
  })
  expect(executionOf(aRun()).nextAttemptAt).toBeNull()
})

test('a run whose rule is no longer known still tells what it did', () => {
  const { actionsExecuted } = executionOf(aRun({ definition: null, journal: [SENT] }))
  expect(actionsExecuted).toMatchObject([{ result: { resolvedFields: { message: 'Hello' } } }])
})

test('held runs and unclear messages need a person, nothing else does', () => {
  expect(needsPerson(aRun({ state: 'held' }))).toBe(true)
  expect(needsPerson(aRun({ journal: [{ ...SENT, state: 'unknown' }] }))).toBe(true)
  expect(needsPerson(aRun({ state: 'waiting', journal: [{ ...SENT, state: 'held' }] }))).toBe(true)
  expect(needsPerson(aRun({ journal: [SENT, FAILED] }))).toBe(false)
})

test('only the parts of an e-mail that are filled are shown', () => {
  expect(
    resolvedFields({
      kind: 'send_email',
      class: 'customer',
      to: 'a@example.test',
      cc: '',
      replyTo: '',
      subject: 'Hello',
      textBody: 'Text',
      htmlBody: '',
      regardingJobUuid: null,
      signatureOfStaff: null,
      attachments: [],
      documentSteps: [],
      summary: '',
    }),
  ).toEqual({ to: 'a@example.test', subject: 'Hello', textBody: 'Text' })
})

test('the files of an e-mail are shown by their names', () => {
  const files = { attachments: ['f-1', 'f-2'], fileNames: ['tap.jpg', 'quote.pdf'] }
  const mail = { kind: 'send_email', to: 'a@example.test', subject: '', ...files, documentSteps: ['s1'] } as Extract<
    JournalRow['effect'],
    { kind: 'send_email' }
  >
  expect(resolvedFields(mail)).toMatchObject({ attachments: 'tap.jpg, quote.pdf' })
  expect(previewedEffect(mail, null).attachments).toEqual(['tap.jpg', 'quote.pdf', 'document of step s1'])
  expect(previewedEffect({ ...mail, fileNames: undefined }, null).attachments[0]).toBe('f-1')
})
