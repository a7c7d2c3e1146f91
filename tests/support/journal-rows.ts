// Rows of a run's journal, for tests of decisions.
import type { Effect, EffectClass } from '#app/domain/automations/effect.ts'
import type { JournalRow } from '#app/domain/automations/journal-row.ts'

export const NOW = Date.UTC(2026, 0, 5, 9, 0, 0)

export function anEffect(effectClass: EffectClass, parents: Record<string, number> = {}): Effect {
  switch (effectClass) {
    case 'set':
      return {
        kind: 'update_record',
        class: 'set',
        object: 'job',
        recordUuid: 'job-1',
        before: { status: 'Quote' },
        fields: { status: 'Work Order' },
        summary: 'Set the status',
      }
    case 'create':
      return {
        kind: 'create_record',
        class: 'create',
        object: 'task',
        fields: { name: 'Ring' },
        parents,
        readBack: [],
        summary: 'Task "Ring"',
      }
    case 'document':
      return {
        kind: 'produce_document',
        class: 'document',
        objectType: 'Job',
        objectUuid: 'job-1',
        templateType: 'Invoice',
        templateUuid: null,
        outputFormat: 'pdf',
        fileName: 'Invoice.pdf',
        attachTo: null,
        storeToDiary: false,
        summary: 'Invoice',
      }
    case 'customer':
    case 'staff':
      return {
        kind: 'send_sms',
        class: effectClass,
        to: '+447700900123',
        message: 'Hello',
        credits: 1,
        regardingJobUuid: null,
        summary: 'Text message',
      }
    case 'webhook':
      return { kind: 'post_webhook', class: 'webhook', url: 'https://hook.example.com/', body: '{}', summary: 'Call' }
  }
}

export function aRow(given: Partial<JournalRow> = {}): JournalRow {
  return {
    stepId: 's1',
    itemKey: '0',
    seq: 1,
    state: 'planned',
    attempt: 0,
    clientUuid: 'uuid-1',
    effect: anEffect('customer'),
    notes: null,
    result: null,
    tries: [],
    released: false,
    errorClass: null,
    sentence: null,
    nextAttemptAt: null,
    plannedAt: NOW,
    sendingAt: null,
    endedAt: null,
    ...given,
  }
}

/** A row as written just before a call. */
export function sending(effectClass: EffectClass, attempt = 1): JournalRow {
  return aRow({ effect: anEffect(effectClass), state: 'sending', attempt, sendingAt: NOW })
}
