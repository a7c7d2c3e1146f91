// The inbox (its list is wrapped and paged by offset, and it has actions), and jobs made from a template.
import { findRecord, recordsOf } from '../accounts.server.ts'
import { type Answer, errorAnswer, jsonAnswer } from '../http.server.ts'
import type { Stage } from '../state.server.ts'
import type { SandboxRecord } from '../world.ts'
import { findObject, type ObjectFact } from './catalog.ts'
import { createRecord, setComputed } from './records.server.ts'
import { changeAnswer, scopeRefusal, shown } from './rest.server.ts'
import { type AccountRequest, hasScope, scopeMessage, valuesOf } from './wire-request.ts'

type Body = Record<string, unknown>

/** Calls that go beyond list, read, create, update, delete; null for another path. */
export function extraCall(stage: Stage, request: AccountRequest): Answer | null {
  const inbox = findObject('inboxmessage')
  if (inbox && request.method === 'GET' && /^\/api_1\.0\/inboxmessage\.json$/i.test(request.path)) {
    return listInbox(request, inbox)
  }
  const action = /^\/api_1\.0\/inboxmessage\/([^/]+)\/([a-z-]+)\.json$/i.exec(request.path)
  if (action) return inboxAction(stage, request, (action[1] ?? '').toLowerCase(), (action[2] ?? '').toLowerCase())
  const template = /^\/api_1\.0\/jobtemplate\/([^/]+)\/job\.json$/i.exec(request.path)
  if (template && request.method === 'POST') return jobFromTemplate(stage, request, (template[1] ?? '').toLowerCase())
  return null
}

function listInbox(request: AccountRequest, object: ObjectFact): Answer {
  const refusal = scopeRefusal(request, object, 'list')
  if (refusal) return refusal
  const limit = Math.min(500, Math.max(1, Number(request.query.get('limit')) || 50))
  const offset = Math.max(0, Number(request.query.get('offset')) || 0)
  const filter = request.query.get('filter') ?? 'all'
  const search = (request.query.get('search') ?? '').toLowerCase()
  const rows = recordsOf(request.account, object.key).filter((row) => {
    if (filter === 'unread' && row.read_timestamp !== null) return false
    if (filter === 'archived' && row.is_archived !== true) return false
    if (filter === 'snoozed' && row.snooze_until_timestamp === null) return false
    return `${row.subject} ${row.message_text} ${row.from_name}`.toLowerCase().includes(search)
  })
  const page = rows.slice(offset, offset + limit)
  return jsonAnswer(200, {
    messages: page.map((row) => shown(request, object, row)),
    pagination: { offset, limit, total: rows.length, has_more: offset + limit < rows.length },
  })
}

function inboxAction(stage: Stage, request: AccountRequest, uuid: string, action: string): Answer {
  const { account, staffUuid } = request
  if (!hasScope(request, 'publish_inbox')) return errorAnswer(403, scopeMessage('publish_inbox'))
  const message = findRecord(account, 'inboxmessage', uuid)
  if (!message) return errorAnswer(404, 'Record not found')
  const body = valuesOf(request)
  if (!body) return errorAnswer(400, 'Invalid request body')
  const now = new Date(stage.clock.now()).toISOString()
  const change = (values: Body) => {
    setComputed(stage, account, 'inboxmessage', uuid, values, { staffUuid })
    return jsonAnswer(200, { success: true })
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
    case 'PUT snooze':
      return change({ snooze_until_timestamp: String(body.snooze_until ?? '') || null })
    case 'POST convert-to-job':
      return convertToJob(stage, request, message)
    case 'POST attach-to-job': {
      const job = findRecord(account, 'job', String(body.job_uuid ?? '').toLowerCase())
      return job ? change({ converted_to_job_uuid: job.uuid }) : errorAnswer(404, 'Job not found')
    }
    case 'POST notes':
      return String(body.note ?? '') === '' ? errorAnswer(400, 'note is required') : jsonAnswer(200, { success: true })
    default:
      return errorAnswer(404, 'Not found')
  }
}

function convertToJob(stage: Stage, request: AccountRequest, message: SandboxRecord): Answer {
  const job = findObject('job')
  if (!job) return errorAnswer(400, 'Not available')
  const values: Body = {
    status: defaultStatus(request),
    job_description: [message.subject, message.message_text].filter((text) => text !== '').join('\n\n'),
    company_uuid: message.regarding_company_uuid ?? '',
  }
  const made = createRecord(stage, request.account, job, values, { staffUuid: request.staffUuid })
  if (made.outcome === 'refused') return errorAnswer(made.status, made.message)
  setComputed(stage, request.account, 'inboxmessage', message.uuid, { converted_to_job_uuid: made.record.uuid })
  const number = String(made.record.generated_job_id)
  return jsonAnswer(200, {
    success: true,
    job: { uuid: made.record.uuid, id: number, job_number: number, location: String(made.record.job_address) },
    message: `Job ${number} created`,
  })
}

function jobFromTemplate(stage: Stage, request: AccountRequest, uuid: string): Answer {
  const { account, staffUuid } = request
  const [job, company] = [findObject('job'), findObject('company')]
  if (!hasScope(request, 'create_jobs')) return errorAnswer(403, scopeMessage('create_jobs'))
  const template = findRecord(account, 'jobtemplate', uuid)
  const body = valuesOf(request)
  if (!template || !job || !company) return errorAnswer(404, 'Record not found')
  if (!body) return errorAnswer(400, 'Invalid request body')
  if (body.company_uuid && body.company_name) {
    return errorAnswer(400, 'company_uuid and company_name exclude each other')
  }
  let companyUuid = String(body.company_uuid ?? '')
  if (typeof body.company_name === 'string' && body.company_name !== '') {
    const made = createRecord(stage, account, company, { name: body.company_name }, { staffUuid })
    if (made.outcome === 'refused') return errorAnswer(made.status, made.message)
    companyUuid = made.record.uuid
  }
  const values: Body = {
    status: defaultStatus(request),
    job_description: body.job_description ?? template.name,
    company_uuid: companyUuid,
    job_address: body.job_address ?? '',
  }
  return changeAnswer(job, createRecord(stage, account, job, values, { staffUuid }), true)
}

function defaultStatus(request: AccountRequest): string {
  const status = findRecord(request.account, 'vendor', request.account.uuid)?.job_default_status
  return typeof status === 'string' && status !== '' ? status : 'Quote'
}
