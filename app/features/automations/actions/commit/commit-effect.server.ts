// Does one planned effect and reports its exact outcome; verifies an unclear one. The journal decides what follows.
import type { PlatformRecord } from '#app/adapters/platform.ts'
import type { CommitResult, Effect, StepResult, VerifyResult } from '#app/domain/automations/effect.ts'
import { runReason } from '#app/domain/automations/run-reasons.ts'
import type { Verdict } from '#app/domain/deliveries/delivery.ts'
import { signingSecretPlace } from '#app/domain/sealed-places.ts'
import { judgeNotification } from '#app/features/events/delivering/answer.ts'
import type { SignForward } from '#app/features/events/delivering/delivery.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { seconds } from '#app/lib/duration.ts'
import { missingScope } from '#app/lib/missing-scope.ts'
import { type Values, valuesOf } from '../../records/fact-rows.ts'
import { quoted } from '../../records/fact-sources.server.ts'
import type { CommitContext, Committer } from '../action.server.ts'
import { documentUrl } from '../document-links.server.ts'
import {
  type CallForEffect,
  type CommitApp,
  createRecordCommits,
  endedBadly,
  searchedInVain,
  sinceSending,
  unclear,
} from './commit-record.server.ts'

interface CommitterOptions {
  /** Signs notifications like forwards (adapters/standard-webhooks.server.ts `signForward`); missing = no signature. */
  sign?: SignForward
}

export function createCommitter(app: CommitApp, options: CommitterOptions = {}): Committer {
  const records = createRecordCommits(app)
  const messages = createMessageCommits(app)
  const documents = createDocumentCommits(app)
  const webhooks = createWebhookCommits(app, options.sign ?? null)

  function callFor({ identity }: CommitContext): CallForEffect {
    return (call) => app.callAsAccount(identity.accountUuid, call, { priority: 'background', counts: true })
  }

  return {
    async commit(effect, context) {
      const call = callFor(context)
      switch (effect.kind) {
        case 'create_record':
          return records.create(effect, context, call)
        case 'update_record':
          return records.update(effect, context, call)
        case 'send_sms':
          return messages.sendSms(effect, call)
        case 'send_email':
          return messages.sendEmail(effect, context, call)
        case 'post_feed':
          return messages.postFeed(effect, call)
        case 'produce_document':
          return documents.produce(effect, context, call)
        case 'post_webhook':
          return webhooks.post(effect, context)
        default:
          return assertNever(effect)
      }
    },

    async verify(effect, context) {
      const call = callFor(context)
      switch (effect.kind) {
        case 'create_record':
          return records.findCreated(effect, context, call)
        case 'update_record':
          return records.findUpdated(effect, context, call)
        case 'send_sms':
        case 'send_email':
          return messages.findSent(effect, context, call)
        case 'produce_document':
          return documents.find(effect, context, call)
        case 'post_feed':
          return unclear('ServiceM8 does not show whether it reached the feed.')
        case 'post_webhook':
          return unclear('Nothing shows whether the notification arrived.')
        default:
          return assertNever(effect)
      }
    },
  }
}

// A document: generated, then stored as a file with an id of ours. Nothing has happened before it is stored, and
// storing it twice has the same result, so every unclear outcome can be retried.
type DocumentEffect = Extract<Effect, { kind: 'produce_document' }>

function createDocumentCommits(app: Pick<CommitApp, 'secrets' | 'settings' | 'clock' | 'store'>) {
  function resultOf(accountUuid: string, uuid: string): StepResult {
    return { document_uuid: uuid, document_url: documentUrl(app, accountUuid, uuid) }
  }

  return {
    async produce(effect: DocumentEffect, { identity }: CommitContext, call: CallForEffect): Promise<CommitResult> {
      const { objectType, objectUuid, templateType, templateUuid, outputFormat, attachTo, storeToDiary } = effect
      const order = { objectType, objectUuid, templateType, outputFormat, storeToDiary }
      const produced = await call((api, token) =>
        api.produceDocument(token, { ...order, ...(templateUuid !== null && { templateUuid }) }),
      )
      if (produced.outcome !== 'ok') return repeatable(endedBadly(produced, 'this document'))
      if (attachTo === null) return { outcome: 'sent', result: {} }
      const stored = await call((api, token) =>
        api.uploadFile(token, {
          uuid: identity.clientUuid,
          relatedObject: attachTo.object,
          relatedObjectUuid: attachTo.uuid,
          name: effect.fileName,
          fileType: `.${outputFormat}`,
          tags: `fieldhook-${identity.clientUuid}`,
          bytes: produced.value.bytes,
        }),
      )
      if (stored.outcome !== 'ok') return repeatable(endedBadly(stored, 'the file of this document'))
      return { outcome: 'sent', result: resultOf(identity.accountUuid, stored.value.uuid) }
    },

    async find(effect: DocumentEffect, { identity }: CommitContext, call: CallForEffect): Promise<VerifyResult> {
      // A document that is not kept cannot be found, and a second attempt leaves nothing behind.
      if (effect.attachTo === null && !effect.storeToDiary) return { outcome: 'not_done' }
      if (effect.attachTo === null) return findInDiary(app, effect, identity, call)
      const answer = await call((api, token) => api.fileAddress(token, identity.clientUuid))
      if (answer.outcome === 'ok')
        return { outcome: 'done', result: resultOf(identity.accountUuid, identity.clientUuid) }
      if (answer.outcome === 'refused') return { outcome: 'not_done' }
      return searchedInVain(answer, 'the file of this document')
    },
  }
}

