// The log of one webhook, for its panel on the page and for the call.
import type { App } from '#app/context/app-context.ts'
import { type EndpointKey, refOf } from '#app/domain/endpoint-key.ts'
import { findObjectKind } from '#app/domain/object-catalog.ts'
import { type NamesOf, recordName, recordNames } from '#app/domain/record-name.ts'
import { textFor } from '#app/features/events/chat/chat-message.ts'
import { webhookId } from '#app/features/events/delivering/delivery.ts'
import { deliveryCurl, requestHeaders } from '#app/features/events/delivery-detail.ts'
import { logEntry, rangeStart } from '#app/features/events/log.ts'
import type { LogEntryView, LogFilter } from '#app/features/events/log-view.ts'

/**
 * Loads the events of one object, newest first, at most `filter.limit`, including events that were not forwarded.
 * `onlyEndpoint` = only events meant for one address, and their results there. `namesOf` = for a page.
 */
export async function loadWebhookLog(
  app: Pick<App, 'store' | 'clock'>,
  accountUuid: string,
  objectType: string,
  filter: LogFilter,
  onlyEndpoint: number | null = null,
  namesOf: NamesOf = async (account, asked) => recordNames(await app.store.records.knownOf(account, asked)),
): Promise<LogEntryView[]> {
  const rows = await app.store.events.listEventLog(accountUuid, {
    object: objectType,
    endpointId: onlyEndpoint,
    since: rangeStart(filter.timeRange, app.clock.now()),
    forwarding: filter.forwardingStatus,
    before: null,
    limit: filter.limit,
    withBody: false,
    withResponses: filter.hasDetails,
  })
  const asked = rows.map(({ object, objectUuid }) => ({ object, recordUuid: objectUuid }))
  const names = await namesOf(accountUuid, asked)
  return rows.map((row) => logEntry(row, names.get(row.objectUuid) ?? null, app.clock.now()))
}

/** Whether this (normalized) type has a log: one of the 11, or one the account has or had a webhook or an event of. */
export async function hasLog(app: Pick<App, 'store'>, accountUuid: string, objectType: string): Promise<boolean> {
  return findObjectKind(objectType) !== null || app.store.events.knowsObject(accountUuid, objectType)
}

// "Copy as curl": one event as it is sent to an address, without the signature, because signing needs the secret.

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
  const [known] = await app.store.records.knownOf(accountUuid, [{ object: event.object, recordUuid: event.objectUuid }])
  const body = event.body === null ? null : textFor(url, event.body, recordName(event.object, known ?? null))
  return deliveryCurl({ url, headers, body }, app.clock.now())
}
