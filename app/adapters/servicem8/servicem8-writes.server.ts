// ServiceM8 calls that change something or reach a person: records, messages, documents, files. Each is made once; its
// outcome is exact, so the journal knows what may be repeated.
import { isRecord, parseJson } from '#app/lib/json.ts'
import type {
  ActingStaff,
  DocumentOrder,
  PlatformEmail,
  PlatformFailure,
  PlatformFile,
  PlatformRecord,
  PlatformResult,
  PlatformSms,
  PlatformWrites,
  RecordFields,
} from '../platform.ts'
import { textOf, undone, unreadable } from './servicem8-answer.ts'
import { maskEmail, maskPhone, type PlatformCall } from './servicem8-call.ts'
import { readDocument } from './servicem8-document.ts'

/** One exchange, as input to the client's `ask`. */
export interface Asked {
  method: PlatformCall['method']
  path: string
  query?: URLSearchParams
  form?: Record<string, string>
  json?: { body: unknown; shown: Record<string, string> }
  file?: { bytes: Uint8Array; shown: Record<string, string> }
  headers?: Record<string, string>
  timeoutMs?: number
  maxBytes?: number
  /** For a potentially long list: reduces each record to the parts to keep. */
  keep?(record: PlatformRecord): PlatformRecord
  routine?: boolean
  /** Uses its own connection. */
  alone?: boolean
  keepBytes?: boolean
  /** It sends a message: messages have their own limit (facts: section 6). */
  messaging?: boolean
  /** A redirect is the answer: its target is in `headers.location`. Redirects are not followed. */
  wantsRedirect?: boolean
}

export interface Answered {
  result: { outcome: 'ok'; body: unknown } | PlatformFailure
  headers: Record<string, string>
  text: string
  bytes: Uint8Array | undefined
  /** A long list read as a stream: its records are already reduced. */
  inPieces: boolean
  /** A quick failure that is usually transient: a read may be retried. */
  passing: boolean
}

type Ask = (token: string, asked: Asked) => Promise<Answered>

/** Longest whole exchange, ms. */
interface WriteTimeouts {
  send: number
  document: number
}

/** Maximum size of a document. */
const DOCUMENT_BYTES = 40 * 1024 * 1024
const LONGEST_FILE_NAME = 127

/** Single-record paths that differ from the name of their list (facts: 5.1). */
const ITEM_PATHS: Record<string, string> = { note: 'dbonote', attachment: 'dboattachment' }

/** Fields of the records we write that the platform describes as numbers. All others are text. */
const NUMBERS: Readonly<Record<string, readonly string[]>> = {
  job: ['invoice_sent', 'quote_sent', 'payment_processed', 'payment_received'],
  jobmaterialbundle: ['sort_order'],
  attachment: ['lat', 'lng'],
}

