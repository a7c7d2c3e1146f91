// The manager page: what it shows, and what its forms do.

import type { App } from '#app/context/app-context.ts'
import { type EndpointKey, parseEndpointKey, ruleIdOf } from '#app/domain/endpoint-key.ts'
import type { LogEntryView, LogFilter } from '#app/features/events/log-view.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import type { Millis } from '#app/lib/clock.ts'
import type { Flash } from '#app/lib/flash.ts'
import { actOnCard, isCardIntent, stoppedSince, thingOf } from './controls/act-on-card.server.ts'
import { goneSentence, type Thing } from './controls/control-words.ts'
import type { DeliveryControls } from './controls/delivery-controls.server.ts'
import { checkAfterSave } from './controls/endpoint-check.server.ts'
import { firstReplayForm, missedSince, readReplayForm } from './controls/replay-request.ts'
import { countReplay } from './controls/replay-webhook.server.ts'
import type { ReplayForm, ReplayPanelData } from './controls/replay-words.ts'
import { type Refused, refuseOneMore } from './endpoint-changes.server.ts'
import { findEndpointRecord } from './endpoint-record.server.ts'
import { type FirstStepView, firstSteps } from './first-steps.ts'
import {
  RULE_CREATE_FAILED,
  RULE_CREATED,
  RULE_DELETE_FAILED,
  RULE_DELETED,
  RULE_UPDATE_FAILED,
  RULE_UPDATED,
} from './forwarding-rule.ts'
import {
  createForwardingRule,
  deleteForwardingRule,
  listForwardingRules,
  updateForwardingRule,
} from './forwarding-rules.server.ts'
import { loadAccountNews } from './notices/account-news.server.ts'
import { actOnNotices, isNoticeIntent, type NoticeAct } from './notices/act-on-notices.server.ts'
import type { AccountNews } from './notices/notice-view.ts'
import { foldRules } from './rule-lines.ts'
import { CREATE_FAILED, DELETE_FAILED, type FieldErrors, UPDATE_FAILED } from './webhook.ts'
import { loadWebhookLog } from './webhook-log.server.ts'
import type { CardView, RuleLineView, RuleView, WebhookView } from './webhook-view.ts'
import { createWebhook, deleteWebhook, listWebhooks, updateWebhook, type WebhookApp } from './webhooks.server.ts'

type ReadApp = Pick<App, 'store' | 'secrets' | 'settings' | 'clock'>

export interface ManagerPageData {
  accountName: string
  /** IANA zone of the account. */
  timezone: string
  now: Millis
  /** Oldest first. */
  webhooks: WebhookView[]
  /** Oldest first: all of them, or of many those worth a whole card. */
  rules: RuleView[]
  /** The others. */
  ruleLines: RuleLineView[]
  /** Why no further address fits; null = one does. */
  noRoom: string | null
  /** Of any object; null = never. */
  lastEventAt: Millis | null
  /** The log the address opens, else null. */
  log: ManagerLog | null
  /** "Send everything since …" of the card whose panel the address opens, else null. */
  replay: ReplayPanelData | null
  news: AccountNews
  /** What a newcomer does next; empty = nothing to say. */
  firstSteps: FirstStepView[]
  /** An address to try things out with, where the built-in stand-in plays the platform. */
  demoAddress: string | null
}

