// `/platform_produce_document`: returns the bytes of the file, never an id.
import { findRecord, recordsOf } from '../../accounts.server.ts'
import { type Answer, errorAnswer } from '../../http.server.ts'
import type { AccountState, Stage } from '../../state.server.ts'
import type { SandboxRecord } from '../../world.ts'
import { findObject } from '../catalog.ts'
import { putInOutbox } from '../outbox.server.ts'
import { createRecord } from '../records.server.ts'
import { type AccountRequest, hasScope, scopeMessage, valuesOf } from '../wire-request.ts'
import { storeFile } from './attachments.server.ts'
import { docxBytes, jpegBytes, pdfBytes } from './document-bytes.ts'

const TEMPLATE_TYPES = ['Quote', 'Work Order', 'Invoice']

const FORMATS = {
  pdf: { type: 'application/pdf', make: pdfBytes },
  docx: {
    type: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    make: docxBytes,
  },
  jpg: { type: 'image/jpeg', make: jpegBytes },
} as const

/** Null for another path. */
export function documentCall(stage: Stage, request: AccountRequest): Answer | null {
  if (request.method !== 'POST' || request.path !== '/platform_produce_document') return null
  const { account } = request
  if (!hasScope(request, 'manage_jobs')) return errorAnswer(403, scopeMessage('manage_jobs'))
  const body = request.contentType === 'application/json' ? valuesOf(request) : null
  if (!body) return errorAnswer(400, 'Invalid request body')
  if (account.options.documentsFail) return errorAnswer(500, 'The document could not be produced')
  if (body.objectType !== 'Job') return errorAnswer(400, 'objectType must be Job')
  const templateType = String(body.templateType ?? '')
  if (!TEMPLATE_TYPES.includes(templateType))
    return errorAnswer(400, 'templateType must be Quote, Work Order or Invoice')
  const format = String(body.outputFormat ?? 'pdf')
  if (!isFormat(format)) return errorAnswer(400, 'outputFormat must be pdf, docx or jpg')
  const job = findRecord(account, 'job', String(body.objectUUID ?? '').toLowerCase())
  if (!job) return errorAnswer(404, 'Job not found')
  const templateUuid = String(body.templateUUID ?? '').toLowerCase()
  const template = templateUuid === '' ? null : findRecord(account, 'documenttemplate', templateUuid)
  if (templateUuid !== '' && !template) return errorAnswer(400, 'templateUUID does not name a document template')

  const bytes = FORMATS[format].make(linesOf(account, job, templateType, String(template?.name ?? '')))
  const fileName = `${templateType} ${job.generated_job_id}.${format}`
  let attachmentUuid = ''
  if (body.storeToDiary === true || body.storeToDiary === 1) {
    attachmentUuid = storeToDiary(stage, request, job, fileName, format, bytes)
  }
  putInOutbox(stage, account, {
    kind: 'document',
    jobUuid: job.uuid,
    templateType,
    outputFormat: format,
    fileName,
    bytes: bytes.byteLength,
    attachmentUuid,
  })
  return {
    status: 200,
    headers: {
      'content-type': FORMATS[format].type,
      'content-disposition': `attachment; filename="${fileName}"`,
      'content-security-policy': "default-src 'none'; sandbox",
    },
    body: bytes,
  }
}

function isFormat(text: string): text is keyof typeof FORMATS {
  return Object.hasOwn(FORMATS, text)
}

function storeToDiary(
  stage: Stage,
  request: AccountRequest,
  job: SandboxRecord,
  fileName: string,
  format: string,
  bytes: Uint8Array,
): string {
  const object = findObject('attachment')
  if (!object) return ''
  const values = {
    related_object: 'job',
    related_object_uuid: job.uuid,
    attachment_name: fileName,
    file_type: `.${format}`,
    attachment_source: 'DOCUMENT',
  }
  const made = createRecord(stage, request.account, object, values, { staffUuid: request.staffUuid })
  if (made.outcome === 'refused') return ''
  storeFile(stage, request.account, made.record.uuid, bytes)
  return made.record.uuid
}

function linesOf(account: AccountState, job: SandboxRecord, templateType: string, templateName: string): string[] {
  const vendor = findRecord(account, 'vendor', account.uuid)
  const company = findRecord(account, 'company', String(job.company_uuid))
  const lines = recordsOf(account, 'jobmaterial').filter((one) => one.job_uuid === job.uuid && Number(one.active) === 1)
  return [
    String(vendor?.name ?? ''),
    `${templateType} ${job.generated_job_id}${templateName === '' ? '' : ` (${templateName})`}`,
    '',
    `For: ${company?.name ?? ''}`,
    `At: ${job.job_address}`,
    '',
    ...String(job.job_description).split('\n').slice(0, 12),
    '',
    ...lines.slice(0, 20).map((one) => `${one.quantity} x ${one.name}   ${one.displayed_amount || one.price}`),
    '',
    `Total: ${vendor?.currency ?? ''} ${job.total_invoice_amount}`,
  ]
}
