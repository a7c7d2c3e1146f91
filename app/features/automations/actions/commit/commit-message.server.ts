// Messages to people. A customer gets each at most once: an uncertain outcome is unclear, and only a person repeats it.
import type { PlatformRecord } from '#app/adapters/platform.ts'
import type { CommitResult, Effect, VerifyResult } from '#app/domain/automations/effect.ts'
import { valuesOf } from '../../records/fact-rows.ts'
import { quoted } from '../../records/fact-sources.server.ts'
import type { CommitContext } from '../action.server.ts'
import { type CallForEffect, type CommitApp, endedBadly, sinceSending, unclear } from './commit-ends.server.ts'

type SmsEffect = Extract<Effect, { kind: 'send_sms' }>
type EmailEffect = Extract<Effect, { kind: 'send_email' }>
type FeedEffect = Extract<Effect, { kind: 'post_feed' }>

interface MessageCommits {
  sendSms(effect: SmsEffect, call: CallForEffect): Promise<CommitResult>
  sendEmail(effect: EmailEffect, context: CommitContext, call: CallForEffect): Promise<CommitResult>
  postFeed(effect: FeedEffect, call: CallForEffect): Promise<CommitResult>
  findSent(effect: SmsEffect | EmailEffect, context: CommitContext, call: CallForEffect): Promise<VerifyResult>
}

export function createMessageCommits(app: Pick<CommitApp, 'store' | 'settings'>): MessageCommits {
  return {
    async sendSms(effect, call) {
      const { to, message, regardingJobUuid } = effect
      const sms = { to, message, ...(regardingJobUuid !== null && { regardingJobUuid }) }
      const sent = await call((api, token) => api.sendSms(token, sms))
      if (sent.outcome !== 'ok') return endedBadly(sent, 'this text message')
      return { outcome: 'sent', result: { sms_id: sent.value.messageId, status: 'sent' } }
    },

    async sendEmail(effect, { results }, call) {
      const documents = effect.documentSteps.map((id) => results[id]?.document_uuid ?? '')
      if (documents.includes('')) {
        const sentence = 'Not sent: the document that was to be attached was not made.'
        return { outcome: 'failed', errorClass: 'document_missing', sentence, retry: false }
      }
      const sent = await call((api, token) => api.sendEmail(token, emailOf(effect, documents)))
      if (sent.outcome === 'ok') {
        return { outcome: 'sent', result: { message_id: sent.value.messageId, status: 'sent' } }
      }
      // A 403 may concern the signing staff member (facts: 5.5): no permission is missing, and other rules can go on.
      if (sent.outcome === 'forbidden' && effect.signatureOfStaff !== null && /impersonat/i.test(sent.message)) {
        const sentence = 'The staff member who was to sign no longer works here. Choose another sender in the settings.'
        return { outcome: 'failed', errorClass: 'staff_gone', sentence, retry: false }
      }
      return endedBadly(sent, 'this e-mail')
    },

    async postFeed({ message, showActionBar }, call) {
      const path = app.settings.feedPath ?? ''
      if (path === '') {
        const sentence = 'This installation has no way into the activity feed any more.'
        return { outcome: 'failed', errorClass: 'invalid', sentence, retry: false }
      }
      const posted = await call((api, token) => api.postToFeed(token, { path, message, showActionBar }))
      return posted.outcome === 'ok'
        ? { outcome: 'sent', result: { message: 'Posted to the activity feed' } }
        : endedBadly(posted, 'this feed message')
    },

    async findSent(effect, context, call) {
      const { regardingJobUuid: jobUuid } = effect
      if (jobUuid === null) return unclear(NOT_PROVABLE)
      const object = effect.kind === 'send_sms' ? 'sms' : 'email'
      const filter = `related_object_uuid eq '${quoted(jobUuid)}'`
      // The history is new, its fields unpublished, its scopes not ours by default: it can prove, but never disprove.
      const answer = await call((api, token) => api.list(token, object, { filter }))
      if (answer.outcome !== 'ok') return unclear(NOT_PROVABLE)
      const since = await sinceSending(app, context.identity)
      const found = answer.value.find((record) => isThisMessage(record, effect, since))
      if (!found) return unclear(NOT_PROVABLE)
      const id = String(found.uuid ?? '')
      const result: Record<string, string> =
        effect.kind === 'send_sms' ? { sms_id: id, status: 'sent' } : { message_id: id, status: 'sent' }
      return { outcome: 'done', result }
    },
  }
}

const NOT_PROVABLE = 'ServiceM8 does not show whether it went out.'

function emailOf(effect: EmailEffect, documents: readonly string[]) {
  const { to, cc, replyTo, subject, textBody, htmlBody, regardingJobUuid, signatureOfStaff } = effect
  return {
    to,
    subject,
    ...(textBody !== '' && { textBody }),
    ...(htmlBody !== '' && { htmlBody }),
    ...(cc !== '' && { cc }),
    ...(replyTo !== '' && { replyTo }),
    ...(regardingJobUuid !== null && { regardingJobUuid }),
    ...(signatureOfStaff !== null && { asStaffUuid: signatureOfStaff }),
    attachmentUuids: [...effect.attachments, ...documents],
  }
}

function isThisMessage(record: PlatformRecord, effect: SmsEffect | EmailEffect, since: string): boolean {
  const row = valuesOf(record)
  if ((row.direction ?? '') !== 'outbound' || (row.timestamp ?? '') < since) return false
  if (effect.kind === 'send_sms') return row.to === effect.to && row.message === effect.message
  return row.to?.toLowerCase() === effect.to.toLowerCase() && row.subject === effect.subject
}