/** What the page's address opens. One that is not there opens nothing. */
export interface ManagerOpen {
  /** The card it names. */
  card?: EndpointKey
  log?: { webhookId: EndpointKey; filter: LogFilter }
  /** `form` null = the panel was just opened. */
  replay?: { webhookId: EndpointKey; form: ReplayForm | null }
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
  const counted = async <View extends CardView>({ view, endpointId }: { view: View; endpointId: number }) => ({
    ...view,
    missed: await countMissed(controls, view, endpointId),
  })
  const webhooks: WebhookView[] = []
  const ownWebhooks = await listWebhooks(app, accountUuid)
  for (const details of ownWebhooks) webhooks.push(await counted(details))
  const rules: RuleView[] = []
  const allRules = await listForwardingRules(app, accountUuid)
  const { whole: ownRules, lines: ruleLines } = foldRules(allRules, open.card ?? null)
  for (const details of ownRules) rules.push(await counted(details))
  const cards = [...webhooks, ...allRules.map(({ view }) => view)]
  const automations = (await app.store.listAutomations(accountUuid)).length
  return {
    accountName: account?.name ?? '',
    timezone: account?.timezone ?? 'UTC',
    now: app.clock.now(),
    webhooks,
    rules,
    ruleLines,
    noRoom: (await refuseOneMore(app, accountUuid))?.message ?? null,
    lastEventAt: await app.store.lastEventAt(accountUuid),
    log: open.log ? await loadManagerLog(app, accountUuid, open.log.webhookId, open.log.filter) : null,
    replay: open.replay
      ? await loadReplayPanel(app, controls, accountUuid, open.replay, account?.timezone ?? 'UTC')
      : null,
    news: await loadAccountNews(app, accountUuid, [...ownWebhooks, ...ownRules]),
    firstSteps: firstSteps({ cards, automations, now: app.clock.now() }),
    demoAddress: app.settings.sandbox ? `${app.settings.origin}/sandbox/receiver/demo` : null,
  }
}

