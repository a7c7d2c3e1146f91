// The manager page: what it shows, and what its forms do.
import type { App } from '#app/app-context.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import type { Millis } from '#app/lib/clock.ts'
import type { Flash } from '#app/lib/flash.ts'
import { actOnCard, isCardIntent, stoppedSince } from './act-on-card.server.ts'
import type { DeliveryControls } from './delivery-controls.server.ts'
import { firstReplayForm, missedSince, readReplayForm } from './replay-request.ts'
import { countReplay } from './replay-webhook.server.ts'
import type { ReplayForm, ReplayPanelData } from './replay-words.ts'
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
  /** "Send everything since …" of the webhook whose panel the address opens, else null. */
  replay: ReplayPanelData | null
}

/** What the page's address opens. One that is not there opens nothing. */
export interface ManagerOpen {
  log?: { webhookId: number; filter: LogFilter }
  /** `form` null = the panel was just opened. */
  replay?: { webhookId: number; form: ReplayForm | null }
}

export interface ManagerLog {
  entries: LogEntryView[]
  now: Millis
}

/** Everything the page shows. */
export async function loadManagerPage(
  app: ReadApp,
  controls: Pick<DeliveryControls, 'countReplay'>,
  accountUuid: string,
  open: ManagerOpen = {},
): Promise<ManagerPageData> {
  const account = await app.store.findAccount(accountUuid)
  const details = await listWebhooks(app, accountUuid)
  const webhooks: WebhookView[] = []
  for (const { view, endpointId } of details) {
    webhooks.push({ ...view, missed: await countMissed(controls, view, endpointId) })
  }
  return {
    accountName: account?.name ?? '',
    timezone: account?.timezone ?? 'UTC',
    now: app.clock.now(),
    webhooks,
    lastEventAt: await app.store.lastEventAt(accountUuid),
    log: open.log ? await loadManagerLog(app, accountUuid, open.log.webhookId, open.log.filter) : null,
    replay: open.replay
      ? await loadReplayPanel(app, controls, accountUuid, open.replay, account?.timezone ?? 'UTC')
      : null,
  }
}

/** Counted only for addresses that stopped: for all others nobody asks, and counting costs. */
async function countMissed(
  controls: Pick<DeliveryControls, 'countReplay'>,
  view: WebhookView,
  endpointId: number,
): Promise<number | null> {
  if (view.failingSince === null || (view.state !== 'stopped' && view.state !== 'failing')) return null
  return controls.countReplay(endpointId, missedSince(view.failingSince))
}

async function loadReplayPanel(
  app: ReadApp,
  controls: Pick<DeliveryControls, 'countReplay'>,
  accountUuid: string,
  { webhookId, form }: NonNullable<ManagerOpen['replay']>,
  timezone: string,
): Promise<ReplayPanelData | null> {
  const record = await app.store.findWebhook(accountUuid, webhookId)
  if (!record) return null
  const now = app.clock.now()
  if (!form) {
    const first = firstReplayForm(stoppedSince(record) ?? record.endpoint.failingSince, now, timezone)
    return { webhookId, form: first, errors: {}, count: null }
  }
  const read = readReplayForm(form, now, timezone)
  if (read.outcome === 'invalid') return { webhookId, form, errors: read.errors, count: null }
  return { webhookId, form, errors: {}, count: await countReplay(app, controls, accountUuid, webhookId, read.wish) }
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
  | { outcome: 'done'; flash: Flash /** The webhook whose signing secret is shown there. */; secretOf?: number }
  /** Draw the page again with `result`, answering with `status`; `toast` for those who have scripts. */
  | { outcome: 'refused'; status: number; result: RefusedForm; toast: Flash }

/**
 * Does what a form of the page asks: `intent` create (callback_url, object, fields, useCustom, customObject), update (id,
 * fields, callback_url) or delete (id). What is not in the form does not change. The buttons of a card are in `actOnCard`.
 */
export async function actOnManagerPage(
  app: WebhookApp,
  controls: DeliveryControls,
  accountUuid: string,
  formData: FormData,
  role: { admin: boolean },
): Promise<ManagerActOutcome> {
  const values: Record<string, string> = {}
  for (const [name, value] of formData) if (typeof value === 'string') values[name] = value
  const id = parseWebhookId(values.id ?? '')
  if (isCardIntent(values.intent)) {
    return { outcome: 'done', ...(await actOnCard(app, controls, accountUuid, values.intent, values)) }
  }
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
