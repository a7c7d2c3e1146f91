// Checks the values of a step before any record is known: an invalid phone number, an invalid date, an unknown
// field, an address that may not be called. Saving and planning share this check, so saving refuses whatever the
// preview calls a failure. A value with a placeholder is checked once it is filled in.
import type { ActionType } from '#app/domain/automations/action-parameters.ts'
import type { RuleDefinition, Step } from '#app/domain/automations/rule.ts'
import { isEmptyHtml, withoutSignature, withSignatureTags } from '../../actions/email-body.ts'
import { dateValue, findJobField, jobFieldValue } from '../../actions/job-fields.ts'
import { LINE_SOURCES, quantity } from '../../actions/job-lines.ts'
import { flagParameter, rowsParameter, textParameter, wordParameter } from '../../actions/read-parameters.ts'
import { readEmail, splitReceivers } from '../../actions/receivers.ts'
import { isUuid } from '../../records/field-value.ts'
import { toE164 } from '../../records/phone.ts'
import type { Destination } from '../placeholders/placeholder-format.ts'
import { isLiteral, isOpen } from '../placeholders/placeholder-syntax.ts'
import { resolveText } from '../placeholders/placeholders.ts'
import { CELL_TEXTS } from './check-parameters.ts'
import { alwaysEmptyText, subjectProblems, withoutAlwaysEmpty } from './subject-check.ts'

export interface LiteralPlace {
  /** The object of the rule's records; null = skip the checks that depend on it. */
  object: string | null
  /** As `toE164` takes it; null = unknown here: numbers without a country code are accepted. */
  country: string | null
  /** Addresses the outbound guard refuses, each with the sentence that says why. */
  refusedAddresses?: Readonly<Record<string, string>>
  /** The address of a notification that names none; null = there is none. Missing = unknown here. */
  notifyUrl?: string | null
  /** Does the installation know where ServiceM8's activity feed is? Missing = unknown here. */
  feed?: boolean
}

interface LiteralProblem {
  /** The parameter with the problem; for a line of a list its cell: `materials.0.quantity`; '' = the action's type. */
  name: string
  message: string
  /** Part of the step still works: another receiver gets the message. */
  partial?: true
}

type Judged = Pick<Step, 'type' | 'parameters'>

const NO_SUBJECT = 'The e-mail has no subject.'
const NO_EMAIL_TEXT = 'The e-mail has no text.'
const CHOOSE_TEMPLATE = 'Choose a template from the list.'
const DATE_HINT = 'Use a date such as 2026-11-21, or TODAY, TODAY+7.'
const TEXT_FIELDS = ['job_description', 'job_address', 'billing_address', 'purchase_order_number'] as const

/** In the order of the form's fields; empty = no problem can be found yet. */
export function literalProblems(step: Judged, place: LiteralPlace): LiteralProblem[] {
  const { object } = place
  if (object === null) return valueProblems(step, place)
  const seen = withoutAlwaysEmpty(step, object)
  const problems = valueProblems(seen, place).map((problem) => {
    const isEmpty = textParameter(seen.parameters, problem.name).trim() === ''
    const why = isEmpty ? alwaysEmptyText(step, problem.name, object) : null
    return why === null ? problem : { ...problem, message: why }
  })
  return [...subjectProblems(seen, object, place.feed), ...problems]
}

function valueProblems(step: Judged, place: LiteralPlace): LiteralProblem[] {
  return JUDGES[step.type]?.(step, place) ?? []
}

/** Everything wrong with the steps of a rule, each problem with the path of its field. */
export function literalIssues(
  { steps }: Pick<RuleDefinition, 'steps'>,
  place: LiteralPlace,
): { path: (string | number)[]; message: string }[] {
  return steps.flatMap((step, index) =>
    literalProblems(step, place).map(({ name, message }) => ({
      path: name === '' ? ['actions', index, 'type'] : ['actions', index, 'parameters', name],
      message,
    })),
  )
}

