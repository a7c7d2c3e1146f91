// Jobs created from a template or from a message in the inbox.
import { findRecord, recordsOf } from '../accounts.server.ts'
import { type Answer, errorAnswer, jsonAnswer } from '../http.server.ts'
import type { Stage } from '../state.server.ts'
import type { ChangeResult } from '../world.ts'
import { objectOf } from './catalog.ts'
import { isUuid } from './record-values.ts'
import { createRecord } from './records.server.ts'
import { type AccountRequest, hasScope, scopeMessage, valuesOf } from './wire-request.ts'

/** `/api_1.0/jobtemplate/{uuid}/job.json`; null for another path. Templates here only have a name to clone. */
export function templateCall(stage: Stage, request: AccountRequest): Answer | null {
  const match = /^\/api_1\.0\/jobtemplate\/([^/]+)\/job\.json$/i.exec(request.path)
  if (!match || request.method !== 'POST') return null
  if (!hasScope(request, 'create_jobs')) return errorAnswer(403, scopeMessage('create_jobs'))
  const uuid = (match[1] ?? '').toLowerCase()
  if (!isUuid(uuid)) return errorAnswer(400, 'Invalid job template UUID format')
  const body = valuesOf(request)
  if (!body) return errorAnswer(400, 'Invalid JSON in request body')
  if (body.company_uuid && body.company_name) {
    return errorAnswer(400, 'Cannot specify both company_uuid and company_name. Please provide only one.')
  }
  const template = findRecord(request.account, 'jobtemplate', uuid)
  if (Number(template?.active) !== 1) return errorAnswer(404, 'Job template not found or inactive')
  const made = createJob(stage, request, {
    description: textOf(body.job_description) || textOf(template?.name),
    address: textOf(body.job_address),
    companyUuid: textOf(body.company_uuid),
    companyName: textOf(body.company_name),
  })
  if (made.outcome === 'refused') return errorAnswer(made.status, made.message)
  const jobUUID = made.record.uuid
  const location = `/api_1.0/job/${jobUUID}.json`
  return jsonAnswer(201, { jobUUID, location, message: 'Job created successfully' }, { 'x-record-uuid': jobUUID })
}

interface NewJob {
  description: string
  address: string
  /** The customer's uuid, or ''. */
  companyUuid: string
  /** Used without a uuid: the customer of that name, created when missing; or ''. */
  companyName: string
}

/** Creates a job with the account's initial job status. */
export function createJob(stage: Stage, request: AccountRequest, wanted: NewJob): ChangeResult {
  const { account, staffUuid } = request
  const company = companyOf(stage, request, wanted)
  if (company.outcome === 'refused') return company
  const status = textOf(findRecord(account, 'vendor', account.uuid)?.job_default_status) || 'Quote'
  const values = {
    status,
    job_description: wanted.description,
    job_address: wanted.address,
    company_uuid: company.uuid,
  }
  return createRecord(stage, account, objectOf('job'), values, { staffUuid })
}

function companyOf(
  stage: Stage,
  { account, staffUuid }: AccountRequest,
  { companyUuid, companyName }: NewJob,
): { outcome: 'done'; uuid: string } | Extract<ChangeResult, { outcome: 'refused' }> {
  if (companyUuid !== '' || companyName === '') return { outcome: 'done', uuid: companyUuid }
  const same = (name: unknown) => textOf(name).toLowerCase() === companyName.toLowerCase()
  const known = recordsOf(account, 'company').find((one) => Number(one.active) === 1 && same(one.name))
  if (known) return { outcome: 'done', uuid: known.uuid }
  const made = createRecord(stage, account, objectOf('company'), { name: companyName }, { staffUuid })
  return made.outcome === 'done' ? { outcome: 'done', uuid: made.record.uuid } : made
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
