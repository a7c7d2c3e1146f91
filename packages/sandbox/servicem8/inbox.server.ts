// The inbox: its list is wrapped and paged by offset, creating a message returns it whole, and it has actions.
import { findRecord, recordsOf } from '../accounts.server.ts'
import { type Answer, errorAnswer, jsonAnswer } from '../http.server.ts'
import type { Stage } from '../state.server.ts'
import type { SandboxRecord } from '../world.ts'
import { objectOf } from './catalog.ts'
import { createJob, textOf } from './new-job.server.ts'
import { createRecord, setComputed } from './records.server.ts'
import { scopeRefusal, shown } from './rest.server.ts'
import { type AccountRequest, hasScope, scopeMessage, valuesOf } from './wire-request.ts'

type Body = Record<string, unknown>

const INBOX = objectOf('inboxmessage')

/** The inbox's own calls; null for another path. A single message is read like any other record. */
export function inboxCall(stage: Stage, request: AccountRequest): Answer | null {
  if (/^\/api_1\.0\/inboxmessage\.json$/i.test(request.path)) {
    if (request.method === 'GET') return listInbox(request)
    if (request.method === 'POST') return addMessage(stage, request)
  }
  const action = /^\/api_1\.0\/inboxmessage\/([^/]+)\/([a-z-]+)\.json$/i.exec(request.path)
  return action ? inboxAction(stage, request, (action[1] ?? '').toLowerCase(), (action[2] ?? '').toLowerCase()) : null
}

function listInbox(request: AccountRequest): Answer {
  const refusal = scopeRefusal(request, INBOX, 'list')
  if (refusal) return refusal
  const limit = Math.min(500, Math.max(1, Number(request.query.get('limit')) || 50))
  const offset = Math.max(0, Number(request.query.get('offset')) || 0)
  const filter = request.query.get('filter') ?? 'all'
  const search = (request.query.get('search') ?? '').toLowerCase()
  const rows = recordsOf(request.account, INBOX.key).filter((row) => {
    if (filter === 'unread' && row.read_timestamp !== null) return false
    if (filter === 'archived' && row.is_archived !== true) return false
    if (filter === 'snoozed' && row.snooze_until_timestamp === null) return false
    return `${row.subject} ${row.message_text} ${row.from_name}`.toLowerCase().includes(search)
  })
  const page = rows.slice(offset, offset + limit)
  return jsonAnswer(200, {
    messages: page.map((row) => shown(request, INBOX, row)),
    pagination: { offset, limit, total: rows.length, has_more: offset + limit < rows.length },
  })
}

/** Adds a message from an integration: its job details are stored and used when it becomes a job. */
function addMessage(stage: Stage, request: AccountRequest): Answer {
  const refusal = scopeRefusal(request, INBOX, 'create')
  if (refusal) return refusal
  const body = valuesOf(request)
  if (!body) return errorAnswer(400, 'Invalid request body')
  const companyUuid = textOf(body.regarding_company_uuid).toLowerCase()
  if (companyUuid !== '' && !findRecord(request.account, 'company', companyUuid)) {
    return errorAnswer(404, 'Company not found')
  }
  const values = {
    subject: body.subject,
    message_text: body.message_text,
    from_name: body.from_name,
    from_email: body.from_email,
    regarding_company_uuid: companyUuid || null,
    json_data: { ...bodyOf(body.json_data), ...bodyOf(body.jobData) },
    message_type: 'form',
  }
  const made = createRecord(stage, request.account, INBOX, values, { staffUuid: request.staffUuid })
  if (made.outcome === 'refused') return errorAnswer(made.status, made.message)
  return jsonAnswer(201, shown(request, INBOX, made.record), { 'x-record-uuid': made.record.uuid })
}

