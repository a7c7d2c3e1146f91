import type { ReactNode } from 'react'
import { type ActionType, FEED_MOST, type ParameterSpec, SMS_MOST } from '#app/domain/automations/action-parameters.ts'
import { chatProgramOf } from '#app/features/events/chat/chat-message.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { findJobField, WRITABLE_JOB_FIELDS } from '../../actions/job-fields.ts'
import type { NamedId } from '../../rules/form-lists.ts'
import { creditText, smsCredits, smsHint } from '../../rules/message-limits.ts'
import type { FieldErrors } from '../../rules/rule-form.ts'
import { plainParameters, receiverWords, type StepRow } from '../form-state.ts'
import { isWrongAt } from './block.tsx'
import { CreateJobFields, CreateJobOptions } from './create-job-fields.tsx'
import { EmailFields, EmailOptions } from './email-fields.tsx'
import { useRuleForm, useStep } from './form-context.tsx'
import {
  BoxControl,
  Choice,
  DayControl,
  NONE_TO_CHOOSE,
  PickControl,
  SelectControl,
  ShowFields,
  STATUS_OPTIONS,
  TextControl,
  WordsControl,
} from './form-controls.tsx'

/** Texts that allow this many characters or more get several lines. */
const LONG_TEXT = 500

/** What most people need of an action; the rest is under its options. Any other action has one control per parameter. */
const FIELDS: Partial<Record<ActionType, () => ReactNode>> = {
  create_job: () => <CreateJobFields />,
  send_email: () => <EmailFields />,
  send_sms: () => <SmsFields />,
  generate_document: () => <DocumentFields />,
  update_job_status: () => (
    <SelectControl name="p.status" label="Job Status" none="Choose a status" options={STATUS_OPTIONS} />
  ),
  assign_to_queue: () => <QueueFields />,
  send_staff_message: () => <StaffMessageFields />,
  post_activity_feed: () => <FeedFields />,
  send_notification: () => <NotificationFields />,
  create_task: () => (
    <>
      <WordsControl name="p.title" label="Task Title" />
      <WordsControl name="p.description" label="Task Description" rows={3} />
    </>
  ),
  update_job_field: () => <JobFieldFields />,
}

/** The rare parameters of an action. */
const OPTIONS: Partial<Record<ActionType, () => ReactNode>> = {
  create_job: () => <CreateJobOptions />,
  send_email: () => <EmailOptions />,
  send_sms: () => <SmsOptions />,
  generate_document: () => <DocumentOptions />,
  send_staff_message: () => <BoxControl name="p.linkToJob">Link to the job</BoxControl>,
  post_activity_feed: () => <BoxControl name="p.showActionBar">Show the action bar</BoxControl>,
  send_notification: () => (
    <SelectControl
      name="p.notificationType"
      label="Notification Type"
      none={null}
      options={[{ value: 'webhook', label: 'Webhook' }]}
    />
  ),
}

/** The parameters that stand under the options of an action. */
const IN_OPTIONS: Partial<Record<ActionType, readonly string[]>> = {
  create_job: [
    'job_address',
    'date',
    'purchase_order_number',
    'billing_address',
    'category_uuid',
    'queue_uuid',
    'materials',
    'material_bundles',
    'sourceJobUuid',
    'sourceBundleJobUuid',
  ],
  send_email: ['to', 'cc', 'replyTo', 'contentType', 'attachmentFilter', 'documentActionIndex'],
  send_sms: ['to', 'smsTemplateId'],
  generate_document: ['objectType'],
}

/** The options that are on, in words. */
const OPTION_WORDS: Readonly<Record<string, string>> = {
  linkToJob: 'linked to the job',
  includeSignature: 'signed',
  includeAttachments: 'with files',
  useSmsTemplate: 'from a template',
  showActionBar: 'with action bar',
  cc: 'with copies',
}

export function optionWords({ type, parameters }: StepRow): string[] {
  const on = Object.entries(OPTION_WORDS).flatMap(([name, words]) => (parameters[name] ? [words] : []))
  const receiver = receiverWords({ type, parameters })
  return receiver === null ? on : [`to ${receiver}`, ...on]
}

/** True when something under the options needs a look: an error, or a note about the receiver. */
export function isOptionWrong({ key, type }: StepRow, index: number, errors: FieldErrors, hints: object): boolean {
  const names = IN_OPTIONS[type as ActionType] ?? []
  const wrong = [`actions.${index}.type`, ...names.map((name) => `actions.${index}.parameters.${name}`)]
  return isWrongAt(errors, wrong) || Object.hasOwn(hints, `${key}.to`)
}

