// The actions, one entry each: name, parameters (type, maximum length, required or not) and results for later steps.
// The API calls, the form, a rule's sentence, the import and the templates all read this table. `ActionType` derives
// from it, so code that must handle a new action does not compile until it does.

type ParameterKind = 'text' | 'flag' | 'number' | 'choice' | 'materials' | 'bundles'

export interface ParameterSpec {
  name: string
  /** The form's label. */
  label: string
  kind: ParameterKind
  required?: true
  /** Characters. */
  most?: number
  /** `choice`: the allowed values. */
  choices?: readonly string[]
  /** May contain placeholders. */
  placeholders?: true
}

interface ActionEntry {
  /** The name in the form and the history. */
  label: string
  /** The wording in a sentence about the rule: "then create a task". */
  does: string
  /** Its results for later steps, as `action_N_result.<name>` (specification, section 3). */
  gives: readonly string[]
  parameters: readonly ParameterSpec[]
}

interface ActionSpec extends ActionEntry {
  type: ActionType
}

export const SMS_MOST = 1600
export const FEED_MOST = 500
const SUBJECT_MOST = 250
const BODY_MOST = 20_000

const text = (name: string, label: string, more: Partial<ParameterSpec> = {}): ParameterSpec => ({
  name,
  label,
  kind: 'text',
  most: 2_000,
  placeholders: true,
  ...more,
})
const id = (name: string, label: string, more: Partial<ParameterSpec> = {}): ParameterSpec =>
  text(name, label, { most: 200, ...more })
const flag = (name: string, label: string): ParameterSpec => ({ name, label, kind: 'flag' })

