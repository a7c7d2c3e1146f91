// Rules, previews and log lines of the automations page, with overrides for tests.
import type { LogLine } from '#app/features/automations/history/log-line.ts'
import type { PreviewView } from '#app/features/automations/preview/preview-view.ts'
import type { RuleCardView } from '#app/features/automations/rules/rule-view.ts'
import { hours, minutes } from '#app/lib/duration.ts'
import { SAMPLE_NOW } from './sample-views.ts'

export function sampleCard(over: Partial<RuleCardView> = {}): RuleCardView {
  return {
    id: 3,
    name: 'Thank the customer',
    description: 'Ask for a review.',
    sentence: { when: 'When a job becomes Completed', onlyIf: 'it has a mobile number', does: 'text the customer' },
    active: true,
    preparing: false,
    pausedReason: null,
    pauseEndsByItself: false,
    openBlanks: [],
    askedBlanks: [],
    source: 'webhook',
    trigger: 'Webhook Event, reacts within seconds',
    schedule: null,
    often: 'Once per job',
    nextRunAt: null,
    executionCount: 4,
    lastExecutedAt: SAMPLE_NOW - minutes(5),
    days: null,
    actions: ['Send SMS', 'Create Task'],
    asksAboutExisting: false,
    json: '{"rules":[]}',
    triggerUrl: null,
    ...over,
  }
}

export function sampleLogLine(over: Partial<LogLine> = {}): LogLine {
  return {
    id: 12,
    name: 'Thank the customer',
    status: 'success',
    about: 'Job 4411 · Margaret Smith',
    reason: null,
    because: 'status changed to Completed',
    ...{ at: SAMPLE_NOW - hours(1), startedAt: null },
    isLive: false,
    matched: {
      matched: 1,
      total: 9,
      records: [{ title: 'Job 4411', facts: [{ name: 'Status', text: 'Completed' }] }],
    },
    actions: [
      {
        label: 'Send SMS',
        success: true,
        word: 'Done',
        message: 'Text to +61400000001',
        receipt: { state: 'delivered', words: 'Delivered', at: SAMPLE_NOW - hours(1), lookedAt: null },
        parameters: [{ name: 'Message', text: 'Hi {entry.0.contact_first_name}' }],
        replacements: [
          { written: '{entry.0.contact_first_name}', resolved: 'Margaret', value: null },
          { written: '{entry.0.total as money}', resolved: '£1,234.50', value: '1234.50' },
          { written: '{entry.0.company_name or "you"}', resolved: 'you', value: '' },
        ],
      },
    ],
    ...over,
  }
}

export function samplePreview(over: Partial<PreviewView> = {}): PreviewView {
  return {
    about: 'Job 4411 · Margaret Smith',
    matched: 2,
    total: 9,
    customerMessages: 1,
    credits: 1,
    often: 'Once per job',
    steps: [
      {
        label: 'Send SMS',
        outcome: 'would_run',
        sentence: null,
        effects: [
          {
            summary: 'Text Margaret Smith',
            channel: 'Text message',
            to: '+61400000001',
            texts: [{ label: 'Text', text: 'Thank you, Margaret!' }],
            changes: [],
            credits: 1,
            attachments: [],
            held: 'Moved to 08:00: it is after hours.',
          },
        ],
        warnings: ['{job_address} is empty on this job.'],
        notes: ['"0400 000 001" is written as +61400000001.'],
      },
      {
        label: 'Update Job Status',
        outcome: 'would_run',
        sentence: null,
        effects: [
          {
            summary: 'Change the job',
            channel: null,
            to: null,
            texts: [],
            changes: [{ field: 'status', from: 'Quote', to: 'Completed' }],
            credits: 0,
            attachments: [],
            held: null,
          },
        ],
        warnings: [],
        notes: [],
      },
    ],
    ...over,
  }
}
