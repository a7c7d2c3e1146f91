// What happened, for the screens and calls that show it.
import type { PlatformCall } from '#app/adapters/servicem8-call.ts'
import type { App } from '#app/app-context.ts'
import { activityLabel, logEntry, logEntryJson, webhookData } from './log.ts'

type ReadApp = Pick<App, 'store'>

/** Lists of the activity page hold this many at most. */
const MOST_LISTED = 100

/** Events of all objects as the activity page and its call show them: newest first, dates as ISO texts. */
export async function loadWebhookActivity(app: ReadApp, accountUuid: string) {
  const rows = await app.store.listEventLog(accountUuid, {
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
  const rows = await app.store.listApiActivity(accountUuid, MOST_LISTED)
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
    createdAt: new Date(row.createdAt).toISOString(),
  }))
}

/**
 * Writes down a call we made to the platform; it counts as one API call of the account. Not waited for, and never fails
 * the call it tells about. Calls from before the account is known are only in the process's log.
 */
export function recordPlatformCall(app: Pick<App, 'store' | 'log'>, call: PlatformCall): void {
  if (call.accountUuid === null) return
  // A look every few minutes would push everything else off the page, and is not the account's doing.
  if (call.routine && call.outcome === 'ok') return
  app.store
    .recordApiActivity({
      accountUuid: call.accountUuid,
      activityType: 'api_call',
      endpoint: call.path,
      method: call.method,
      requestData: call.request === null ? null : JSON.stringify(call.request),
      responseData: call.answer,
      statusCode: call.status,
      userAgent: null,
      remoteIp: null,
      durationMs: call.durationMs,
    })
    .catch((error: unknown) => app.log.warn({ account: call.accountUuid, err: error }, 'activity.not_recorded'))
}

export type WebhookActivityJson = Awaited<ReturnType<typeof loadWebhookActivity>>[number]
export type ApiActivityJson = Awaited<ReturnType<typeof loadApiActivity>>[number]