/** Counted only for addresses that stopped: for all others nobody asks, and counting costs. */
async function countMissed(
  controls: Pick<DeliveryControls, 'countReplay'>,
  view: CardView,
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
  const record = await findEndpointRecord(app, accountUuid, webhookId)
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

/**
 * The log behind one card: a webhook's shows every event of its object, with what became of it everywhere; a rule's shows
 * what went to its address. Null = no such webhook or rule of this account.
 */
export async function loadManagerLog(
  app: Pick<App, 'store' | 'clock'>,
  accountUuid: string,
  key: EndpointKey,
  filter: LogFilter,
): Promise<ManagerLog | null> {
  const record = await findEndpointRecord(app, accountUuid, key)
  if (!record) return null
  const only = thingOf(key) === 'rule' ? record.endpoint.id : null
  const entries = await loadWebhookLog(app, accountUuid, record.objectType, filter, only)
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
  | { outcome: 'done'; flash: Flash /** The card whose signing secret is shown there. */; secretOf?: EndpointKey }
  /** Draw the page again with `result`, answering with `status`; `toast` for those who have scripts. */
  | { outcome: 'refused'; status: number; result: RefusedForm; toast: Flash }

/**
 * Does what a form of the page asks: `intent` create (callback_url, object, fields, useCustom, customObject), update (id,
 * fields, callback_url) or delete (id); for a forwarding rule create_rule (name, objectType, forwardUrl, fieldFilters,
 * useCustom, customObject), update (id, name, forwardUrl, fieldFilters) or delete (id). The id says which of the two it is.
 * What is not in the form does not change. The buttons of a card are in `actOnCard`.
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
  if (isCardIntent(values.intent)) {
    return { outcome: 'done', ...(await actOnCard(app, controls, accountUuid, values.intent, values)) }
  }
  if (isNoticeIntent(values.intent)) {
    return noticeOutcome(await actOnNotices(app, controls, accountUuid, values.intent, values), values)
  }
  const looked = (endpointId: number) => checkAfterSave(app, accountUuid, endpointId, controls.takeCheck)
  switch (values.intent) {
    case 'create': {
      const made = await createWebhook(app, accountUuid, values, role)
      return made.outcome === 'created' || made.outcome === 'replaced'
        ? done('Webhook created successfully!', made.warning ?? (await looked(made.webhook.endpointId)))
        : refused(made, values, CREATE_FAILED, role)
    }
    case 'create_rule': {
      const made = await createForwardingRule(app, accountUuid, values, role)
      return made.outcome === 'created'
        ? done(RULE_CREATED, made.warning ?? (await looked(made.rule.endpointId)))
        : refused(made, values, RULE_CREATE_FAILED, role)
    }
    case 'update':
      return update(app, accountUuid, values, role, looked)
    case 'delete':
      return remove(app, accountUuid, values)
    default:
      return refused({ outcome: 'invalid', message: 'Request failed', errors: {} }, values, 'Request failed', role)
  }
}

async function update(
  app: WebhookApp,
  accountUuid: string,
  values: Record<string, string>,
  role: { admin: boolean },
  looked: (endpointId: number) => Promise<string | null>,
): Promise<ManagerActOutcome> {
  const key = parseEndpointKey(values.id ?? '')
  if (key === null) return gone(UPDATE_FAILED, 'webhook')
  const rule = typeof key === 'string'
  const changed = rule
    ? await updateForwardingRule(app, accountUuid, ruleIdOf(key), values)
    : await updateWebhook(app, accountUuid, key, values)
  const failure = rule ? RULE_UPDATE_FAILED : UPDATE_FAILED
  if (changed.outcome === 'not_found') return gone(failure, thingOf(key))
  if (changed.outcome !== 'updated') return refused(changed, values, failure, role)
  const { endpointId } = 'rule' in changed ? changed.rule : changed.webhook
  const warning = changed.warning ?? (await looked(endpointId))
  return done(rule ? RULE_UPDATED : 'Webhook fields updated successfully!', warning)
}

async function remove(
  app: WebhookApp,
  accountUuid: string,
  values: Record<string, string>,
): Promise<ManagerActOutcome> {
  const key = parseEndpointKey(values.id ?? '')
  if (key === null) return gone(DELETE_FAILED, 'webhook')
  const rule = typeof key === 'string'
  const deleted = rule
    ? await deleteForwardingRule(app, accountUuid, ruleIdOf(key))
    : await deleteWebhook(app, accountUuid, key)
  if (deleted.outcome === 'not_found') return gone(rule ? RULE_DELETE_FAILED : DELETE_FAILED, thingOf(key))
  return done(rule ? RULE_DELETED : 'Webhook deleted successfully!', null)
}

function noticeOutcome(act: NoticeAct, values: Record<string, string>): ManagerActOutcome {
  if (act.outcome === 'done') return act
  return { outcome: 'refused', status: 400, result: { fieldErrors: act.errors, values }, toast: act.flash }
}

function done(title: string, warning: string | null): ManagerActOutcome {
  const flash: Flash = warning === null ? { kind: 'success', title } : { kind: 'success', title, description: warning }
  return { outcome: 'done', flash }
}

function gone(title: string, thing: Thing): ManagerActOutcome {
  return { outcome: 'done', flash: { kind: 'error', title, description: goneSentence(thing) } }
}

/** Fields that have a place of their own on the forms; a message about any other is about the form as a whole. */
const ON_THE_FORM = new Set([
  'callback_url',
  'object',
  'customObject',
  'fields',
  'name',
  'objectType',
  'forwardUrl',
  'fieldFilters',
])

function refused(
  refusal: Refused,
  values: Record<string, string>,
  fallback: string,
  role: { admin: boolean },
): ManagerActOutcome {
  const message = refusal.message || fallback
  const fieldErrors = refusal.outcome === 'invalid' ? refusal.errors : {}
  const shown = Object.keys(fieldErrors).some((field) => ON_THE_FORM.has(field))
  // In admin mode every creation that fails has this title (specification, section 6).
  const toast: Flash =
    role.admin && CREATING.has(values.intent ?? '')
      ? { kind: 'error', title: 'ServiceM8 Response', description: message }
      : { kind: 'error', title: message }
  return {
    outcome: 'refused',
    status: statusOf(refusal),
    result: { fieldErrors, ...(!shown && { formError: message }), values },
    toast,
  }
}

const CREATING = new Set(['create', 'create_rule'])

/** The status of a refusal, for the page as for the call. */
export function statusOf(refusal: Refused): number {
  switch (refusal.outcome) {
    case 'invalid':
      return 400
    case 'no_credentials':
      return 401
    case 'forbidden':
      return 403
    case 'full':
      return 409
    case 'platform_refused':
      return 502
    default:
      return assertNever(refusal)
  }
}
