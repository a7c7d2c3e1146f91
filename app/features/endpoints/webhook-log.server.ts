// The log of one webhook, for its panel on the page and for the call.
import type { App } from '#app/context/app-context.ts'
import { findObjectKind } from '#app/domain/object-catalog.ts'
import { logEntry, rangeStart } from '#app/features/events/log.ts'
import type { LogEntryView, LogFilter } from '#app/features/events/log-view.ts'

/**
 * Newest first, at most `filter.limit`: the events of one object, those that were not forwarded included. `onlyEndpoint` =
 * only what was meant for one address, and what became of it there.
 */
export async function loadWebhookLog(
  app: Pick<App, 'store' | 'clock'>,
  accountUuid: string,
  objectType: string,
  filter: LogFilter,
  onlyEndpoint: number | null = null,
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
  return rows.map(logEntry)
}

/** Has this (normalised) type a log for the account: one of the 11, or one it has or had a webhook or an event of? */
export async function hasLog(app: Pick<App, 'store'>, accountUuid: string, objectType: string): Promise<boolean> {
  return findObjectKind(objectType) !== null || app.store.events.knowsObject(accountUuid, objectType)
}