/** The platform's own file has an unknown id: a new file of that format since the request is taken as this one. */
async function findInDiary(
  app: Pick<CommitApp, 'store'>,
  { objectUuid, outputFormat }: DocumentEffect,
  identity: CommitContext['identity'],
  call: CallForEffect,
): Promise<VerifyResult> {
  const since = await sinceSending(app, identity)
  const filter = `related_object_uuid eq '${quoted(objectUuid)}' and active eq '1'`
  const answer = await call((api, token) => api.list(token, 'attachment', { filter }))
  if (answer.outcome !== 'ok') return searchedInVain(answer, "the job's diary")
  const isNew = (file: Values) =>
    file.related_object_uuid === objectUuid &&
    file.file_type === `.${outputFormat}` &&
    (file.timestamp || file.edit_date || '') >= since
  return answer.value.map(valuesOf).some(isNew) ? { outcome: 'done', result: {} } : { outcome: 'not_done' }
}

function repeatable(ended: CommitResult): CommitResult {
  return ended.outcome === 'unknown'
    ? { outcome: 'failed', errorClass: 'unavailable', sentence: runReason('no_clear_answer_again'), retry: true }
    : ended
}

// A notification to the user's own address: through the outbound guard, with the same key for every attempt.

type WebhookEffect = Extract<Effect, { kind: 'post_webhook' }>

type WebhookApp = Pick<CommitApp, 'outbound' | 'store' | 'secrets' | 'settings' | 'clock' | 'log'>

function createWebhookCommits(app: WebhookApp, sign: SignForward | null) {
  return {
    async post({ url, body }: WebhookEffect, { identity }: CommitContext): Promise<CommitResult> {
      const now = app.clock.now()
      const secrets = sign ? await secretsFor(app, identity.accountUuid, url, now) : []
      const answer = await app.outbound.post({
        url,
        headers: {
          'content-type': 'application/json',
          'user-agent': `Fieldhook/${app.settings.version}`,
          'idempotency-key': identity.clientUuid,
          ...(sign && secrets.length > 0
            ? sign({ id: identity.clientUuid, timestampSeconds: Math.floor(now / seconds(1)), body, secrets })
            : { 'webhook-id': identity.clientUuid, 'webhook-timestamp': String(Math.floor(now / seconds(1))) }),
        },
        body,
      })
      const ended = app.clock.now()
      const verdict = judgeNotification(answer, ended)
      const end = endOf(verdict)
      const { retryAfterMs: wait } = verdict
      return end.outcome === 'failed' && wait !== null ? { ...end, notBefore: ended + wait } : end
    },
  }
}

/** As forwards to the account's endpoint with this address are signed; else to its first webhook, which the owner knows. */
async function secretsFor(app: WebhookApp, accountUuid: string, url: string, now: number): Promise<string[]> {
  const endpoints = await app.store.endpoints.listEndpoints(accountUuid)
  const own = endpoints.find(({ endpoint }) => endpoint.url === url)
  const endpoint = (own ?? endpoints.find(({ kind }) => kind === 'webhook'))?.endpoint
  if (!endpoint) return []
  const { secretSealed, previousSecretSealed: previous, previousSecretUntil: until } = endpoint
  const sealed = previous && (until ?? 0) > now ? [secretSealed, previous] : [secretSealed]
  try {
    return await Promise.all(sealed.map((one) => app.secrets.open(signingSecretPlace(accountUuid), one)))
  } catch (error) {
    app.log.error({ account: accountUuid, endpointId: endpoint.id, error }, 'notification.not_signed')
    return []
  }
}