export function ActionOptions() {
  return OPTIONS[useStep().step.type as ActionType]?.() ?? null
}

/** The parameters of one action: its custom fields, or one control per parameter in the order of its spec. */
export function ActionFields() {
  const type = useStep().step.type as ActionType
  return FIELDS[type]?.() ?? plainParameters(type).map((spec) => <PlainField key={spec.name} spec={spec} />)
}

function PlainField({ spec }: { spec: ParameterSpec }) {
  const shared = { name: `p.${spec.name}`, label: spec.required ? `${spec.label} *` : spec.label }
  switch (spec.kind) {
    case 'text':
      return <WordsControl {...shared} rows={(spec.most ?? LONG_TEXT) >= LONG_TEXT ? 3 : 1} />
    case 'flag':
      return <BoxControl name={shared.name}>{spec.label}</BoxControl>
    case 'number':
      return <TextControl {...shared} type="number" />
    case 'choice': {
      const options = (spec.choices ?? []).map((value) => ({ value, label: value }))
      return <SelectControl {...shared} none={spec.required ? `Choose: ${spec.label}` : 'None'} options={options} />
    }
    case 'materials':
    case 'bundles':
      return null
    default:
      return assertNever(spec.kind)
  }
}

function QueueFields() {
  const { lists } = useRuleForm()
  return <PickControl name="p.queueUuid" label="Queue" list={lists.queues} none="Choose a queue" />
}

function SmsFields() {
  const { step } = useStep()
  const { message = '' } = step.parameters
  return (
    <WordsControl
      name="p.message"
      label="Message"
      rows={4}
      hint={<SmsCounter text={message} />}
      counter={<SmsCost text={message} stepKey={step.key} />}
    />
  )
}

function SmsOptions() {
  const { lists } = useRuleForm()
  const { step } = useStep()
  return (
    <>
      <WordsControl name="p.to" label="To" hint="Leave empty to text the job's contact." placeholder="+447700900123" />
      <BoxControl name="p.useSmsTemplate">Use SMS Template</BoxControl>
      {step.parameters.useSmsTemplate === 'true' ? (
        <PickControl
          name="p.smsTemplateId"
          label="SMS Template"
          list={lists.smsTemplates}
          none="Choose a template"
          hint="Fills in the message. Change it there."
        />
      ) : null}
      <ShowFields place={`${step.key}.options`}>Fill in the template</ShowFields>
      <BoxControl name="p.linkToJob" hint="Needed to see whether it arrived.">
        Link to the job
      </BoxControl>
    </>
  )
}

function SmsCounter({ text }: { text: string }) {
  const over = text.length > SMS_MOST
  return <span className={over ? 'font-medium text-failing' : undefined}>{smsHint(text)}</span>
}