/** Is there a phone number that can only be checked with the account's country? */
export function needsCountry({ steps }: Pick<RuleDefinition, 'steps'>): boolean {
  return steps.some(
    ({ type, parameters }) =>
      type === 'send_sms' &&
      splitReceivers(textParameter(parameters, 'to')).some((part) => {
        const number = isLiteral(part) ? toE164(said(part, 'plain'), '') : null
        return number?.outcome === 'refused' && number.why === 'needs_plus'
      }),
  )
}

const JUDGES: Partial<Record<ActionType, (step: Judged, place: LiteralPlace) => LiteralProblem[]>> = {
  create_job: createJobProblems,
  update_job_status: (step) => statusProblems(step),
  assign_to_queue: (step) => missing(step, 'queueUuid', 'Queue is required'),
  send_email: emailProblems,
  send_sms: smsProblems,
  send_staff_message: (step) => [
    ...(splitReceivers(textParameter(step.parameters, 'toStaffUuid')).length === 0
      ? [{ name: 'toStaffUuid', message: 'Staff Member is required' }]
      : []),
    ...missing(step, 'message', 'Message is required'),
  ],
  post_activity_feed: (step) => missing(step, 'message', 'Message is required'),
  send_notification: notificationProblems,
  create_task: (step) => missing(step, 'title', 'Title is required'),
  update_job_field: jobFieldProblems,
}

/** A literal, filled in as the step's plan would. */
function said(text: string, destination: Destination): string {
  return resolveText(text, destination, NOTHING).text
}

const NOTHING = {
  records: [],
  trigger: {},
  results: {},
  order: [],
  account: { name: '', email: '', zone: 'UTC', currency: '', country: '' },
  now: 0,
}

/** The value as it would be sent; null = it depends on a record or on a blank. */
function literal(step: Judged, name: string, destination: Destination): string | null {
  const text = textParameter(step.parameters, name)
  return isLiteral(text) ? said(text, destination) : null
}

function missing(step: Judged, name: string, message: string): LiteralProblem[] {
  return literal(step, name, 'plain')?.trim() === '' ? [{ name, message }] : []
}

/** For ids that are used literally, where a placeholder is never filled in. */
function notAnId(step: Judged, name: string, message: string): LiteralProblem[] {
  const word = wordParameter(step.parameters, name)
  return isUuid(word) || isOpen(word) ? [] : [{ name, message }]
}

function statusProblems(step: Judged): LiteralProblem[] {
  const status = literal(step, 'status', 'field')
  if (status === null) return []
  const value = jobFieldValue('status', status, EPOCH)
  return value.outcome === 'refused' ? [{ name: 'status', message: value.sentence }] : []
}

/** Any moment will do: whether a text is a date does not depend on the day. */
const EPOCH = { now: 0, zone: 'UTC' }

function createJobProblems(step: Judged): LiteralProblem[] {
  const problems: LiteralProblem[] = []
  const company = literal(step, 'company_uuid', 'field')?.trim() ?? null
  if (company === '') problems.push({ name: 'company_uuid', message: 'Company UUID is required' })
  else if (company !== null && !isUuid(company)) {
    problems.push({ name: 'company_uuid', message: `${quoted(company)} is not a customer. Choose one from the list.` })
  }
  problems.push(...statusProblems(step))
  for (const name of TEXT_FIELDS) {
    const text = literal(step, name, 'field')
    const value = text === null ? null : jobFieldValue(name, text, EPOCH)
    if (value?.outcome === 'refused') problems.push({ name, message: value.sentence })
  }
  const date = literal(step, 'date', 'date')?.trim() ?? ''
  if (date !== '' && dateValue(date, EPOCH, 'date') === null) {
    problems.push({ name: 'date', message: `${quoted(date)} is not a date. ${DATE_HINT}` })
  }
  return [...problems, ...sourceProblems(step), ...lineProblems(step)]
}

