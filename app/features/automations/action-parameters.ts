// Every parameter of the eleven actions, as the specification lists them: what kind of value it takes, how long it may be, what
// must be there. The call, the form, the import and the templates are all checked against this one table.
import { ACTION_TYPES, type ActionParameters, type ActionType, JOB_STATUSES, type ParameterValue } from './rule.ts'

export type ParameterKind = 'text' | 'flag' | 'number' | 'choice' | 'materials' | 'bundles'

export interface ParameterSpec {
  name: string
  /** As the form labels it. */
  label: string
  kind: ParameterKind
  required?: true
  /** Characters. */
  most?: number
  /** `choice`: what may be chosen. */
  choices?: readonly string[]
  /** Placeholders may stand in it. */
  placeholders?: true
}

export interface ActionSpec {
  type: ActionType
  label: string
  parameters: readonly ParameterSpec[]
}

export const SMS_MOST = 1600
export const FEED_MOST = 500
const SUBJECT_MOST = 250
const BODY_MOST = 20_000
const MOST_LINES = 100

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

export const ACTION_SPECS: readonly ActionSpec[] = [
  {
    type: 'create_job',
    label: 'Create Job',
    parameters: [
      id('company_uuid', 'Company UUID', { required: true }),
      text('status', 'Job Status', { required: true, most: 200 }),
      text('job_description', 'Job Description', { most: BODY_MOST }),
      text('job_address', 'Job Address', { most: 500 }),
      id('date', 'Date'),
      text('purchase_order_number', 'Purchase Order Number', { most: 200 }),
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
    parameters: [text('status', 'Job Status', { required: true, most: 200 })],
  },
  { type: 'assign_to_queue', label: 'Assign to Queue', parameters: [id('queueUuid', 'Queue', { required: true })] },
  {
    type: 'send_email',
    label: 'Send Email',
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
      flag('includeSignature', 'Include the signature'),
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
    parameters: [
      flag('useSmsTemplate', 'Use a template'),
      id('smsTemplateId', 'SMS Template'),
      text('to', 'To', { most: 200 }),
      text('message', 'Message', { most: SMS_MOST }),
      flag('linkToJob', 'Link to the job'),
    ],
  },
  {
    type: 'generate_document',
    label: 'Generate Document',
    parameters: [
      { name: 'objectType', label: 'Document for', kind: 'choice', choices: ['Job', 'Company'] },
      id('templateType', 'Template'),
      { name: 'outputFormat', label: 'Format', kind: 'choice', choices: ['pdf', 'docx', 'jpg'] },
      flag('storeToDiary', 'Store in the job diary'),
      flag('createAttachment', 'Keep as an attachment'),
    ],
  },
  {
    type: 'send_staff_message',
    label: 'Send Staff Message',
    parameters: [
      id('toStaffUuid', 'Staff Member', { required: true }),
      text('message', 'Message', { required: true }),
      flag('linkToJob', 'Link to the job'),
    ],
  },
  {
    type: 'post_activity_feed',
    label: 'Post to Activity Feed',
    parameters: [
      text('message', 'Message', { required: true, most: FEED_MOST }),
      flag('showActionBar', 'Show the action bar'),
    ],
  },
  {
    type: 'send_notification',
    label: 'Send Notification',
    parameters: [
      { name: 'notificationType', label: 'Kind', kind: 'choice', choices: ['webhook'] },
      text('message', 'Message', { required: true, most: BODY_MOST }),
      text('url', 'Address', { most: 2_048 }),
    ],
  },
  {
    type: 'create_task',
    label: 'Create Task',
    parameters: [
      text('title', 'Title', { required: true, most: 200 }),
      text('description', 'Description', { most: BODY_MOST }),
    ],
  },
  {
    type: 'update_job_field',
    label: 'Update Job Field',
    parameters: [id('fieldName', 'Field', { required: true }), text('fieldValue', 'Value', { most: BODY_MOST })],
  },
]

export function actionSpec(type: ActionType): ActionSpec {
  const found = ACTION_SPECS.find((action) => action.type === type)
  if (!found) throw new Error(`no action ${type}`)
  return found
}

export function isActionType(value: unknown): value is ActionType {
  return typeof value === 'string' && ACTION_TYPES.includes(value as ActionType)
}

/** Rows of materials and bundles: which numbers and ids each may carry. */
const ROW_FIELDS = {
  materials: { ids: ['material_uuid'], numbers: ['quantity', 'unit_cost'] },
  bundles: { ids: ['bundle_uuid'], numbers: ['quantity'] },
} as const

export type ReadParameters =
  | { outcome: 'read'; parameters: ActionParameters }
  | { outcome: 'invalid'; issues: { name: string; message: string }[] }

/**
 * Parameters of one action as they came, checked and put into shape. Absent and empty ones are left out; numbers may come as
 * text. Everything that is wrong is told, in the order of the table.
 */
export function readParameters(type: ActionType, given: Readonly<Record<string, unknown>>): ReadParameters {
  const { parameters: specs } = actionSpec(type)
  const issues: { name: string; message: string }[] = []
  const read: ActionParameters = {}
  for (const name of Object.keys(given)) {
    if (!specs.some((spec) => spec.name === name)) issues.push({ name, message: 'Not allowed' })
  }
  for (const spec of specs) {
    const value = Object.hasOwn(given, spec.name) ? given[spec.name] : undefined
    if (value === undefined || value === null || value === '') {
      if (spec.required) issues.push({ name: spec.name, message: `${spec.label} is required` })
      continue
    }
    const one = readValue(spec, value)
    if (typeof one === 'object' && one !== null && 'message' in one && !Array.isArray(one)) {
      issues.push({ name: spec.name, message: String(one.message) })
    } else read[spec.name] = one as ParameterValue
  }
  if (issues.length === 0) issues.push(...togetherIssues(type, read))
  return issues.length > 0 ? { outcome: 'invalid', issues } : { outcome: 'read', parameters: read }
}

function readValue(spec: ParameterSpec, value: unknown): ParameterValue | { message: string } {
  switch (spec.kind) {
    case 'text': {
      if (typeof value !== 'string' && typeof value !== 'number') return { message: 'Invalid input' }
      const written = String(value)
      const most = spec.most ?? 2_000
      return written.length > most ? { message: `${spec.label} has at most ${most} characters` } : written
    }
    case 'flag':
      if (typeof value === 'boolean') return value
      return value === 'true' || value === 'on' ? true : value === 'false' ? false : { message: 'Invalid input' }
    case 'number': {
      const number = Number(value)
      const usable = (typeof value === 'number' || typeof value === 'string') && Number.isFinite(number)
      return usable ? number : { message: `${spec.label} is a number` }
    }
    case 'choice':
      return spec.choices?.includes(String(value))
        ? String(value)
        : { message: `${spec.label}: choose ${spec.choices?.join(', ')}` }
    case 'materials':
    case 'bundles':
      return readRows(spec, spec.kind, value)
  }
}

function readRows(
  spec: ParameterSpec,
  kind: 'materials' | 'bundles',
  value: unknown,
): Record<string, string | number>[] | { message: string } {
  if (!Array.isArray(value)) return { message: 'Invalid input' }
  if (value.length > MOST_LINES) return { message: `${spec.label}: at most ${MOST_LINES} lines` }
  const { ids, numbers } = ROW_FIELDS[kind]
  const rows: Record<string, string | number>[] = []
  for (const [index, line] of value.entries()) {
    if (typeof line !== 'object' || line === null || Array.isArray(line)) return { message: 'Invalid input' }
    const given = line as Record<string, unknown>
    const row: Record<string, string | number> = {}
    for (const name of ids) {
      const uuid = given[name]
      if (typeof uuid !== 'string' || uuid === '' || uuid.length > 200) {
        return { message: `${spec.label}, line ${index + 1}: choose what it is` }
      }
      row[name] = uuid
    }
    for (const name of numbers) {
      const raw = given[name]
      if (raw === undefined || raw === null || raw === '') {
        if (name === 'quantity') row[name] = 1
        continue
      }
      const number = Number(raw)
      if (!Number.isFinite(number) || number < 0 || number > 1_000_000) {
        return { message: `${spec.label}, line ${index + 1}: ${name.replace('_', ' ')} is a number from 0` }
      }
      row[name] = number
    }
    rows.push(row)
  }
  return rows
}

/** What only several parameters together can get wrong: sources that exclude each other, content that is missing. */
function togetherIssues(type: ActionType, parameters: ActionParameters): { name: string; message: string }[] {
  const on = (name: string) => parameters[name] === true
  const has = (name: string) => parameters[name] !== undefined && parameters[name] !== ''
  const issues: { name: string; message: string }[] = []
  if (type === 'update_job_status' || type === 'create_job') {
    const status = String(parameters.status)
    if (!JOB_STATUSES.some((one) => one === status) && !status.includes('{')) {
      issues.push({ name: 'status', message: `Job Status: choose ${JOB_STATUSES.join(', ')}` })
    }
  }
  if (type === 'create_job') {
    const materials = [
      has('materials'),
      on('copyMaterialsFromJob') || on('copyFromAllJobs'),
      on('updateExistingMaterials') || on('transferFromAllJobs'),
    ]
    const bundles = [
      has('material_bundles'),
      on('copyBundlesFromJob') || on('copyBundlesFromAllJobs'),
      on('transferBundles') || on('transferBundlesFromAllJobs'),
    ]
    const one = 'Choose one source: typed in, copied, or moved'
    if (materials.filter(Boolean).length > 1) issues.push({ name: 'materials', message: one })
    if (bundles.filter(Boolean).length > 1) issues.push({ name: 'material_bundles', message: one })
  }
  if (type === 'send_sms') {
    if (on('useSmsTemplate') ? !has('smsTemplateId') && !has('message') : !has('message')) {
      issues.push({ name: 'message', message: 'Message is required' })
    }
  }
  if (type === 'send_email') {
    const content = parameters.contentType ?? 'manual'
    const missing =
      content === 'template'
        ? !has('emailTemplateId')
        : content === 'html'
          ? !has('customHtmlBody') && !has('htmlBody')
          : !has('customBody') && !has('customSubject')
    if (missing) {
      const name = content === 'template' ? 'emailTemplateId' : content === 'html' ? 'customHtmlBody' : 'customBody'
      issues.push({ name, message: content === 'template' ? 'Email Template is required' : 'Message is required' })
    }
  }
  return issues
}
