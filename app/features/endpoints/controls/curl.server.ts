// "Copy as curl": one event as it is sent to an address, without the signature: that takes the secret.
import type { App } from '#app/context/app-context.ts'
import { type EndpointKey, refOf } from '#app/domain/endpoint-key.ts'
import { webhookId as deliveredId } from '#app/features/events/delivering/delivery.ts'
import { curlCommand } from '#app/lib/curl.ts'

/** Null = no such event of this webhook or rule, or its body is no longer kept. */
export async function curlOfEvent(
  app: Pick<App, 'store' | 'clock' | 'settings'>,
  accountUuid: string,
  key: EndpointKey,
  eventSeq: number,
): Promise<string | null> {
  const record = await app.store.endpoints.findEndpoint(accountUuid, refOf(key))
  if (!record) return null
  const [event] = await app.store.events.listEventLog(accountUuid, {
    object: record.objectType,
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
