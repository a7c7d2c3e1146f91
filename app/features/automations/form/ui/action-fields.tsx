import type { ReactNode } from 'react'
import { type ActionType, FEED_MOST, type ParameterSpec, SMS_MOST } from '#app/domain/automations/action-parameters.ts'
import { chatProgramOf } from '#app/features/events/chat/chat-message.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { findJobField, WRITABLE_JOB_FIELDS } from '../../actions/job-fields.ts'
import type { NamedId } from '../../rules/form-lists.ts'
import { smsHint } from '../../rules/message-limits.ts'
import { plainParameters } from '../form-state.ts'
import { CreateJobFields } from './create-job-fields.tsx'
import { EmailFields } from './email-fields.tsx'
import { useRuleForm, useStep } from './form-context.tsx'
import {
  BoxControl,
  Choice,
  DayControl,
  NEEDS_SIGN_IN,
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

/** Custom fields, by action. */
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
  return (
    <PickControl name="p.queueUuid" label="Queue" list={lists.queues} none="Choose a queue" emptyHint={NEEDS_SIGN_IN} />
  )
}

function SmsFields() {
  const { lists } = useRuleForm()
  const { parameters } = useStep().step
  return (
    <>
      <WordsControl
        name="p.to"
        label="To"
        placeholder="+447700900123"
        hint="A phone number in E.164 form, like +447700900123, or a placeholder. Empty = the mobile of the job's contact."
      />
      <BoxControl name="p.useSmsTemplate">Use SMS Template</BoxControl>
      {parameters.useSmsTemplate === 'true' ? (
        <PickControl
          name="p.smsTemplateId"
          label="SMS Template"
          list={lists.smsTemplates}
          none="Choose a template"
          hint="Its text is written below, where you can change it."
          emptyHint={NEEDS_SIGN_IN}
        />
      ) : null}
      <ShowFields>Fill in the template</ShowFields>
      <WordsControl name="p.message" label="Message" rows={4} hint={<SmsCounter text={parameters.message ?? ''} />} />
      <BoxControl name="p.linkToJob">Link to the job, so that it is in its diary</BoxControl>
    </>
  )
}

function SmsCounter({ text }: { text: string }) {
  const over = text.length > SMS_MOST
  return <span className={over ? 'font-medium text-failing' : undefined}>{smsHint(text)}</span>
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
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <SelectControl
          name="p.objectType"
          label="Object Type"
          none={null}
          options={['Job', 'Company'].map((value) => ({ value, label: value }))}
        />
        <SelectControl
          name="p.outputFormat"
          label="Output Format"
          none={null}
          options={['pdf', 'docx', 'jpg'].map((value) => ({ value, label: value.toUpperCase() }))}
        />
      </div>
      <PickControl
        name="p.templateType"
        label="Template"
        list={[...DOCUMENT_TYPES, ...lists.documentTemplates]}
        none="The kind that fits the job's status"
        emptyHint={NEEDS_SIGN_IN}
      />
      <BoxControl name="p.createAttachment" hint="A later action can send it or link to it.">
        Keep as an attachment of the job
      </BoxControl>
      <BoxControl name="p.storeToDiary" hint="Ticked with the box above, it is one file.">
        Store in the job diary
      </BoxControl>
      {isKept ? null : <p className="text-label text-attention">Tick a box to keep the document.</p>}
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
        first={[{ value: '{entry.0.staff_uuid}', label: 'Whoever the job is assigned to' }]}
        emptyHint={NEEDS_SIGN_IN}
      />
      <WordsControl name="p.message" label="Message" rows={3} />
      <BoxControl name="p.linkToJob">Link to the job</BoxControl>
    </>
  )
}

function FeedFields() {
  const text = useStep().step.parameters.message ?? ''
  return (
    <>
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
      <BoxControl name="p.showActionBar">Show the action bar</BoxControl>
    </>
  )
}

function NotificationFields() {
  const chat = chatProgramOf((useStep().step.parameters.url ?? '').trim())
  return (
    <>
      <SelectControl
        name="p.notificationType"
        label="Notification Type"
        none={null}
        options={[{ value: 'webhook', label: 'Webhook' }]}
      />
      <WordsControl name="p.message" label="Message" rows={3} />
      <TextControl
        name="p.url"
        label="Address"
        placeholder="https://"
        hint={
          chat === null
            ? "Empty = the callback address of the rule's webhook, else of your first active one that has an address."
            : `${chat.name} gets the message as text.`
        }
      />
    </>
  )
}

const FIELD_OPTIONS = WRITABLE_JOB_FIELDS.map(({ name, label }) => ({ value: name, label }))

function JobFieldFields() {
  return (
    <>
      <SelectControl name="p.fieldName" label="Field Name" none="Choose a field" options={FIELD_OPTIONS} />
      <ShowFields>Show its values</ShowFields>
      <JobFieldValue />
    </>
  )
}

/** A list where one exists, a date picker for days, free text for the rest. */
function JobFieldValue() {
  const { lists } = useRuleForm()
  const field = findJobField(useStep().step.parameters.fieldName ?? '')
  const pick = (list: readonly NamedId[], none: string, emptyHint: string) => (
    <PickControl {...FIELD_VALUE} list={list} none={none} emptyHint={emptyHint} />
  )
  if (field.outcome === 'found') {
    switch (field.name) {
      case 'status':
        return <SelectControl {...FIELD_VALUE} none="Choose a status" options={STATUS_OPTIONS} />
      case 'category_uuid':
        return pick(lists.categories, 'No category', NONE_TO_CHOOSE)
      case 'queue_uuid':
        return pick(lists.queues, 'No queue', NEEDS_SIGN_IN)
      case 'queue_assigned_staff_uuid':
        return pick(lists.staff, 'Nobody', NEEDS_SIGN_IN)
      case 'company_uuid':
        return pick(lists.companies, 'No customer', NEEDS_SIGN_IN)
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
const EMPTIES = 'Empty = the field is emptied.'

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
  const change = useStep().step.parameters.badgeChange || 'replace'
  return (
    <>
      <Choice name="p.badgeChange" legend="Change" otherwise="replace" options={BADGE_CHANGES} />
      <ShowFields>Show its values</ShowFields>
      {change === 'replace' ? (
        <WordsControl name="p.fieldValue" label="Badges" hint="Their names, separated by commas. Empty = no badges." />
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
