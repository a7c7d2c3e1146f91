import { type ActionType, FEED_MOST, SMS_MOST } from '#app/domain/automations/action-parameters.ts'
import { chatWarning } from '#app/features/endpoints/chat-address.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { findJobField, WRITABLE_JOB_FIELDS } from '../../actions/job-fields.ts'
import type { NamedId } from '../../rules/form-lists.ts'
import { SMS_HINT } from '../../rules/form-words.ts'
import { plainParameters } from '../form-state.ts'
import { CreateJobFields } from './create-job-fields.tsx'
import { EmailFields } from './email-fields.tsx'
import { useRuleForm } from './form-context.tsx'
import {
  BoxControl,
  Choice,
  DayControl,
  NEEDS_SIGN_IN,
  NONE_TO_CHOOSE,
  PickControl,
  parameterNames,
  SelectControl,
  ShowFields,
  STATUS_OPTIONS,
  type StepProps,
  TextControl,
  WordsControl,
} from './form-controls.tsx'

/** Characters from which on a text gets more than one line. */
const LONG_TEXT = 500

/** The parameters of one action. */
export function ActionFields(props: StepProps) {
  const type = props.step.type as ActionType
  switch (type) {
    case 'create_job':
      return <CreateJobFields {...props} />
    case 'send_email':
      return <EmailFields {...props} />
    case 'send_sms':
      return <SmsFields {...props} />
    case 'generate_document':
      return <DocumentFields {...props} />
    case 'update_job_status':
      return <StatusFields {...props} />
    case 'assign_to_queue':
      return <QueueFields {...props} />
    case 'send_staff_message':
      return <StaffMessageFields {...props} />
    case 'post_activity_feed':
      return <FeedFields {...props} />
    case 'send_notification':
      return <NotificationFields {...props} />
    case 'create_task':
      return <TaskFields {...props} />
    case 'update_job_field':
      return <JobFieldFields {...props} />
    default:
      return <PlainFields {...props} type={type} />
  }
}

/** Of an action that nobody has drawn by hand: one control for each parameter of its entry, in that order. */
function PlainFields({ type, ...props }: StepProps & { type: string }) {
  return plainParameters(type).map((spec) => {
    const { about, ...names } = parameterNames(props, spec.name)
    const label = spec.required ? `${spec.label} *` : spec.label
    switch (spec.kind) {
      case 'text':
        return (
          <WordsControl
            key={spec.name}
            {...names}
            label={label}
            rows={(spec.most ?? LONG_TEXT) >= LONG_TEXT ? 3 : 1}
            {...(spec.placeholders && { about })}
          />
        )
      case 'flag':
        return (
          <BoxControl key={spec.name} name={names.name}>
            {spec.label}
          </BoxControl>
        )
      case 'number':
        return <TextControl key={spec.name} {...names} label={label} type="number" />
      case 'choice':
        return (
          <SelectControl
            key={spec.name}
            {...names}
            label={label}
            none={spec.required ? `Choose: ${spec.label}` : 'None'}
            options={(spec.choices ?? []).map((value) => ({ value, label: value }))}
          />
        )
      case 'materials':
      case 'bundles':
        return null
      default:
        return assertNever(spec.kind)
    }
  })
}

function StatusFields(props: StepProps) {
  const { name, path } = parameterNames(props, 'status')
  return <SelectControl name={name} path={path} label="Job Status" none="Choose a status" options={STATUS_OPTIONS} />
}

function QueueFields(props: StepProps) {
  const { lists } = useRuleForm()
  const { name, path } = parameterNames(props, 'queueUuid')
  return (
    <PickControl
      name={name}
      path={path}
      label="Queue"
      list={lists.queues}
      none="Choose a queue"
      emptyHint={NEEDS_SIGN_IN}
    />
  )
}

