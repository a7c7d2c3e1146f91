// The manager page: what it shows, and what its forms do.
import type { App } from '#app/app-context.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import type { Millis } from '#app/lib/clock.ts'
import type { Flash } from '#app/lib/flash.ts'
import { CREATE_FAILED, DELETE_FAILED, type FieldErrors, parseWebhookId, UPDATE_FAILED } from './webhook.ts'
import { loadWebhookLog } from './webhook-log.server.ts'
import type { LogEntryView, LogFilter, WebhookView } from './webhook-view.ts'
import {
  createWebhook,
  deleteWebhook,
  listWebhooks,
  type Refused,
  updateWebhook,
  type WebhookApp,
} from './webhooks.server.ts'

type ReadApp = Pick<App, 'store' | 'secrets' | 'settings' | 'clock'>

export interface ManagerPageData {
  accountName: string
  /** IANA zone of the account. */
  timezone: string
  now: Millis
  /** Oldest first. */
  webhooks: WebhookView[]
  /** Of any object; null = never. */
  lastEventAt: Millis | null
  /** The log the address opens, else null. */
  log: ManagerLog | null
}

export interface ManagerLog {
  entries: LogEntryView[]
  now: Millis
}

/** Everything the page shows. `open` = the webhook whose log panel is open; one that is not there opens nothing. */
export async function loadManagerPage(
  app: ReadApp,
  accountUuid: string,
  open: { webhookId: number; filter: LogFilter } | null,
): Promise<ManagerPageData> {
  const account = await app.store.findAccount(accountUuid)
  const details = await listWebhooks(app, accountUuid)
  return {
    accountName: account?.name ?? '',
    timezone: account?.timezone ?? 'UTC',
    now: app.clock.now(),
    webhooks: details.map((one) => one.view),
    lastEventAt: await app.store.lastEventAt(accountUuid),
    log: open ? await loadManagerLog(app, accountUuid, open.webhookId, open.filter) : null,
  }
}

/** The log behind one card. Null = no such webhook of this account. */
export async function loadManagerLog(
  app: Pick<App, 'store' | 'clock'>,
  accountUuid: string,
  webhookId: number,
  filter: LogFilter,
): Promise<ManagerLog | null> {
  const record = await app.store.findWebhook(accountUuid, webhookId)
  if (!record) return null
  const entries = await loadWebhookLog(app, accountUuid, record.webhook.objectType, filter)
  return { entries, now: app.clock.now() }
}

/** What a refused form is drawn from again: the typed values are kept. */
export interface RefusedForm {
  fieldErrors: FieldErrors
  /** About the form as a whole. */
  formError?: string
  /** As typed, `intent` and `id` included. */
  values: Record<string, string>
}

export type ManagerActOutcome =
  /** Redirect to the plain page and show `flash` there. Also when the webhook was gone already: nothing is left to draw. */
  | { outcome: 'done'; flash: Flash }
  /** Draw the page again with `result`, answering with `status`; `toast` for those who have scripts. */
  | { outcome: 'refused'; status: number; result: RefusedForm; toast: Flash }

/**
 * Does what a form of the page asks: `intent` create (callback_url, object, fields, useCustom, customObject), update (id,
 * fields, callback_url) or delete (id). What is not in the form does not change.
 */
export async function actOnManagerPage(
  app: WebhookApp,
  accountUuid: string,
  formData: FormData,
  role: { admin: boolean },
): Promise<ManagerActOutcome> {
  const values: Record<string, string> = {}
  for (const [name, value] of formData) if (typeof value === 'string') values[name] = value
  const id = parseWebhookId(values.id ?? '')
  switch (values.intent) {
    case 'create': {
      const made = await createWebhook(app, accountUuid, values, role)
      return made.outcome === 'created' || made.outcome === 'replaced'
        ? done('Webhook created successfully!', made.warning)
        : refused(made, values, CREATE_FAILED, role)
    }
    case 'update': {
      const changed = id === null ? GONE : await updateWebhook(app, accountUuid, id, values)
      if (changed.outcome === 'not_found') return gone(UPDATE_FAILED)
      return changed.outcome === 'updated'
        ? done('Webhook fields updated successfully!', changed.warning)
        : refused(changed, values, UPDATE_FAILED, role)
    }
    case 'delete': {
      const deleted = id === null ? GONE : await deleteWebhook(app, accountUuid, id)
      return deleted.outcome === 'deleted' ? done('Webhook deleted successfully!', null) : gone(DELETE_FAILED)
    }
    default:
      return refused({ outcome: 'invalid', message: 'Request failed', errors: {} }, values, 'Request failed', role)
  }
}

const GONE = { outcome: 'not_found' } as const

function done(title: string, warning: string | null): ManagerActOutcome {
  const flash: Flash = warning === null ? { kind: 'success', title } : { kind: 'success', title, description: warning }
  return { outcome: 'done', flash }
}

function gone(title: string): ManagerActOutcome {
  return { outcome: 'done', flash: { kind: 'error', title, description: 'This webhook no longer exists.' } }
}

/** Fields that have a place of their own on the forms; a message about any other is about the form as a whole. */
const ON_THE_FORM = new Set(['callback_url', 'object', 'customObject', 'fields'])

function refused(
  refusal: Refused,
  values: Record<string, string>,
  fallback: string,
  role: { admin: boolean },
): ManagerActOutcome {
  const message = refusal.message || fallback
  const fieldErrors = refusal.outcome === 'invalid' ? refusal.errors : {}
  const shown = Object.keys(fieldErrors).some((field) => ON_THE_FORM.has(field))
  // An admin sees that these are the platform's words (specification, section 6).
  const toast: Flash =
    role.admin && refusal.outcome === 'platform_refused'
      ? { kind: 'error', title: 'ServiceM8 Response', description: message }
      : { kind: 'error', title: message }
  return {
    outcome: 'refused',
    status: statusOf(refusal),
    result: { fieldErrors, ...(!shown && { formError: message }), values },
    toast,
  }
}

/** The status of a refusal, for the page as for the call. */
export function statusOf(refusal: Refused): number {
  switch (refusal.outcome) {
    case 'invalid':
      return 400
    case 'no_credentials':
      return 401
    case 'forbidden':
      return 403
    case 'platform_refused':
      return 502
    default:
      return assertNever(refusal)
  }
}