/** What the message comes to with real values; a text without placeholders needs none. */
function SmsCost({ text, stepKey }: { text: string; stepKey: string }) {
  const { sends } = useRuleForm()
  if (text.trim() === '') return null
  const known = Object.hasOwn(sends, stepKey) ? sends[stepKey] : undefined
  if (known) return `About ${known.characters} characters · ${creditText(known.credits)}`
  if (/[{[]/.test(text)) return null
  return `${text.length} characters · ${creditText(smsCredits(text))}`
}

/** Source: platform facts, section 7. */
const DOCUMENT_TYPES: readonly NamedId[] = ['Quote', 'Work Order', 'Invoice'].map((type) => ({
  uuid: type,
  label: type,
}))

function DocumentFields() {
  const { lists } = useRuleForm()
  const { createAttachment, storeToDiary } = useStep().step.parameters
  const isKept = createAttachment === 'true' || storeToDiary === 'true'
  return (
    <>
      <PickControl
        name="p.templateType"
        label="Template"
        list={[...DOCUMENT_TYPES, ...lists.documentTemplates]}
        none="The kind that fits the job's status"
      />
      <SelectControl
        name="p.outputFormat"
        label="Output Format"
        none={null}
        options={['pdf', 'docx', 'jpg'].map((value) => ({ value, label: value.toUpperCase() }))}
      />
      {isKept ? null : <p className="text-label text-attention">Tick a box under Options to keep the document.</p>}
    </>
  )
}

function DocumentOptions() {
  return (
    <>
      <SelectControl
        name="p.objectType"
        label="Object Type"
        none={null}
        options={['Job', 'Company'].map((value) => ({ value, label: value }))}
      />
      <BoxControl name="p.createAttachment" hint="A later action can send it or link to it.">
        Keep as an attachment of the job
      </BoxControl>
      <BoxControl name="p.storeToDiary" hint="Both boxes keep one file.">
        Store in the job diary
      </BoxControl>
    </>
  )
}

function StaffMessageFields() {
  const { lists } = useRuleForm()
  return (
    <>
      <PickControl
        name="p.toStaffUuid"
        label="Staff Member"
        list={lists.staff}
        none="Choose a staff member"
        first={[{ value: '{entry.0.staff_uuid}', label: 'The person assigned to the job' }]}
      />
      <WordsControl name="p.message" label="Message" rows={3} />
    </>
  )
}

function FeedFields() {
  const text = useStep().step.parameters.message ?? ''
  return (
    <WordsControl
      name="p.message"
      label="Message"
      rows={3}
      hint={
        <span className={text.length > FEED_MOST ? 'font-medium text-failing' : undefined}>
          {`${text.length}/${FEED_MOST} characters`}
        </span>
      }
    />
  )
}

function NotificationFields() {
  const chat = chatProgramOf((useStep().step.parameters.url ?? '').trim())
  return (
    <>
      <WordsControl name="p.message" label="Message" rows={3} />
      <TextControl
        name="p.url"
        label="Address"
        placeholder="https://"
        hint={chat === null ? "Leave empty for your webhook's own address." : `${chat.name} gets the message as text.`}
      />
    </>
  )
}

const FIELD_OPTIONS = WRITABLE_JOB_FIELDS.map(({ name, label }) => ({ value: name, label }))

function JobFieldFields() {
  const { step } = useStep()
  return (
    <>
      <SelectControl name="p.fieldName" label="Field Name" none="Choose a field" options={FIELD_OPTIONS} />
      <ShowFields place={step.key}>Show its values</ShowFields>
      <JobFieldValue />
    </>
  )
}

/** A list where one exists, a date picker for days, free text for the rest. */
function JobFieldValue() {
  const { lists } = useRuleForm()
  const field = findJobField(useStep().step.parameters.fieldName ?? '')
  const pick = (list: readonly NamedId[], none: string, emptyHint?: string) => (
    <PickControl {...FIELD_VALUE} list={list} none={none} emptyHint={emptyHint} />
  )
  if (field.outcome === 'found') {
    switch (field.name) {
      case 'status':
        return <SelectControl {...FIELD_VALUE} none="Choose a status" options={STATUS_OPTIONS} />
      case 'category_uuid':
        return pick(lists.categories, 'No category', NONE_TO_CHOOSE)
      case 'queue_uuid':
        return pick(lists.queues, 'No queue')
      case 'queue_assigned_staff_uuid':
        return pick(lists.staff, 'Nobody')
      case 'company_uuid':
        return pick(lists.companies, 'No customer')
      case 'badges':
        return <BadgeFields />
      case 'date':
        return <DayControl {...FIELD_VALUE} hint={EMPTIES} />
      default:
        if (field.kind === 'flag') {
          return <SelectControl {...FIELD_VALUE} none="Empty" options={YES_OR_NO} />
        }
        if (field.kind === 'moment') {
          const format = 'A date and time like 2026-03-31 14:30, a date, or TODAY+3.'
          return <WordsControl {...FIELD_VALUE} hint={`${format} ${EMPTIES}`} />
        }
    }
  }
  return <WordsControl {...FIELD_VALUE} rows={2} hint={EMPTIES} />
}

const FIELD_VALUE = { name: 'p.fieldValue', label: 'Field Value' }
const EMPTIES = 'Leave empty to clear the field.'

const YES_OR_NO = [
  { value: '1', label: 'Yes' },
  { value: '0', label: 'No' },
]

const BADGE_CHANGES = [
  { value: 'add', label: 'Add a badge' },
  { value: 'remove', label: 'Remove a badge' },
  { value: 'replace', label: 'Replace all badges' },
]

/** Adding or removing takes one badge by name; replacing takes all of them. */
function BadgeFields() {
  const { lists } = useRuleForm()
  const { step } = useStep()
  const change = step.parameters.badgeChange || 'replace'
  return (
    <>
      <Choice name="p.badgeChange" legend="Change" otherwise="replace" options={BADGE_CHANGES} />
      <ShowFields place={step.key}>Show its values</ShowFields>
      {change === 'replace' ? (
        <WordsControl name="p.fieldValue" label="Badges" hint="Names, separated by commas. Empty removes all." />
      ) : (
        <PickControl
          name="p.fieldValue"
          label="Badge"
          list={lists.badges.map(({ label }) => ({ uuid: label, label }))}
          none="Choose a badge"
          emptyHint={NONE_TO_CHOOSE}
          typed="Badge: a name or a placeholder"
        />
      )}
    </>
  )
}
