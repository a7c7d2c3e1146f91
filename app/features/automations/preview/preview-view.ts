// What Check Mode and Preview found, as the page shows it: who gets what, over which channel, what it costs, what would change,
// and what is in the way.
import { actionLabel } from '#app/domain/automations/action-parameters.ts'
import { isPlainNote } from '#app/domain/automations/effect.ts'
import { plainText } from '#app/lib/plain-text.ts'
import type { KnownNames } from '../rules/conditions/condition-text.ts'
import type { Execution } from '../runs/run-history.ts'
import type { PreviewedEffect, PreviewedStep } from './preview.ts'

interface PreviewedText {
  label: string
  text: string
}

export interface PreviewEffectView {
  summary: string
  /** `Text message`, `E-mail`; null = a change in ServiceM8 or a call. */
  channel: string | null
  /** Who gets it. */
  to: string | null
  /** Final texts, exactly as they would leave. */
  texts: PreviewedText[]
  changes: { field: string; from: string; to: string }[]
  credits: number
  attachments: string[]
  /** What the guards would do with it now; null = it may go. */
  held: string | null
}

export interface PreviewStepView {
  label: string
  outcome: PreviewedStep['outcome']
  sentence: string | null
  effects: PreviewEffectView[]
  /** What is in the way, or missing. */
  warnings: string[]
  /** What is as it should be, and good to know. */
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

interface Previewed {
  execution: Execution
  preview: {
    steps: PreviewedStep[]
    customerMessages: number
    credits: number
    matched: number
    total: number
  }
}

export const OUTCOME_TEXTS: Readonly<Record<PreviewedStep['outcome'], string>> = {
  would_run: 'Would run',
  left_out: 'Left out',
  impossible: 'Would fail',
  unanswered: 'Not ready yet',
}

/** `often` = how often for the same record, in words; `names` = what queues and people are called, by uuid. */
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
      warnings: step.warnings.filter((one) => !isPlainNote(one)).map(({ sentence }) => sentence),
      notes: step.warnings.filter(isPlainNote).map(({ sentence }) => sentence),
    })),
  }
}

function aboutOf({ triggerData, object, recordUuids }: Execution): string {
  const records = triggerData.conditionMatching?.matchedRecords ?? []
  if (Math.max(records.length, recordUuids.length) > 1) return `${Math.max(records.length, recordUuids.length)} records`
  const [record] = records
  return record ? recordLabel(object, record) : ''
}

/** `Job 4411`; a customer by its name. */
export function recordTitle(object: string, { jobId, companyName }: { jobId: string; companyName: string }): string {
  return object === 'job' ? `Job ${jobId}` : companyName || jobId
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

/** Names of final values that are texts to read; the rest of a change is told by what it was and would be. */
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
    if (kind === 'update_record' || name === 'to' || name === 'url' || name === 'templateType') return false
    // An id says nothing to people; what it stands for is in the summary, or has a name.
    if (name === 'related_object') return false
    if (/(^|_)uuid$/.test(name) && !Object.hasOwn(names, fields[name] ?? '')) return false
    // The same words twice would only be longer: the plain text is what people read.
    return !(name === 'htmlBody' && (fields.textBody ?? '') !== '')
  })
  return {
    summary: effect.summary,
    channel: effect.channel === 'sms' ? 'Text message' : effect.channel === 'email' ? 'E-mail' : null,
    to: effect.to,
    texts: told
      .map((name) => ({ label: TEXT_LABELS[name] ?? fieldText(name), text: called(fields[name] ?? '') }))
      .map(({ label, text }) => ({ label, text: readable(text) }))
      .filter(({ text }) => text !== ''),
    changes: effect.changes.map(({ field, from, to }) => ({
      field: fieldText(field),
      from: called(from),
      to: called(to),
    })),
    credits: effect.credits,
    attachments: effect.attachments,
    held: effect.guard === null || effect.guard.outcome === 'now' ? null : effect.guard.sentence,
  }
}

/** `queue_uuid` is the queue. */
function fieldText(name: string): string {
  return name.replace(/_uuid$/, '').replaceAll('_', ' ')
}

/** An HTML text by what is written in it. */
function readable(text: string): string {
  return /<(p|br|div|table|ul|ol|h\d|html|body|a)\b/i.test(text) ? plainText(text) : text.trim()
}
