// Loads and records activity for the screens and calls that show it.
import type { PlatformCall } from '#app/adapters/servicem8/servicem8-call.ts'
import type { App } from '#app/context/app-context.ts'
import type { NamesOf } from '#app/domain/record-name.ts'
import { currentCaller } from '#app/lib/caller.server.ts'
import { iso, type Millis } from '#app/lib/clock.ts'
import { activityLabel, logEntry, logEntryJson, webhookData } from './log.ts'
import { knownNames } from './record-names.server.ts'

type ReadApp = Pick<App, 'store' | 'clock'>

/** The maximum length of a list on the activity page. */
const MOST_LISTED = 100

/** Loads events of all objects for the activity page and its call: newest first, dates as ISO strings. `namesOf` = for a page. */
export async function loadWebhookActivity(app: ReadApp, accountUuid: string, namesOf: NamesOf = knownNames(app)) {
  const rows = await app.store.events.listEventLog(accountUuid, {
    object: null,
    since: null,
    forwarding: 'all',
    before: null,
    limit: MOST_LISTED,
    withBody: true,
    withResponses: false,
  })
  const asked = rows.map(({ object, objectUuid }) => ({ object, recordUuid: objectUuid }))
  const names = await namesOf(accountUuid, asked)
  return rows.map((row) => {
    const entry = logEntry(row, names.get(row.objectUuid) ?? null, app.clock.now())
    const { id, test, receivedAt, forwardedTo, forwardingResults } = logEntryJson(entry, false)
    return {
      id,
      accountUUID: accountUuid,
      objectType: row.object,
      objectUuid: row.objectUuid,
      recordName: entry.recordName,
      test,
      changedFields: row.changedFields,
      webhookData: webhookData(row.body),
      forwardedTo,
      forwardingResults,
      receivedAt,
    }
  })
}

/** Loads the exchanges between us and the platform: newest first, dates as ISO strings. */
export async function loadApiActivity(app: ReadApp, accountUuid: string) {
  const rows = await app.store.events.listApiActivity(accountUuid, MOST_LISTED)
  return rows.map(({ accountUuid: accountUUID, durationMs: duration, ...row }) => {
    const shown = { accountUUID, activityLabel: activityLabel(row.activityType), duration }
    return { ...row, ...shown, createdAt: iso(row.createdAt) }
  })
}

/**
 * Records a call to the platform; a call of an automation counts as one used API call. Nobody waits for it, and it
 * never fails the call. Calls made before the account is known are only in the process's log.
 */
export function recordPlatformCall(app: Pick<App, 'store' | 'log'>, call: PlatformCall): void {
  if (call.accountUuid === null) return
  // A poll every few minutes would push everything else off the page, and the account did not cause it.
  if (call.routine && call.outcome === 'ok') return
  app.store.events
    .recordApiActivity({
      accountUuid: call.accountUuid,
      activityType: 'api_call',
      endpoint: call.path,
      method: call.method,
      requestData: call.request === null ? null : JSON.stringify(call.request),
      responseData: call.answer,
      statusCode: call.status,
      userAgent: null,
      // The IP of the person whose request caused the call; null when the call was automatic.
      remoteIp: currentCaller()?.ip ?? null,
      durationMs: call.durationMs,
      ...(call.counts && { counts: true }),
    })
    .catch((error: unknown) => app.log.warn({ account: call.accountUuid, err: error }, 'activity.not_recorded'))
}

/** A request to one of our addresses in an account's name. */
interface Arrival {
  accountUuid: string
  activityType: 'sign_in' | 'opening' | 'webhook'
  /** Our path; secrets in its query are masked before it is stored. */
  endpoint: string
  method: string
  /** The content in a few words; null when there is nothing to show. */
  request: string | null
  /** The result, as a sentence. */
  response: string
  /** 2xx = success: the screen shows everything from 300 on as an error. */
  statusCode: number
  userAgent: string | null
  /** When it began. */
  startedAt: Millis
}

/** Records an arrival with the IP address of the request. Nobody waits for it, and it never fails the request. */
export function recordArrival(app: Pick<App, 'store' | 'log' | 'clock'>, arrival: Arrival): void {
  const { request, response, startedAt, ...rest } = arrival
  app.store.events
    .recordApiActivity({
      ...rest,
      requestData: request,
      responseData: response,
      remoteIp: currentCaller()?.ip ?? null,
      durationMs: app.clock.now() - startedAt,
    })
    .catch((error: unknown) => app.log.warn({ account: rest.accountUuid, err: error }, 'activity.not_recorded'))
}
