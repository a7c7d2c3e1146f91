// "Copy as curl": one event as it is sent to a webhook's address, without the signature: that takes the secret.
import type { App } from '#app/app-context.ts'
import { webhookId as deliveredId } from '../deliveries/delivery.ts'
import { curlCommand } from './curl.ts'

/** Null = no such event of this webhook, or its body is no longer kept. */
export async function curlOfEvent(
  app: Pick<App, 'store' | 'clock' | 'settings'>,
  accountUuid: string,
  webhookId: number,
  eventSeq: number,
): Promise<string | null> {
  const record = await app.store.findWebhook(accountUuid, webhookId)
  if (!record) return null
  const [event] = await app.store.listEventLog(accountUuid, {
    object: record.webhook.objectType,
    since: null,
    forwarding: 'all',
    before: eventSeq + 1,
    limit: 1,
    withBody: true,
    withResponses: false,
  })
  if (!event || event.seq !== eventSeq || event.body === null || record.endpoint.url === '') return null
  return curlCommand({
    url: record.endpoint.url,
    headers: {
      'content-type': 'application/json',
      'user-agent': `Fieldhook/${app.settings.version}`,
      'webhook-id': deliveredId(event.id, record.endpoint.id),
      'webhook-timestamp': String(Math.floor(app.clock.now() / 1000)),
      'webhook-signature': 'v1,SIGN_WITH_YOUR_SECRET',
      'x-fieldhook-attempt': '1',
    },
    body: event.body,
  })
}