/** The job that materials come from, if one is named and used. */
function sourceProblems(step: Judged): LiteralProblem[] {
  const on = (name: string) => flagParameter(step.parameters, name)
  const isOfOneJob = (list: keyof typeof LINE_SOURCES) => {
    const { copy, transfer, copyAll, transferAll } = LINE_SOURCES[list]
    return (on(copy) || on(transfer)) && !on(copyAll) && !on(transferAll)
  }
  const [materials, bundles] = [isOfOneJob('materials'), isOfOneJob('material_bundles')]
  const names = [...(materials || bundles ? ['sourceJobUuid'] : []), ...(bundles ? ['sourceBundleJobUuid'] : [])]
  return names.flatMap((name) => {
    const job = literal(step, name, 'field')?.trim() ?? ''
    return job === '' || isUuid(job)
      ? []
      : [{ name, message: `${quoted(job)} is not a job. Choose one from the list.` }]
  })
}

function lineProblems({ parameters }: Judged): LiteralProblem[] {
  const problems: LiteralProblem[] = []
  const lists = [
    ['materials', 'material_uuid'],
    ['material_bundles', 'bundle_uuid'],
  ] as const
  for (const [name, id] of lists) {
    for (const [index, row] of rowsParameter(parameters, name).entries()) {
      const wrong = (cell: keyof typeof CELL_TEXTS) =>
        problems.push({ name: `${name}.${index}.${cell}`, message: CELL_TEXTS[cell] })
      const uuid = row[id] ?? ''
      if (!isUuid(uuid) && !isOpen(uuid)) wrong(id)
      if (quantity(row.quantity ?? '') === null) wrong('quantity')
    }
  }
  return problems
}

function emailProblems(step: Judged): LiteralProblem[] {
  const { parameters } = step
  const text = (name: string) => textParameter(parameters, name)
  const either = (first: string, second: string) => (text(first) !== '' ? first : second)
  const noSubject = (at: string, name: string): LiteralProblem[] =>
    literal(step, name, 'subject')?.trim() === '' ? [{ name: at, message: NO_SUBJECT }] : []
  const noHtml = (at: string, name: string): LiteralProblem[] =>
    isEmptyMessage(text(name)) ? [{ name: at, message: NO_EMAIL_TEXT }] : []
  const contentProblems = (): LiteralProblem[] => {
    switch (wordParameter(parameters, 'contentType').toLowerCase()) {
      case 'html':
        return [
          ...noSubject('customHtmlSubject', either('customHtmlSubject', 'subject')),
          ...noHtml('customHtmlBody', either('customHtmlBody', 'htmlBody')),
        ]
      case 'template': {
        const given = (name: string) => text(name).trim() !== ''
        const problems = given('subject') && given('htmlBody') ? [] : notAnId(step, 'emailTemplateId', CHOOSE_TEMPLATE)
        if (given('subject')) problems.push(...noSubject('subject', 'subject'))
        if (given('htmlBody')) problems.push(...noHtml('htmlBody', 'htmlBody'))
        return problems.slice(0, 1)
      }
      default:
        return [
          ...noSubject('customSubject', either('customSubject', 'subject')),
          ...missing(step, 'customBody', NO_EMAIL_TEXT),
        ]
    }
  }
  // The receivers in `to` get the e-mail anyway.
  const besides = ['cc', 'replyTo'].flatMap((name) => receiverProblems(step, name, emailProblem))
  return [
    ...receiverProblems(step, 'to', emailProblem),
    ...besides.map((problem) => ({ ...problem, partial: true as const })),
    ...contentProblems(),
  ]
}

/** A message with only a signature is empty. */
function isEmptyMessage(html: string): boolean {
  const tagged = withSignatureTags(html)
  return isLiteral(tagged) && isEmptyHtml(withoutSignature(said(tagged, 'html')))
}

