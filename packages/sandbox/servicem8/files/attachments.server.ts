// Bytes of attachments: uploaded raw or as a multipart part named `file`; read through a 302 to short-lived storage.
import type { Millis } from '#app/lib/clock.ts'
import { minutes } from '#app/lib/duration.ts'
import { newToken } from '#app/lib/token.server.ts'
import { findRecord } from '../../accounts.server.ts'
import { type Answer, errorAnswer, jsonAnswer, redirectAnswer } from '../../http.server.ts'
import type { AccountState, Stage } from '../../state.server.ts'
import { type AccountRequest, hasScope, headerOf, scopeMessage, type WireRequest } from '../wire-request.ts'
import { mediaType } from './file-types.ts'

export const MAX_FILE = 5 * 1024 * 1024
const MAX_STORED = 25 * 1024 * 1024
const LINK_LIVES = minutes(5)

/** Issued storage addresses. Not kept across a restart: they are short-lived anyway. */
export type StorageLinks = Map<string, { accountUuid: string; uuid: string; expiresAt: Millis }>

/** `/api_1.0/attachment/{uuid}.file`; null for another path. */
export function attachmentCall(stage: Stage, links: StorageLinks, request: AccountRequest): Answer | null {
  const match = /^\/api_1\.0\/(?:dbo)?attachment\/([^/]+)\.file$/i.exec(request.path)
  if (!match) return null
  const uuid = (match[1] ?? '').toLowerCase()
  const scope = request.method === 'POST' ? 'manage_attachments' : 'read_attachments'
  if (!hasScope(request, scope)) return errorAnswer(403, scopeMessage(scope))
  if (!findRecord(request.account, 'attachment', uuid)) return errorAnswer(404, 'Record not found')
  if (request.method === 'POST') return upload(stage, request, uuid)
  if (request.method === 'GET') return download(stage, links, request, uuid)
  return errorAnswer(400, 'Unsupported method')
}

function upload(stage: Stage, request: AccountRequest, uuid: string): Answer {
  const multipart = request.contentType === 'multipart/form-data'
  const bytes = multipart ? filePart(headerOf(request, 'content-type'), request.body) : request.body
  if (!bytes) return errorAnswer(400, 'The form holds no part named file')
  if (bytes.byteLength === 0) return errorAnswer(400, 'The file is empty')
  return storeFile(stage, request.account, uuid, bytes)
    ? jsonAnswer(200, { errorCode: 0, message: 'OK' })
    : errorAnswer(400, 'The storage of the pretend platform is full')
}

/** Stores the bytes of an existing attachment record; false when storage is full. */
export function storeFile(stage: Stage, account: AccountState, uuid: string, bytes: Uint8Array): boolean {
  let held = bytes.byteLength
  for (const [other, file] of account.files) if (other !== uuid) held += file.base64.length * 0.75
  if (held > MAX_STORED) return false
  const record = findRecord(account, 'attachment', uuid)
  const extension = String(record?.file_type ?? '')
  account.files.set(uuid, {
    type: mediaType(extension),
    name: String(record?.attachment_name || `${uuid}${extension}`),
    base64: Buffer.from(bytes).toString('base64'),
  })
  stage.touched()
  return true
}

function download(stage: Stage, links: StorageLinks, request: AccountRequest, uuid: string): Answer {
  if (!request.account.files.has(uuid)) return errorAnswer(404, 'File not found')
  const now = stage.clock.now()
  for (const [ticket, link] of links) if (link.expiresAt <= now) links.delete(ticket)
  const ticket = newToken()
  links.set(ticket, { accountUuid: request.account.uuid, uuid, expiresAt: now + LINK_LIVES })
  return redirectAnswer(`${stage.baseUrl}/storage/${ticket}`)
}

/** The storage address: needs no bearer token, and refuses a request that sends one, as object storages do. */
export function storageCall(stage: Stage, links: StorageLinks, request: WireRequest): Answer | null {
  const match = /^\/storage\/([\w-]+)$/.exec(request.path)
  if (!match || request.method !== 'GET') return null
  if (headerOf(request, 'authorization') !== '') {
    return {
      status: 400,
      headers: { 'content-type': 'application/xml' },
      body: '<Error><Code>InvalidArgument</Code><Message>Only one auth mechanism allowed</Message></Error>',
    }
  }
  const link = links.get(match[1] ?? '')
  const file = link && stage.state.accounts.get(link.accountUuid)?.files.get(link.uuid)
  if (!file || link.expiresAt <= stage.clock.now()) {
    return {
      status: 403,
      headers: { 'content-type': 'application/xml' },
      body: '<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>',
    }
  }
  return {
    status: 200,
    headers: {
      'content-type': file.type,
      // Same origin as the product: uploaded content must not run as a page of it.
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`,
      'content-security-policy': "default-src 'none'; sandbox",
    },
    body: Buffer.from(file.base64, 'base64'),
  }
}

/** The bytes of the part named `file` of a multipart body, or null. */
export function filePart(contentType: string, body: Uint8Array): Uint8Array | null {
  const boundary = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType)
  if (!boundary) return null
  const whole = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const mark = Buffer.from(`--${boundary[1] ?? boundary[2]}`)
  let at = whole.indexOf(mark)
  while (at >= 0) {
    const start = at + mark.length
    const next = whole.indexOf(Buffer.concat([Buffer.from('\r\n'), mark]), start)
    if (next < 0) return null
    const headEnd = whole.indexOf('\r\n\r\n', start)
    if (headEnd >= 0 && headEnd < next) {
      const head = whole.subarray(start, headEnd).toString('utf8')
      if (/content-disposition:[^\r\n]*[;\s]name="?file"?(?:[;\s]|$)/im.test(head)) {
        return whole.subarray(headEnd + 4, next)
      }
    }
    at = next + 2
  }
  return null
}
