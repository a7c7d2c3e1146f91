import { assertNever } from '#app/lib/assert-never.ts'
import type { ActionType } from '../action-parameters.ts'
import type { NamedId } from '../form-lists.ts'
import { plainParameters } from '../form-state.ts'
import { SMS_HINT } from '../form-words.ts'
import { FEED_LONGEST, SMS_LONGEST } from '../message-limits.ts'
import { CreateJobFields } from './create-job-fields.tsx'
import { EmailFields } from './email-fields.tsx'
import { useRuleForm } from './form-context.tsx'
import { BoxControl, PickControl, SelectControl, ShowFields, TextControl, WordsControl } from './form-controls.tsx'
import { NEEDS_SIGN_IN, NONE_TO_CHOOSE, parameterNames, STATUS_OPTIONS, type StepProps } from './step-controls.ts'

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
  const over = text.length > SMS_LONGEST
  return (
    <span className={over ? 'font-medium text-failing' : undefined}>{`${text.length}/${SMS_LONGEST} ${SMS_HINT}`}</span>
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
      <BoxControl name={at('storeToDiary').name}>Store in the job diary</BoxControl>
      <BoxControl name={at('createAttachment').name}>Keep as an attachment of the job</BoxControl>
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
          <span className={text.length > FEED_LONGEST ? 'font-medium text-failing' : undefined}>
            {`${text.length}/${FEED_LONGEST} characters`}
          </span>
        }
      />
      <BoxControl name={at('showActionBar').name}>Show the action bar</BoxControl>
    </>
  )
}

function NotificationFields(props: StepProps) {
  const at = (parameter: string) => parameterNames(props, parameter)
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
      <WordsControl
        {...at('url')}
        label="Address"
        placeholder="https://"
        hint="Where it is sent. Empty = the callback address of the rule's webhook, or of your first active one."
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

/** Of a job, what a person would want to write. Any other field can be named below. */
const WRITABLE: readonly NamedId[] = [
  ['job_description', 'Job description'],
  ['work_done_description', 'Work done'],
  ['job_address', 'Job address'],
  ['billing_address', 'Billing address'],
  ['purchase_order_number', 'Purchase order number'],
  ['category_uuid', 'Category'],
  ['badges', 'Badges'],
  ['date', 'Date'],
].map(([uuid = '', label = '']) => ({ uuid, label }))

function JobFieldFields(props: StepProps) {
  const { lists } = useRuleForm()
  const { about: _about, ...field } = parameterNames(props, 'fieldName')
  return (
    <>
      <PickControl {...field} label="Field Name" list={WRITABLE} none="Choose a field" emptyHint="" />
      {props.step.parameters.fieldName === 'category_uuid' ? (
        <PickControl
          name={parameterNames(props, 'fieldValue').name}
          path={parameterNames(props, 'fieldValue').path}
          label="Field Value"
          list={lists.categories}
          none="No category"
          emptyHint={NONE_TO_CHOOSE}
        />
      ) : (
        <WordsControl
          {...parameterNames(props, 'fieldValue')}
          label="Field Value"
          rows={2}
          hint="Empty = the field is emptied."
        />
      )}
    </>
  )
}
