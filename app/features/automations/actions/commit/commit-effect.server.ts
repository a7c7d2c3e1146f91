// Does one planned effect and reports its exact outcome; verifies an unclear one. The journal decides what follows.
import { assertNever } from '#app/lib/assert-never.ts'
import type { CommitContext, Committer } from '../action.server.ts'
import { createDocumentCommits } from './commit-document.server.ts'
import { type CallForEffect, type CommitApp, unclear } from './commit-ends.server.ts'
import { createMessageCommits } from './commit-message.server.ts'
import { createRecordCommits } from './commit-record.server.ts'
import { createWebhookCommits, type SignNotification } from './commit-webhook.server.ts'

interface CommitterOptions {
  /** Signs notifications like forwards (adapters/standard-webhooks.server.ts `signForward`); missing = no signature. */
  sign?: SignNotification
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
