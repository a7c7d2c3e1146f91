// A notification to the user's own address: through the outbound guard, with the same key for every attempt.
import type { CommitResult, Effect } from '#app/domain/automations/effect.ts'
import type { Verdict } from '#app/domain/deliveries/delivery.ts'
import { signingSecretPlace } from '#app/domain/sealed-places.ts'
import { judgeAnswer } from '#app/features/events/delivering/answer.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { seconds } from '#app/lib/duration.ts'
import type { CommitContext } from '../action.server.ts'
import type { CommitApp } from './commit-ends.server.ts'

/** Standard Webhooks headers, the same as for forwards. */
export type SignNotification = (forward: {
  id: string
  timestampSeconds: number
  body: string
  secrets: readonly string[]
}) => Record<string, string>

type WebhookEffect = Extract<Effect, { kind: 'post_webhook' }>

interface WebhookCommits {
  post(effect: WebhookEffect, context: CommitContext): Promise<CommitResult>
}

type WebhookApp = Pick<CommitApp, 'outbound' | 'store' | 'secrets' | 'settings' | 'clock' | 'log'>

export function createWebhookCommits(app: WebhookApp, sign: SignNotification | null): WebhookCommits {
  return {
    async post({ url, body }, { identity }) {
      const secret = sign ? await secretFor(app, identity.accountUuid, url) : null
      const now = app.clock.now()
      const answer = await app.outbound.post({
        url,
        headers: {
          'content-type': 'application/json',
          'user-agent': `Fieldhook/${app.settings.version}`,
          'idempotency-key': identity.clientUuid,
          ...(sign && secret !== null
            ? sign({
                id: identity.clientUuid,
                timestampSeconds: Math.floor(now / seconds(1)),
                body,
                secrets: [secret],
              })
            : { 'webhook-id': identity.clientUuid, 'webhook-timestamp': String(Math.floor(now / seconds(1))) }),
        },
        body,
      })
      return endOf(judgeAnswer(answer, app.clock.now()))
    },
  }
}

/** The secret of the account's endpoint with this address; else of its first webhook, which the owner knows. */
async function secretFor(app: WebhookApp, accountUuid: string, url: string): Promise<string | null> {
  const endpoints = await app.store.endpoints.listEndpoints(accountUuid)
  const own = endpoints.find(({ endpoint }) => endpoint.url === url)
  const endpoint = (own ?? endpoints.find(({ kind }) => kind === 'webhook'))?.endpoint
  if (!endpoint) return null
  try {
    return await app.secrets.open(signingSecretPlace(accountUuid), endpoint.secretSealed)
  } catch (error) {
    app.log.error({ account: accountUuid, endpointId: endpoint.id, error }, 'notification.not_signed')
    return null
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
      return { outcome: 'failed', errorClass: 'invalid', sentence, retry: false }
    case 'http_error': {
      const temporary = statusCode === null || statusCode >= 500 || statusCode === 408 || statusCode === 425
      return { outcome: 'failed', errorClass: temporary ? 'unavailable' : 'invalid', sentence, retry: temporary }
    }
    case 'rate_limited':
    case 'dns':
    case 'refused':
    case 'tls':
    case 'protocol':
    case 'internal':
      return { outcome: 'failed', errorClass: 'unavailable', sentence, retry: true }
    case 'reset':
    case 'timeout':
      // It may have arrived; the receiver recognizes a repeat by its key.
      return { outcome: 'unknown', sentence }
    default:
      return assertNever(outcome)
  }
}
