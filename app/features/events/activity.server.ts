// What happened, for the screens and calls that show it.
import type { PlatformCall } from '#app/adapters/servicem8/servicem8-call.ts'
import type { App } from '#app/context/app-context.ts'
import { currentCaller } from '#app/lib/caller.server.ts'
import { iso, type Millis } from '#app/lib/clock.ts'
import { activityLabel, logEntry, logEntryJson, webhookData } from './log.ts'

type ReadApp = Pick<App, 'store'>

/** Lists of the activity page hold this many at most. */
const MOST_LISTED = 100

/** Events of all objects as the activity page and its call show them: newest first, dates as ISO texts. */
export async function loadWebhookActivity(app: ReadApp, accountUuid: string) {
  const rows = await app.store.events.listEventLog(accountUuid, {
    object: null,
    since: null,
    forwarding: 'all',
    before: null,
    limit: MOST_LISTED,
    withBody: true,
    withResponses: false,
  })
  return rows.map((row) => {
    const { id, receivedAt, forwardedTo, forwardingResults } = logEntryJson(logEntry(row), false)
    return {
      id,
      accountUUID: accountUuid,
      objectType: row.object,
      objectUuid: row.objectUuid,
      changedFields: row.changedFields,
      webhookData: webhookData(row.body),
      forwardedTo,
      forwardingResults,
      receivedAt,
    }
  })
}

/** What we said to the platform and it to us: newest first, dates as ISO texts. */
export async function loadApiActivity(app: ReadApp, accountUuid: string) {
  const rows = await app.store.events.listApiActivity(accountUuid, MOST_LISTED)
  return rows.map((row) => ({
    id: row.id,
    accountUUID: row.accountUuid,
    activityType: row.activityType,
    activityLabel: activityLabel(row.activityType),
    endpoint: row.endpoint,
    method: row.method,
    requestData: row.requestData,
    responseData: row.responseData,
    statusCode: row.statusCode,
    userAgent: row.userAgent,
    remoteIp: row.remoteIp,
    duration: row.durationMs,
    createdAt: iso(row.createdAt),
  }))
}

/**
 * Writes down a call we made to the platform; of an automation, it counts as one API call used. Not waited for, and never
 * fails the call it tells about. Calls from before the account is known are only in the process's log.
 */
export function recordPlatformCall(app: Pick<App, 'store' | 'log'>, call: PlatformCall): void {
  if (call.accountUuid === null) return
  // A look every few minutes would push everything else off the page, and is not the account's doing.
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
      // Of the person whose page or button it was made for; null = it was made by itself.
      remoteIp: currentCaller()?.ip ?? null,
      durationMs: call.durationMs,
      ...(call.counts && { counts: true }),
    })
    .catch((error: unknown) => app.log.warn({ account: call.accountUuid, err: error }, 'activity.not_recorded'))
}

/** Somebody or something came to an address of ours in an account's name. */
interface Arrival {
  accountUuid: string
  activityType: 'sign_in' | 'opening' | 'webhook'
  /** Path of ours, with a query whose secrets are masked when it is written. */
  endpoint: string
  method: string
  /** What it brought, in a few words; null = nothing to tell. */
  request: string | null
  /** What became of it, in a sentence. */
  response: string
  /** 2xx = it went well: the screen shows everything from 300 on as an error. */
  statusCode: number
  userAgent: string | null
  /** When it began. */
  startedAt: Millis
}

/** Writes it down, with the address the request came from. Not waited for, and never fails the request. */
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