export function createWrites(
  ask: Ask,
  timeouts: WriteTimeouts,
): PlatformWrites & { sendEmail(token: string, email: PlatformEmail): Promise<PlatformResult<{ messageId: string }>> } {
  async function write(token: string, asked: Asked): Promise<Answered> {
    const answered = await ask(token, { timeoutMs: timeouts.send, ...asked, alone: true })
    return { ...answered, result: settled(answered) }
  }

  async function plain(token: string, asked: Asked): Promise<PlatformResult<null>> {
    const { result } = await write(token, asked)
    return result.outcome === 'ok' ? { outcome: 'ok', value: null } : result
  }

  async function message(token: string, what: string, asked: Asked): Promise<PlatformResult<{ messageId: string }>> {
    const { result } = await write(token, { ...asked, messaging: true })
    if (result.outcome !== 'ok') return result
    // An unreadable answer proves nothing; a readable one without a message id means that nothing was sent.
    if (!isRecord(result.body)) return unreadable('the answer to a message')
    const messageId = textOf(result.body.messageID)
    if (messageId === '') return undone(`ServiceM8 took the ${what} but sent nothing: it gave no message id.`, 200)
    return { outcome: 'ok', value: { messageId } }
  }

  const writes: ReturnType<typeof createWrites> = {
    async create(token, object, fields, input = {}) {
      const body = { ...wireFields(object, fields), ...(input.uuid && { uuid: input.uuid }) }
      const { result, headers } = await write(token, {
        method: 'POST',
        path: `/api_1.0/${objectName(object)}.json`,
        json: { body, shown: fieldsShown(fields) },
        headers: actingAs(input),
      })
      if (result.outcome !== 'ok') return result
      const uuid = (headers['x-record-uuid'] ?? '').trim().toLowerCase() || (input.uuid ?? '')
      return uuid === '' ? unreadable('a new record') : { outcome: 'ok', value: { uuid } }
    },

    update(token, object, uuid, fields, input = {}) {
      const json = { body: wireFields(object, fields), shown: fieldsShown(fields) }
      return plain(token, { method: 'POST', path: itemPath(object, uuid), json, headers: actingAs(input) })
    },

    remove(token, object, uuid) {
      return plain(token, { method: 'DELETE', path: itemPath(object, uuid) })
    },

    sendSms(token, sms) {
      const json = { body: smsBody(sms), shown: smsShown(sms) }
      return message(token, 'SMS', { method: 'POST', path: '/platform_service_sms', json })
    },

    sendEmail(token, email) {
      const json = { body: emailBody(email), shown: emailShown(email) }
      const headers = actingAs(email)
      return message(token, 'e-mail', { method: 'POST', path: '/platform_service_email', json, headers })
    },

    async produceDocument(token, order) {
      const { result, bytes } = await write(token, {
        method: 'POST',
        path: '/platform_produce_document',
        json: { body: orderBody(order), shown: orderShown(order) },
        timeoutMs: timeouts.document,
        maxBytes: DOCUMENT_BYTES,
        keepBytes: true,
      })
      if (result.outcome !== 'ok') return result
      const document = readDocument(bytes, order.outputFormat)
      return document ? { outcome: 'ok', value: document } : unreadable(`a ${order.outputFormat} document`)
    },

    async uploadFile(token, file) {
      const made = await fileRecord(token, file)
      if (made.outcome !== 'ok') return made
      const { uuid } = made.value
      const sent = await plain(token, {
        method: 'POST',
        path: `/api_1.0/attachment/${encodeURIComponent(uuid)}.file`,
        file: { bytes: file.bytes, shown: { bytes: String(file.bytes.byteLength) } },
        timeoutMs: timeouts.document,
      })
      if (sent.outcome === 'ok') return made
      // An empty file in the job's diary is useless; if this fails too, the next attempt finds the record and fills it.
      if (sent.outcome !== 'unauthorized') await writes.remove(token, 'attachment', uuid)
      return sent
    },

    async fileAddress(token, attachmentUuid) {
      const path = `/api_1.0/attachment/${encodeURIComponent(attachmentUuid)}.file`
      const { result, headers } = await ask(token, { method: 'GET', path, wantsRedirect: true })
      if (result.outcome !== 'ok') return result
      const url = headers.location ?? ''
      const usable = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
      return usable ? { outcome: 'ok', value: { url } } : unreadable('the address of a file')
    },

    postToFeed(token, { path, message: text, showActionBar }) {
      const json = { body: { message: text, showActionBar }, shown: { text: `${text.length} characters` } }
      return plain(token, { method: 'POST', path, json })
    },
  }

  /** 409 = an earlier attempt already created it; it may have been removed since, so make it active again. */
  async function fileRecord(token: string, file: PlatformFile): Promise<PlatformResult<{ uuid: string }>> {
    const fields = {
      active: '1',
      related_object: file.relatedObject,
      related_object_uuid: file.relatedObjectUuid,
      attachment_name: file.name.slice(0, LONGEST_FILE_NAME),
      file_type: file.fileType,
      ...(file.tags && { tags: file.tags }),
    }
    const made = await writes.create(token, 'attachment', fields, file.uuid ? { uuid: file.uuid } : {})
    if (made.outcome !== 'refused' || made.status !== 409 || !file.uuid) return made
    const again = await writes.update(token, 'attachment', file.uuid, { active: '1' })
    return again.outcome === 'ok' ? { outcome: 'ok', value: { uuid: file.uuid } } : again
  }

  return writes
}

