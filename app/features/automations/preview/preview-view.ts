// The result of Check Mode and Preview as the page shows it: recipients, channel, cost, changes, and what blocks the
// run.
import { actionLabel } from '#app/domain/automations/action-parameters.ts'
import { isPlainNote, type PlanWarning } from '#app/domain/automations/effect.ts'
import { plural } from '#app/domain/time/moments.ts'
import { plainText } from '#app/lib/plain-text.ts'
import { isUuid } from '../records/field-value.ts'
import { fieldLabel, objectNoun } from '../records/fields.ts'
import { jobValueText, type KnownNames } from '../rules/conditions/condition-text.ts'
import type { Execution } from '../runs/run-history.ts'
import type { PreviewedEffect, PreviewedStep } from './preview.ts'

export interface PreviewEffectView {
  summary: string
  /** `Text message`, `E-mail`; null = a change in ServiceM8 or a call. */
  channel: string | null
  to: string | null
  /** Final texts, exactly as sent. */
  texts: { label: string; text: string }[]
  changes: { field: string; from: string; to: string }[]
  credits: number
  attachments: string[]
  /** What the guards do with the message now; null = it may go. */
  held: string | null
}

export interface PreviewStepView {
  label: string
  outcome: PreviewedStep['outcome']
  sentence: string | null
  effects: PreviewEffectView[]
  /** Problems and missing values. */
  warnings: string[]
  /** Useful notes that are not problems. */
  notes: string[]
}

export interface PreviewView {
  /** `Job 4411 · Margaret Smith · 12 High Street`; '' = no record. */
  about: string
  matched: number
  total: number
  customerMessages: number
  credits: number
  /** How often for the same record: `Once per job`. */
  often: string
  steps: PreviewStepView[]
}

export interface Previewed {
  execution: Execution
  preview: Omit<PreviewView, 'about' | 'often' | 'steps'> & { steps: PreviewedStep[] }
}

export const OUTCOME_TEXTS: Readonly<Record<PreviewedStep['outcome'], string>> = {
  would_run: 'Would run',
  left_out: 'Left out',
  impossible: 'Would fail',
  unanswered: 'Not ready yet',
}

/** `often` = how often for the same record, in words; `names` = names of queues and people, by uuid. */
export function previewView({ execution, preview }: Previewed, often: string, names: KnownNames = {}): PreviewView {
  return {
    about: aboutOf(execution),
    matched: preview.matched,
    total: preview.total,
    customerMessages: preview.customerMessages,
    credits: preview.credits,
    often,
    steps: preview.steps.map((step) => ({
      label: actionLabel(step.action),
      outcome: step.outcome,
      sentence: step.sentence,
      effects: step.effects.map((effect) => effectView(effect, names)),
      warnings: step.warnings.filter((one) => !isPlainNote(one) && !isOfGuard(one)).map(({ sentence }) => sentence),
      notes: step.warnings.filter(isPlainNote).map(({ sentence }) => sentence),
    })),
  }
}

/** What the guards do stands beside the message itself. */
const isOfGuard = ({ code }: PlanWarning) => code === 'moved' || code === 'kept_back' || code === 'held'

function aboutOf({ triggerData, object, recordUuids }: Execution): string {
  const records = triggerData.conditionMatching?.matchedRecords ?? []
  const count = Math.max(records.length, recordUuids.length)
  if (count > 1) return plural(count, objectNoun(object, 'record'))
  const [record] = records
  return record ? recordLabel(object, record) : ''
}

/** `Job 4411`; for a customer, the name. */
export function recordTitle(object: string, { jobId, companyName }: { jobId: string; companyName: string }): string {
  if (object === 'job') return `Job ${jobId}`
  return companyName || (isUuid(jobId) ? objectNoun(object) : jobId)
}

/** `Job 4411 · Margaret Smith · 12 High Street`. */
export function recordLabel(
  object: string,
  record: { jobId: string; companyName: string; jobAddress: string },
): string {
  const what = recordTitle(object, record)
  const rest = [record.companyName, record.jobAddress].filter((text) => text !== '' && text !== what)
  return [what, ...rest].join(' · ')
}

/** Labels of the final values shown as text; other changes show the old and new value. */
const TEXT_LABELS: Readonly<Record<string, string>> = {
  subject: 'Subject',
  textBody: 'Text',
  htmlBody: 'Text',
  message: 'Text',
  body: 'Body',
  cc: 'CC',
  replyTo: 'Reply to',
  fileName: 'File',
  outputFormat: 'Format',
}

function effectView(effect: PreviewedEffect, names: KnownNames): PreviewEffectView {
  const { fields, kind } = effect
  const called = (value: string) => (Object.hasOwn(names, value) ? (names[value] ?? value) : value)
  const told = Object.keys(fields).filter((name) => {
    if (kind === 'update_record' || ['to', 'url', 'templateType', 'attachments'].includes(name)) return false
    // Hide ids without a name: the summary says what they stand for.
    if (name === 'related_object') return false
    if (/(^|_)uuid$/.test(name) && !Object.hasOwn(names, fields[name] ?? '')) return false
    // Skip the HTML copy: people read the plain text.
    return !(name === 'htmlBody' && (fields.textBody ?? '') !== '')
  })
  return {
    summary: effect.summary,
    channel: effect.channel === 'sms' ? 'Text message' : effect.channel === 'email' ? 'E-mail' : null,
    to: effect.to,
    texts: told
      .map((name) => ({ label: TEXT_LABELS[name] ?? fieldText(name), text: called(fields[name] ?? '') }))
      // A text message is shown as it is sent, whatever it contains.
      .map(({ label, text }) => ({ label, text: kind === 'send_sms' ? text : readable(text) }))
      .filter(({ text }) => text !== ''),
    changes: effect.changes.map(({ field, from, to }) => ({
      field: fieldLabel('job', field),
      from: jobValueText(field, from, names) ?? '',
      to: jobValueText(field, to, names) ?? 'another one',
    })),
    credits: effect.credits,
    attachments: effect.attachments,
    held: effect.guard === null || effect.guard.outcome === 'now' ? null : effect.guard.sentence,
  }
}

/** `queue_uuid` becomes `queue`. */
function fieldText(name: string): string {
  return name.replace(/_uuid$/, '').replaceAll('_', ' ')
}

/** Converts HTML to its plain text. */
function readable(text: string): string {
  return /<(p|br|div|table|ul|ol|h\d|html|body|a)\b/i.test(text) ? plainText(text) : text.trim()
}
