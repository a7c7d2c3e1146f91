// SMS and e-mail: validated as the real service documents, stored in the outbox and in the history lists.
import { randomUUID } from 'node:crypto'
import { days, minutes } from '#app/lib/duration.ts'
import { findRecord } from '../accounts.server.ts'
import { escapeHtml } from '../html.ts'
import { type Answer, errorAnswer, jsonAnswer } from '../http.server.ts'
import type { AccountState, Stage } from '../state.server.ts'
import { addToHistory, putInOutbox } from './outbox.server.ts'
import { type AccountRequest, hasScope, scopeMessage, valuesOf } from './wire-request.ts'

const SMS_MAX = 1600
const SMS_CREDIT = 153
const E164 = /^\+[1-9]\d{6,14}$/
const EMAIL = /^[^\s@<>,;]+@[^\s@<>,;]+\.[^\s@<>,;]+$/
const SIGNATURE = /<platform-user-signature\s*(?:\/>|>\s*<\/platform-user-signature>)/gi
const FEED_MAX = 500
/** The outbox is only for display, and nobody reads more than this. */
const KEEP_BODY = 64 * 1024

type Body = Record<string, unknown>

/** The three messaging calls; null for another path. */
export function messagingCall(stage: Stage, request: AccountRequest): Answer | null {
  if (request.method !== 'POST') return null
  switch (request.path) {
    case '/platform_service_sms':
      return guarded(stage, request, 'publish_sms', (body) => sendSms(stage, request, body))
    case '/platform_service_email':
      return guarded(stage, request, 'publish_email', (body) => sendEmail(stage, request, body))
    // Invented: the real feed's endpoint is not known. It proves nothing about the real service.
    case '/unverified_feed':
      return postToFeed(stage, request)
    default:
      return null
  }
}

function guarded(stage: Stage, request: AccountRequest, scope: string, send: (body: Body) => Answer): Answer {
  if (!hasScope(request, scope)) return errorAnswer(403, scopeMessage(scope))
  if (request.contentType !== 'application/json') return errorAnswer(400, 'The request body must be JSON')
  const body = valuesOf(request)
  if (!body) return errorAnswer(400, 'Invalid request body')
  const jobUuid = textOf(body.regardingJobUUID)
  if (jobUuid !== '' && !findRecord(request.account, 'job', jobUuid.toLowerCase())) {
    return errorAnswer(400, 'regardingJobUUID does not name a job')
  }
  const throttled = throttle(request.account, stage.clock.now())
  return throttled ? errorAnswer(429, throttled) : send(body)
}

function throttle(account: AccountState, now: number): string | null {
  const sent = account.outbox.filter((one) => one.kind === 'sms' || one.kind === 'email')
  if (sent.filter((one) => one.at > now - minutes(1)).length >= account.options.messagesPerMinute) {
    return 'Messaging throttled: too many messages per minute'
  }
  return sent.filter((one) => one.at > now - days(1)).length >= account.options.messagesPerDay
    ? 'Messaging throttled: 24 hour quota exceeded'
    : null
}

function sendSms(stage: Stage, request: AccountRequest, body: Body): Answer {
  const { account } = request
  const to = textOf(body.to).replaceAll(/[\s()-]/g, '')
  const message = textOf(body.message)
  if (!E164.test(to)) return errorAnswer(400, `${textOf(body.to).slice(0, 40)} is not a valid mobile number`)
  if (message === '') return errorAnswer(400, 'message is required')
  if (message.length > SMS_MAX) return errorAnswer(400, `message may hold at most ${SMS_MAX} characters`)
  if (account.options.messagingSilent) return silence()
  const messageId = randomUUID()
  const jobUuid = textOf(body.regardingJobUUID).toLowerCase()
  const credits = Math.ceil(message.length / SMS_CREDIT)
  const delivered = arrives(account)
  // A text without a job does not appear in the history, and neither does one that failed.
  const shown = delivered && jobUuid !== ''
  const historyUuid = shown ? addToHistory(stage, account, 'sms', jobUuid, { to, message }) : null
  putInOutbox(stage, account, { kind: 'sms', jobUuid, to, message, credits, messageId, delivered, historyUuid })
  return sent(messageId)
}

