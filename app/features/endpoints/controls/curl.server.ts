// "Copy as curl": one event as it is sent to an address, without the signature, because signing needs the secret.
import type { App } from '#app/context/app-context.ts'
import { type EndpointKey, refOf } from '#app/domain/endpoint-key.ts'
import { recordName } from '#app/domain/record-name.ts'
import { textFor } from '#app/features/events/chat/chat-message.ts'
import { webhookId } from '#app/features/events/delivering/delivery.ts'
import { deliveryCurl, requestHeaders } from '#app/features/events/delivery-detail.ts'

/** Returns null when this webhook or rule has no such event, or its body is no longer stored. */
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
  if (event?.seq !== eventSeq) return null
  const { id, url } = record.endpoint
  const headers = requestHeaders(webhookId(event.id, id), app.settings.version, null)
  const { object, objectUuid } = event
  const [known] = await app.store.records.knownOf(accountUuid, [{ object, recordUuid: objectUuid }])
  const body = event.body === null ? null : textFor(url, event.body, recordName(object, known ?? null))
  return deliveryCurl({ url, headers, body }, app.clock.now())
}