const SPECS = [
  {
    type: 'create_job',
    label: 'Create Job',
    does: 'create a job',
    gives: ['job_uuid', 'generated_job_id'],
    parameters: [
      id('company_uuid', 'Company UUID', { required: true }),
      text('status', 'Job Status', { required: true, most: 200 }),
      text('job_description', 'Job Description', { most: BODY_MOST }),
      text('job_address', 'Job Address', { most: 500 }),
      id('date', 'Date'),
      text('purchase_order_number', 'Purchase Order Number', { most: 100 }),
      text('billing_address', 'Billing Address', { most: 500 }),
      id('category_uuid', 'Category'),
      id('queue_uuid', 'Queue'),
      { name: 'materials', label: 'Materials', kind: 'materials' },
      { name: 'material_bundles', label: 'Material Bundles', kind: 'bundles' },
      flag('copyMaterialsFromJob', 'Copy materials from a job'),
      flag('updateExistingMaterials', 'Move the existing materials instead of copying them'),
      flag('copyFromAllJobs', 'Copy materials from all jobs'),
      flag('transferFromAllJobs', 'Move materials from all jobs'),
      id('sourceJobUuid', 'Source Job UUID'),
      flag('copyBundlesFromJob', 'Copy bundles from a job'),
      flag('transferBundles', 'Move the existing bundles instead of copying them'),
      flag('copyBundlesFromAllJobs', 'Copy bundles from all jobs'),
      flag('transferBundlesFromAllJobs', 'Move bundles from all jobs'),
      id('sourceBundleJobUuid', 'Source Job UUID of the bundles'),
    ],
  },
  {
    type: 'update_job_status',
    label: 'Update Job Status',
    does: 'set the job to another status',
    gives: [],
    parameters: [text('status', 'Job Status', { required: true, most: 200 })],
  },
  {
    type: 'assign_to_queue',
    label: 'Assign to Queue',
    does: 'put the job in a queue',
    gives: [],
    parameters: [id('queueUuid', 'Queue', { required: true })],
  },
  {
    type: 'send_email',
    label: 'Send Email',
    does: 'e-mail the customer',
    gives: ['message_id', 'status'],
    parameters: [
      { name: 'contentType', label: 'Content', kind: 'choice', choices: ['manual', 'html', 'template'] },
      text('customSubject', 'Subject', { most: SUBJECT_MOST }),
      text('customBody', 'Message', { most: BODY_MOST }),
      text('customHtmlSubject', 'Subject', { most: SUBJECT_MOST }),
      text('customHtmlBody', 'HTML', { most: BODY_MOST }),
      id('emailTemplateId', 'Email Template'),
      text('subject', 'Subject', { most: SUBJECT_MOST }),
      text('htmlBody', 'HTML', { most: BODY_MOST }),
      text('to', 'To', { most: 1_000 }),
      text('cc', 'CC', { most: 1_000 }),
      text('replyTo', 'Reply To', { most: 320 }),
      flag('linkToJob', 'Link to the job'),
      flag('includeSignature', 'Include the staff signature'),
      flag('includeAttachments', 'Include attachments'),
      flag('includeJobAttachments', "Include the job's attachments"),
      text('attachmentFilter', 'Only attachments like', { most: 200 }),
      flag('includeAllJobAttachments', 'Include all attachments of the job'),
      flag('includeGeneratedDocument', 'Include a generated document'),
      { name: 'documentActionIndex', label: 'Document of action', kind: 'number' },
    ],
  },
  {
    type: 'send_sms',
    label: 'Send SMS',
    does: 'text the customer',
    gives: ['sms_id', 'status'],
    parameters: [
      flag('useSmsTemplate', 'Use SMS Template'),
      id('smsTemplateId', 'SMS Template'),
      text('to', 'To', { most: 200 }),
      text('message', 'Message', { most: SMS_MOST }),
      flag('linkToJob', 'Link to the job'),
    ],
  },
  {
    type: 'generate_document',
    label: 'Generate Document',
    does: 'make a document',
    gives: ['document_uuid', 'document_url'],
    parameters: [
      { name: 'objectType', label: 'Document for', kind: 'choice', choices: ['Job', 'Company'] },
      id('templateType', 'Template'),
      { name: 'outputFormat', label: 'Format', kind: 'choice', choices: ['pdf', 'docx', 'jpg'] },
      flag('storeToDiary', 'Store in the job diary'),
      flag('createAttachment', 'Keep as an attachment of the job'),
    ],
  },
  {
    type: 'send_staff_message',
    label: 'Send Staff Message',
    does: 'send a message to a staff member',
    gives: [],
    parameters: [
      id('toStaffUuid', 'Staff Member', { required: true }),
      text('message', 'Message', { required: true }),
      flag('linkToJob', 'Link to the job'),
    ],
  },
  {
    type: 'post_activity_feed',
    label: 'Post to Activity Feed',
    does: 'post to the activity feed',
    gives: [],
    parameters: [
      text('message', 'Message', { required: true, most: FEED_MOST }),
      flag('showActionBar', 'Show the action bar'),
    ],
  },
  {
    type: 'send_notification',
    label: 'Send Notification',
    does: 'notify another system',
    gives: [],
    parameters: [
      { name: 'notificationType', label: 'Kind', kind: 'choice', choices: ['webhook'] },
      text('message', 'Message', { required: true, most: BODY_MOST }),
      // No placeholders: a value from a record must not change the call's destination.
      { name: 'url', label: 'Address', kind: 'text', most: 2_048 },
    ],
  },
  {
    type: 'create_task',
    label: 'Create Task',
    does: 'create a task',
    gives: ['task_uuid'],
    parameters: [
      text('title', 'Title', { required: true, most: 200 }),
      text('description', 'Description', { most: BODY_MOST }),
    ],
  },
  {
    type: 'update_job_field',
    label: 'Update Job Field',
    does: 'change a field of the job',
    gives: [],
    parameters: [
      { name: 'fieldName', label: 'Field', kind: 'text', most: 200, required: true },
      text('fieldValue', 'Value', { most: BODY_MOST }),
      { name: 'badgeChange', label: 'Badges', kind: 'choice', choices: ['add', 'remove', 'replace'] },
    ],
  },
] as const satisfies readonly (ActionEntry & { type: string })[]

export type ActionType = (typeof SPECS)[number]['type']

export const ACTION_SPECS: readonly ActionSpec[] = SPECS
export const ACTION_TYPES: readonly ActionType[] = SPECS.map(({ type }) => type)

export function actionSpec(type: ActionType): ActionSpec {
  const found = ACTION_SPECS.find((action) => action.type === type)
  if (!found) throw new Error(`no action ${type}`)
  return found
}

/** The display name; for a type that no longer exists, the type. */
export function actionLabel(type: string): string {
  return ACTION_SPECS.find((action) => action.type === type)?.label ?? type
}

export function isActionType(value: unknown): value is ActionType {
  return typeof value === 'string' && ACTION_TYPES.includes(value as ActionType)
}