/**
 * A 5xx in the platform's own format, and any 503, was not done. Another 5xx (a gateway's page) is unclear: the server
 * behind the gateway may have done it.
 */
function settled({ result, text }: Answered): Answered['result'] {
  if (result.outcome !== 'unavailable' || result.status === null || result.undone) return result
  const said = parseJson(text)
  const own = isRecord(said) && (said.errorCode !== undefined || textOf(said.message) !== '')
  return own || result.status === 503 ? { ...result, undone: true } : result
}

/** The name as a path part. Any other name is our bug: paths are never built from untrusted text. */
export function objectName(object: string): string {
  if (!/^[A-Za-z0-9_]{1,64}$/.test(object)) throw new Error(`not an object name: ${JSON.stringify(object)}`)
  return object
}

export function itemPath(object: string, uuid: string): string {
  return `/api_1.0/${ITEM_PATHS[object] ?? objectName(object)}/${encodeURIComponent(uuid)}.json`
}

function actingAs({ asStaffUuid }: ActingStaff): Record<string, string> {
  return asStaffUuid ? { 'x-impersonate-uuid': asStaffUuid } : {}
}

/** The fields as the platform describes them: flags and numbers become numbers. An emptied field stays ''. */
function wireFields(object: string, fields: RecordFields): Record<string, string | number> {
  const numbers = NUMBERS[object] ?? []
  return Object.fromEntries(
    Object.entries(fields).map(([name, text]) => {
      const isNumber = (name === 'active' || numbers.includes(name)) && /^-?\d+(\.\d+)?$/.test(text)
      return [name, isNumber ? Number(text) : text]
    }),
  )
}

/** Logs the field names, not their values: customer data does not belong in the call log. */
function fieldsShown(fields: Readonly<Record<string, string>>): Record<string, string> {
  return { fields: Object.keys(fields).join(', ') }
}

function smsBody({ to, message, regardingJobUuid }: PlatformSms): Record<string, unknown> {
  if (message === '') throw new Error('sendSms: a text is needed')
  return { to, message, ...(regardingJobUuid && { regardingJobUUID: regardingJobUuid }) }
}

function smsShown({ to, message, regardingJobUuid }: PlatformSms): Record<string, string> {
  return {
    to: maskPhone(to),
    text: `${message.length} characters`,
    ...(regardingJobUuid && { regardingJobUUID: regardingJobUuid }),
  }
}

/** The platform's format: empty values must be absent. Throws for an email without subject or text, which is a bug. */
function emailBody(email: PlatformEmail): Record<string, unknown> {
  const { to, subject, textBody, htmlBody, cc, replyTo, regardingJobUuid, attachmentUuids } = email
  if (subject === '' || (!textBody && !htmlBody)) throw new Error('sendEmail: subject and a text are needed')
  return {
    to,
    ...(cc && { cc }),
    ...(replyTo && { replyTo }),
    subject,
    ...(htmlBody && { htmlBody }),
    ...(textBody && { textBody }),
    ...(regardingJobUuid && { regardingJobUUID: regardingJobUuid }),
    ...(attachmentUuids && attachmentUuids.length > 0 && { attachments: attachmentUuids }),
  }
}

/** Keeps the recipient recognisable and hides the content. */
function emailShown({ to, subject, textBody, htmlBody, regardingJobUuid }: PlatformEmail): Record<string, string> {
  return {
    to: maskEmail(to),
    subject,
    text: `${(textBody ?? htmlBody ?? '').length} characters`,
    ...(regardingJobUuid && { regardingJobUUID: regardingJobUuid }),
  }
}

function orderBody(order: DocumentOrder): Record<string, unknown> {
  return {
    objectType: order.objectType,
    objectUUID: order.objectUuid,
    templateType: order.templateType,
    ...(order.templateUuid && { templateUUID: order.templateUuid }),
    outputFormat: order.outputFormat,
    storeToDiary: order.storeToDiary,
  }
}

function orderShown({ objectType, objectUuid, templateType, outputFormat }: DocumentOrder): Record<string, string> {
  return { objectType, objectUUID: objectUuid, templateType, outputFormat }
}