function smsProblems(step: Judged, { country }: LiteralPlace): LiteralProblem[] {
  const { parameters } = step
  const problems = receiverProblems(step, 'to', (text) => phoneProblem(text, country))
  const message = textParameter(parameters, 'message')
  if (flagParameter(parameters, 'useSmsTemplate') && message.trim() === '') {
    problems.push(...notAnId(step, 'smsTemplateId', CHOOSE_TEMPLATE))
  } else problems.push(...missing(step, 'message', 'Message is required'))
  return problems
}

/** Problems of a field with receivers. The step works if at least one of them can, or may, be reached. */
function receiverProblems(
  { parameters }: Judged,
  name: string,
  problemOf: (text: string) => string | null,
): LiteralProblem[] {
  if (wordParameter(parameters, name) === '') return []
  const parts = splitReceivers(textParameter(parameters, name))
  const told = parts.map((part) => (isLiteral(part) ? problemOf(said(part, 'plain')) : null))
  const wrong = told.filter((message) => message !== null)
  if (parts.length === 0) return [{ name, message: 'There is no receiver in it.' }]
  const works = wrong.length < parts.length
  return wrong.map((message) => ({ name, message, ...(works && { partial: true }) }))
}

function emailProblem(text: string): string | null {
  return readEmail(text) === null ? `${quoted(text)} is not an e-mail address.` : null
}

function phoneProblem(text: string, country: string | null): string | null {
  const number = toE164(text, country ?? '')
  if (number.outcome === 'ok' || (country === null && number.why === 'needs_plus')) return null
  return number.sentence
}

function notificationProblems(step: Judged, { refusedAddresses, notifyUrl }: LiteralPlace): LiteralProblem[] {
  const url = wordParameter(step.parameters, 'url')
  if (url === '') return notifyUrl === null ? [{ name: 'url', message: NO_ADDRESS }] : []
  if (isOpen(url)) return []
  // A record's value must never redirect a call, so the address has no placeholders.
  if (!isLiteral(url)) return [{ name: 'url', message: 'Write the whole address: placeholders have no value in it.' }]
  if (!/^https?:\/\/[^/]/i.test(url) || !URL.canParse(url)) return [{ name: 'url', message: NOT_AN_ADDRESS }]
  const refused = refusedAddresses && Object.hasOwn(refusedAddresses, url) ? refusedAddresses[url] : undefined
  return refused === undefined ? [] : [{ name: 'url', message: refused }]
}

const NO_ADDRESS = 'Enter the address to call. No active webhook has one to use.'
const NOT_AN_ADDRESS = 'Must be a valid HTTPS URL'

function jobFieldProblems(step: Judged): LiteralProblem[] {
  const name = wordParameter(step.parameters, 'fieldName')
  if (isOpen(name)) return []
  const field = findJobField(name)
  if (field.outcome === 'refused') return [{ name: 'fieldName', message: field.sentence }]
  const destination = field.kind === 'date' || field.kind === 'moment' ? 'date' : 'field'
  const value = literal(step, 'fieldValue', destination)
  if (value === null) return []
  if (field.kind === 'badges') {
    const change = wordParameter(step.parameters, 'badgeChange')
    const whole = change === '' || change === 'replace'
    return !whole && value.trim() === '' ? [{ name: 'fieldValue', message: 'Choose a badge.' }] : []
  }
  // Given by id or by name: only ServiceM8 knows the account's queues and categories.
  if ((field.kind === 'queue' || field.kind === 'category') && value.trim() !== '') return []
  const read = jobFieldValue(field.name, value, EPOCH)
  if (read.outcome === 'ok') return []
  const hint = destination === 'date' ? ` ${DATE_HINT}` : ''
  return [{ name: 'fieldValue', message: `${read.sentence}${hint}` }]
}

function quoted(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return `"${line.length > 60 ? `${line.slice(0, 60)}…` : line}"`
}
