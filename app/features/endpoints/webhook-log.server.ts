// The log of one webhook, for its panel on the page and for the call.
import type { App } from '#app/context/app-context.ts'
import { findObjectKind } from '#app/domain/object-catalog.ts'
import { type NamesOf, recordNames } from '#app/domain/record-name.ts'
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
  namesOf?: NamesOf,
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
  const names = namesOf
    ? await namesOf(accountUuid, asked)
    : recordNames(await app.store.records.knownOf(accountUuid, asked))
  return rows.map((row) => logEntry(row, names.get(row.objectUuid) ?? null, app.clock.now()))
}

/** Whether this (normalized) type has a log: one of the 11, or one the account has or had a webhook or an event of. */
export async function hasLog(app: Pick<App, 'store'>, accountUuid: string, objectType: string): Promise<boolean> {
  return findObjectKind(objectType) !== null || app.store.events.knowsObject(accountUuid, objectType)
}