function sendEmail(stage: Stage, request: AccountRequest, body: Body): Answer {
  const { account } = request
  const [to, cc, replyTo] = [textOf(body.to), textOf(body.cc), textOf(body.replyTo)]
  const [subject, htmlBody, textBody] = [textOf(body.subject), textOf(body.htmlBody), textOf(body.textBody)]
  if (!EMAIL.test(to)) return errorAnswer(400, `${to.slice(0, 80)} is not a valid email address`)
  if (cc !== '' && !EMAIL.test(cc)) return errorAnswer(400, `${cc.slice(0, 80)} is not a valid email address`)
  if (subject === '') return errorAnswer(400, 'subject is required')
  if (body.htmlBody === '' || body.textBody === '') return errorAnswer(400, 'htmlBody and textBody may not be empty')
  if (htmlBody === '' && textBody === '') return errorAnswer(400, 'htmlBody or textBody is required')
  const wanted = body.attachments ?? []
  if (!Array.isArray(wanted)) return errorAnswer(400, 'attachments must be a list of attachment UUIDs')
  const attachments: { uuid: string; name: string }[] = []
  for (const uuid of wanted.map((one) => textOf(one).toLowerCase())) {
    const record = findRecord(account, 'attachment', uuid)
    if (!record || !account.files.has(uuid)) return errorAnswer(400, `Attachment ${uuid.slice(0, 40)} not found`)
    attachments.push({ uuid, name: String(record.attachment_name) })
  }
  if (account.options.messagingSilent) return silence()
  const messageId = randomUUID()
  const jobUuid = textOf(body.regardingJobUUID).toLowerCase()
  const signed = request.staffUuid !== '' && htmlBody.search(SIGNATURE) >= 0
  const delivered = arrives(account)
  const row = { to, subject, bounced: '0', opened: '0' }
  const historyUuid = delivered ? addToHistory(stage, account, 'email', jobUuid, row) : null
  putInOutbox(stage, account, {
    kind: 'email',
    jobUuid,
    to,
    cc,
    replyTo,
    subject,
    htmlBody: htmlBody
      .replaceAll(SIGNATURE, () => (signed ? signatureOf(account, request.staffUuid) : ''))
      .slice(0, KEEP_BODY),
    textBody: textBody.slice(0, KEEP_BODY),
    attachments,
    signedByStaffUuid: signed ? request.staffUuid : '',
    messageId,
    delivered,
    historyUuid,
  })
  return sent(messageId)
}

function signatureOf(account: AccountState, staffUuid: string): string {
  const staff = findRecord(account, 'staff', staffUuid)
  const company = findRecord(account, 'vendor', account.uuid)
  const lines = [
    `${staff?.first ?? ''} ${staff?.last ?? ''}`.trim(),
    String(staff?.job_title ?? ''),
    String(company?.name),
  ]
  return `<p>${lines
    .filter((line) => line !== '')
    .map(escapeHtml)
    .join('<br>')}</p>`
}

/** False = the next message is accepted and never arrives; the option counts them down. */
function arrives(account: AccountState): boolean {
  if (account.options.undeliveredNext <= 0) return true
  account.options.undeliveredNext -= 1
  return false
}

function postToFeed(stage: Stage, request: AccountRequest): Answer {
  const body = valuesOf(request)
  const message = textOf(body?.message)
  if (message === '') return errorAnswer(400, 'message is required')
  if (message.length > FEED_MAX) return errorAnswer(400, `message may hold at most ${FEED_MAX} characters`)
  putInOutbox(stage, request.account, {
    kind: 'feed',
    jobUuid: '',
    message,
    showActionBar: body?.showActionBar === true,
  })
  return jsonAnswer(200, { errorCode: 0, message: 'OK' })
}

function sent(messageID: string): Answer {
  return jsonAnswer(200, { errorCode: 0, message: 'OK', messageID })
}

/** A 200 that sent nothing: only the missing id shows it. */
function silence(): Answer {
  return jsonAnswer(200, { errorCode: 0, message: 'OK' })
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}