function endOf({ outcome, statusCode, sentence }: Verdict): CommitResult {
  switch (outcome) {
    case 'delivered':
      return { outcome: 'sent', result: { message: sentence, status: String(statusCode ?? '') } }
    // The address is wrong or wants no more calls: a person has to change something.
    case 'redirect':
    case 'gone':
    case 'blocked':
      return { outcome: 'failed', errorClass: 'address_refused', sentence, retry: false }
    case 'http_error': {
      const temporary = statusCode === null || statusCode >= 500 || statusCode === 408 || statusCode === 425
      return {
        outcome: 'failed',
        errorClass: temporary ? 'address_failed' : 'address_refused',
        sentence,
        retry: temporary,
      }
    }
    case 'rate_limited':
    case 'dns':
    case 'refused':
    case 'tls':
    case 'protocol':
    case 'internal':
      return { outcome: 'failed', errorClass: 'address_failed', sentence, retry: true }
    case 'reset':
    case 'timeout':
      // It may have arrived; the receiver recognizes a repeat by its key.
      return { outcome: 'unknown', sentence }
    default:
      return assertNever(outcome)
  }
}

// Messages to people. A customer gets each at most once: an uncertain outcome is unclear, and only a person repeats it.
type SmsEffect = Extract<Effect, { kind: 'send_sms' }>
type EmailEffect = Extract<Effect, { kind: 'send_email' }>
type FeedEffect = Extract<Effect, { kind: 'post_feed' }>

function createMessageCommits(app: Pick<CommitApp, 'store' | 'settings'>) {
  return {
    async sendSms(effect: SmsEffect, call: CallForEffect): Promise<CommitResult> {
      const { to, message, regardingJobUuid } = effect
      const sms = { to, message, ...(regardingJobUuid !== null && { regardingJobUuid }) }
      const sent = await call((api, token) => api.sendSms(token, sms))
      if (sent.outcome !== 'ok') return endedBadly(sent, 'this text message')
      return { outcome: 'sent', result: { sms_id: sent.value.messageId, status: 'sent' } }
    },

    async sendEmail(effect: EmailEffect, { results }: CommitContext, call: CallForEffect): Promise<CommitResult> {
      const documents = effect.documentSteps.map((id) => results[id]?.document_uuid ?? '')
      if (documents.includes('')) {
        const sentence = 'Not sent: the document that was to be attached was not made.'
        return { outcome: 'failed', errorClass: 'document_missing', sentence, retry: false }
      }
      const sent = await call((api, token) => api.sendEmail(token, emailOf(effect, documents)))
      if (sent.outcome === 'ok') {
        return { outcome: 'sent', result: { message_id: sent.value.messageId, status: 'sent' } }
      }
      // A 403 that names no permission concerns the signing staff member (facts: 5.5). Other rules can go on.
      if (sent.outcome === 'forbidden' && effect.signatureOfStaff !== null && missingScope(sent.message) === null) {
        const sentence = 'The staff member who was to sign no longer works here. Choose another sender in the settings.'
        return { outcome: 'failed', errorClass: 'staff_gone', sentence, retry: false }
      }
      return endedBadly(sent, 'this e-mail')
    },

    async postFeed({ message, showActionBar }: FeedEffect, call: CallForEffect): Promise<CommitResult> {
      const path = app.settings.feedPath ?? ''
      if (path === '') {
        const sentence = 'This Fieldhook can no longer post to the activity feed.'
        return { outcome: 'failed', errorClass: 'no_feed', sentence, retry: false }
      }
      const posted = await call((api, token) => api.postToFeed(token, { path, message, showActionBar }))
      return posted.outcome === 'ok'
        ? { outcome: 'sent', result: { message: 'Posted to the activity feed' } }
        : endedBadly(posted, 'this feed message')
    },

    async findSent(
      effect: SmsEffect | EmailEffect,
      { identity }: CommitContext,
      call: CallForEffect,
    ): Promise<VerifyResult> {
      const { regardingJobUuid: jobUuid } = effect
      if (jobUuid === null) return unclear(NOT_PROVABLE)
      const object = effect.kind === 'send_sms' ? 'sms' : 'email'
      const filter = `related_object_uuid eq '${quoted(jobUuid)}'`
      // The history is new, its fields unpublished, its scopes not ours by default: it can prove, but never disprove.
      const answer = await call((api, token) => api.list(token, object, { filter }))
      if (answer.outcome !== 'ok') return unclear(NOT_PROVABLE)
      const since = await sinceSending(app, identity)
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