function SmsFields(props: StepProps) {
  const { lists } = useRuleForm()
  const { parameters } = props.step
  const at = (parameter: string) => parameterNames(props, parameter)
  const { about: _about, ...template } = at('smsTemplateId')
  return (
    <>
      <WordsControl
        {...at('to')}
        label="To"
        placeholder="+447700900123"
        hint="A phone number in E.164 form, like +447700900123, or a placeholder. Empty = the mobile of the job's contact."
      />
      <BoxControl name={at('useSmsTemplate').name}>Use SMS Template</BoxControl>
      {parameters.useSmsTemplate === 'true' ? (
        <PickControl
          {...template}
          label="SMS Template"
          list={lists.smsTemplates}
          none="Choose a template"
          hint="Its text is written below, where you can change it."
          emptyHint={NEEDS_SIGN_IN}
        />
      ) : null}
      <ShowFields>Fill in the template</ShowFields>
      <WordsControl {...at('message')} label="Message" rows={4} hint={<SmsCounter text={parameters.message ?? ''} />} />
      <BoxControl name={at('linkToJob').name}>Link to the job, so that it is in its diary</BoxControl>
    </>
  )
}

export function SmsCounter({ text }: { text: string }) {
  const over = text.length > SMS_MOST
  return (
    <span className={over ? 'font-medium text-failing' : undefined}>{`${text.length}/${SMS_MOST} ${SMS_HINT}`}</span>
  )
}

/** Source: platform facts, section 7. */
const DOCUMENT_TYPES: readonly NamedId[] = ['Quote', 'Work Order', 'Invoice'].map((type) => ({
  uuid: type,
  label: type,
}))

function DocumentFields(props: StepProps) {
  const { lists } = useRuleForm()
  const at = (parameter: string) => parameterNames(props, parameter)
  const { about: _about, ...template } = at('templateType')
  const { createAttachment, storeToDiary } = props.step.parameters
  const isKept = createAttachment === 'true' || storeToDiary === 'true'
  return (
    <>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <SelectControl
          name={at('objectType').name}
          path={at('objectType').path}
          label="Object Type"
          none={null}
          options={['Job', 'Company'].map((value) => ({ value, label: value }))}
        />
        <SelectControl
          name={at('outputFormat').name}
          path={at('outputFormat').path}
          label="Output Format"
          none={null}
          options={['pdf', 'docx', 'jpg'].map((value) => ({ value, label: value.toUpperCase() }))}
        />
      </div>
      <PickControl
        {...template}
        label="Template"
        list={[...DOCUMENT_TYPES, ...lists.documentTemplates]}
        none="The kind that fits the job's status"
        emptyHint={NEEDS_SIGN_IN}
      />
      <BoxControl name={at('createAttachment').name} hint="A later action can send it or link to it.">
        Keep as an attachment of the job
      </BoxControl>
      <BoxControl name={at('storeToDiary').name} hint="Ticked with the box above, it is one file.">
        Store in the job diary
      </BoxControl>
      {isKept ? null : <p className="text-label text-attention">Tick a box to keep the document.</p>}
    </>
  )
}

function StaffMessageFields(props: StepProps) {
  const { lists } = useRuleForm()
  const at = (parameter: string) => parameterNames(props, parameter)
  const { about: _about, ...staff } = at('toStaffUuid')
  return (
    <>
      <PickControl
        {...staff}
        label="Staff Member"
        list={lists.staff}
        none="Choose a staff member"
        first={[{ value: '{entry.0.staff_uuid}', label: 'Whoever the job is assigned to' }]}
        emptyHint={NEEDS_SIGN_IN}
      />
      <WordsControl {...at('message')} label="Message" rows={3} />
      <BoxControl name={at('linkToJob').name}>Link to the job</BoxControl>
    </>
  )
}

function FeedFields(props: StepProps) {
  const at = (parameter: string) => parameterNames(props, parameter)
  const text = props.step.parameters.message ?? ''
  return (
    <>
      <WordsControl
        {...at('message')}
        label="Message"
        rows={3}
        hint={
          <span className={text.length > FEED_MOST ? 'font-medium text-failing' : undefined}>
            {`${text.length}/${FEED_MOST} characters`}
          </span>
        }
      />
      <BoxControl name={at('showActionBar').name}>Show the action bar</BoxControl>
    </>
  )
}