function inboxAction(stage: Stage, request: AccountRequest, uuid: string, action: string): Answer {
  const { account, staffUuid } = request
  if (!hasScope(request, 'publish_inbox')) return errorAnswer(403, scopeMessage('publish_inbox'))
  const message = findRecord(account, INBOX.key, uuid)
  if (!message) return errorAnswer(404, 'Record not found')
  const body = valuesOf(request)
  if (!body) return errorAnswer(400, 'Invalid request body')
  const now = new Date(stage.clock.now()).toISOString()
  const change = (values: Body, more: Body = {}) => {
    setComputed(stage, account, INBOX.key, uuid, values, { staffUuid })
    return jsonAnswer(200, { success: true, ...more })
  }
  switch (`${request.method} ${action}`) {
    case 'PUT read':
      return change({ read_timestamp: now, read_by_staff_uuid: staffUuid || null })
    case 'PUT archive': {
      const archived = body.archived !== false
      return change({
        is_archived: archived,
        archived_timestamp: archived ? now : null,
        archived_by_staff_uuid: archived ? staffUuid || null : null,
      })
    }
    case 'PUT snooze': {
      const until = textOf(body.snooze_until)
      const at = Date.parse(until)
      if (until !== '' && Number.isNaN(at)) return errorAnswer(400, 'snooze_until is not a valid date')
      return change({ snooze_until_timestamp: until === '' ? null : new Date(at).toISOString() })
    }
    case 'POST convert-to-job':
      return convertToJob(stage, request, message, body)
    case 'POST attach-to-job': {
      const job = findRecord(account, 'job', textOf(body.job_uuid).toLowerCase())
      if (!job) return errorAnswer(404, 'Job not found')
      return change({ converted_to_job_uuid: job.uuid }, { job: jobView(job), message: 'Message attached to job' })
    }
    case 'POST notes':
      return textOf(body.note) === '' ? errorAnswer(400, 'note is required') : jsonAnswer(201, { success: true })
    default:
      return errorAnswer(404, 'Not found')
  }
}

function convertToJob(stage: Stage, request: AccountRequest, message: SandboxRecord, body: Body): Answer {
  const { account, staffUuid } = request
  const templateUuid = textOf(body.template_uuid).toLowerCase()
  const template = templateUuid === '' ? null : findRecord(account, 'jobtemplate', templateUuid)
  if (templateUuid !== '' && Number(template?.active) !== 1) return errorAnswer(404, 'Job template not found')
  const known = bodyOf(message.json_data)
  const written = [message.subject, message.message_text].filter((text) => text !== '').join('\n\n')
  const made = createJob(stage, request, {
    description: [textOf(template?.name), textOf(known.job_description) || written]
      .filter((text) => text !== '')
      .join('\n\n'),
    address: textOf(known.job_address),
    companyUuid: textOf(message.regarding_company_uuid),
    companyName: textOf(known.company_name),
  })
  if (made.outcome === 'refused') return errorAnswer(made.status, made.message)
  const job = made.record
  for (const contact of contactsIn(known)) {
    createRecord(stage, account, objectOf('jobcontact'), { job_uuid: job.uuid, ...contact }, { staffUuid })
  }
  if (textOf(body.note) !== '') {
    const note = { related_object: 'job', related_object_uuid: job.uuid, note: body.note }
    createRecord(stage, account, objectOf('note'), note, { staffUuid })
  }
  const result = { converted_to_job_uuid: job.uuid, job_template_uuid: template?.uuid ?? null }
  setComputed(stage, account, INBOX.key, message.uuid, result)
  const view = { ...jobView(job), job_number: String(job.generated_job_id) }
  return jsonAnswer(201, { success: true, job: view, message: `Job ${job.generated_job_id} created` })
}

/** The contacts in a message: the job's contact and the billing contact. */
function contactsIn(known: Body): Body[] {
  const of = (type: string, prefix: string, phone: string) => ({
    type,
    first: textOf(known[`${prefix}contact_first`]),
    last: textOf(known[`${prefix}contact_last`]),
    email: textOf(known[`${prefix}email`]),
    mobile: textOf(known[`${prefix}mobile`]),
    phone: textOf(known[phone]),
  })
  return [of('JOB', '', 'phone_1'), of('BILLING', 'billing_', '')].filter(
    ({ type: _type, ...rest }) => Object.values(rest).join('') !== '',
  )
}

function jobView(job: SandboxRecord): Body {
  return { uuid: job.uuid, id: Number(job.generated_job_id), location: String(job.job_address) }
}

function bodyOf(value: unknown): Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Body) : {}
}