function NotificationFields(props: StepProps) {
  const at = (parameter: string) => parameterNames(props, parameter)
  const warning = chatWarning((props.step.parameters.url ?? '').trim())
  return (
    <>
      <SelectControl
        name={at('notificationType').name}
        path={at('notificationType').path}
        label="Notification Type"
        none={null}
        options={[{ value: 'webhook', label: 'Webhook' }]}
      />
      <WordsControl {...at('message')} label="Message" rows={3} />
      <TextControl
        name={at('url').name}
        path={at('url').path}
        label="Address"
        placeholder="https://"
        hint={
          warning === null ? (
            "Empty = the callback address of the rule's webhook, else of your first active one that has an address."
          ) : (
            <span className="text-attention">{warning}</span>
          )
        }
      />
    </>
  )
}

function TaskFields(props: StepProps) {
  return (
    <>
      <WordsControl {...parameterNames(props, 'title')} label="Task Title" />
      <WordsControl {...parameterNames(props, 'description')} label="Task Description" rows={3} />
    </>
  )
}

const FIELD_OPTIONS = WRITABLE_JOB_FIELDS.map(({ name, label }) => ({ value: name, label }))

function JobFieldFields(props: StepProps) {
  const { name, path } = parameterNames(props, 'fieldName')
  return (
    <>
      <SelectControl name={name} path={path} label="Field Name" none="Choose a field" options={FIELD_OPTIONS} />
      <ShowFields>Show its values</ShowFields>
      <JobFieldValue {...props} />
    </>
  )
}

/** Lists for what has a list, a calendar for days, words for the rest. */
function JobFieldValue(props: StepProps) {
  const { lists } = useRuleForm()
  const { about, ...names } = parameterNames(props, 'fieldValue')
  const field = findJobField(props.step.parameters.fieldName ?? '')
  const pick = (list: readonly NamedId[], none: string, emptyHint: string) => (
    <PickControl {...names} label="Field Value" list={list} none={none} emptyHint={emptyHint} />
  )
  if (field.outcome === 'found') {
    switch (field.name) {
      case 'status':
        return <SelectControl {...names} label="Field Value" none="Choose a status" options={STATUS_OPTIONS} />
      case 'category_uuid':
        return pick(lists.categories, 'No category', NONE_TO_CHOOSE)
      case 'queue_uuid':
        return pick(lists.queues, 'No queue', NEEDS_SIGN_IN)
      case 'queue_assigned_staff_uuid':
        return pick(lists.staff, 'Nobody', NEEDS_SIGN_IN)
      case 'company_uuid':
        return pick(lists.companies, 'No customer', NEEDS_SIGN_IN)
      case 'badges':
        return <BadgeFields {...props} />
      case 'date':
        return <DayControl {...names} about={about} label="Field Value" hint={EMPTIES} />
      default:
        if (field.kind === 'flag') {
          return <SelectControl {...names} label="Field Value" none="Empty" options={YES_OR_NO} />
        }
        if (field.kind === 'moment') {
          const format = 'A date and time like 2026-03-31 14:30, a date, or TODAY+3.'
          return <WordsControl {...names} about={about} label="Field Value" hint={`${format} ${EMPTIES}`} />
        }
    }
  }
  return <WordsControl {...names} about={about} label="Field Value" rows={2} hint={EMPTIES} />
}

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

/** One is added or removed by its name; replacing names them all. */
function BadgeFields(props: StepProps) {
  const { lists } = useRuleForm()
  const { about, ...names } = parameterNames(props, 'fieldValue')
  const change = props.step.parameters.badgeChange || 'replace'
  return (
    <>
      <Choice
        name={parameterNames(props, 'badgeChange').name}
        legend="Change"
        otherwise="replace"
        options={BADGE_CHANGES}
      />
      <ShowFields>Show its values</ShowFields>
      {change === 'replace' ? (
        <WordsControl
          {...names}
          about={about}
          label="Badges"
          hint="Their names, separated by commas. Empty = no badges."
        />
      ) : (
        <PickControl
          {...names}
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
