// The manager page: loads its data and handles its forms.
import type { App } from '#app/context/app-context.ts'
import { type EndpointKey, type EndpointKind, parseEndpointKey, refOf } from '#app/domain/endpoint-key.ts'
import { bodiesKept } from '#app/domain/kept-until.ts'
import { objectLabel } from '#app/domain/object-catalog.ts'
import { holdReason } from '#app/domain/quarantine.ts'
import type { NamesOf } from '#app/domain/record-name.ts'
import type { LogEntryView, LogFilter } from '#app/features/events/log-view.ts'
import { unlessHeld } from '#app/features/events/search-view.ts'
import type { Millis } from '#app/lib/clock.ts'
import type { Flash } from '#app/lib/flash.ts'
import { isTurnError } from '#app/lib/in-turn.server.ts'
import { UNDO_SHOWN } from '#app/lib/undo.ts'
import { actOnCard, type CardAct, isCardIntent, stoppedSince } from './controls/act-on-card.server.ts'
import { DELETED_BEFORE, goneSentence, restoredFlash, resultPlace, UNDO_OVER } from './controls/control-text.ts'
import type { DeliveryControls } from './controls/delivery-controls.server.ts'
import { checkAfterSave } from './controls/endpoint-check.server.ts'
import { firstReplayForm, missedSince, readReplayForm } from './controls/replay-request.ts'
import type { ReplayForm, ReplayPanelData } from './controls/replay-text.ts'
import { countReplay } from './controls/replay-webhook.server.ts'
import { findDeleted, restoreEndpoint } from './controls/restore-endpoint.server.ts'
import { type Refused, refuseOneMore } from './endpoint-changes.server.ts'
import { KIND_TEXTS, kindOf, WIRE_NAMES } from './endpoint-kinds.ts'
import { foldRules } from './endpoint-status.ts'
import { calledOf, type DeletedView, type EndpointDetails, type EndpointView, MISSED_COUNTED } from './endpoint-view.ts'
import { createEndpoint, deleteEndpoint, type EndpointApp, listEndpoints, updateEndpoint } from './endpoints.server.ts'
import { firstSteps } from './first-steps.ts'
import type { FormResult } from './form-result.ts'
import { loadAccountNews } from './notices/account-news.server.ts'
import { actOnNotices, isNoticeIntent, type NoticeAct } from './notices/act-on-notices.server.ts'
import { loadWebhookLog } from './webhook-log.server.ts'

type ReadApp = Pick<App, 'store' | 'secrets' | 'settings' | 'clock' | 'space'>

/** What the page's URL opens. A card that does not exist opens nothing. */
export interface ManagerOpen {
  /** The card the URL names. */
  card?: EndpointKey
  deleted?: EndpointKey
  log?: { webhookId: EndpointKey; filter: LogFilter }
  /** `form` is null when the panel was just opened. */
  replay?: { webhookId: EndpointKey; form: ReplayForm | null }
}

interface ManagerLog {
  entries: LogEntryView[]
  now: Millis
}

/** Loads everything the page shows. */
export async function loadManagerPage(
  app: ReadApp,
  controls: Pick<DeliveryControls, 'countReplay'>,
  accountUuid: string,
  open: ManagerOpen = {},
) {
  const account = await app.store.accounts.findAccount(accountUuid)
  const counted = (some: readonly EndpointDetails[]) => Promise.all(some.map((one) => withMissed(controls, one)))
  const endpoints = await listEndpoints(app, accountUuid)
  const ownWebhooks = endpoints.filter(({ view }) => view.kind === 'webhook')
  const { whole: ownRules, lines: ruleLines } = foldRules(
    endpoints.filter(({ view }) => view.kind === 'extra'),
    open.card ?? null,
  )
  const automations = (await app.store.automations.listAutomations(accountUuid)).length
  const lastEventAt = await app.store.events.lastEventAt(accountUuid)
  return {
    accountName: account?.name ?? '',
    timezone: account?.timezone ?? 'UTC',
    now: app.clock.now(),
    webhooks: await counted(ownWebhooks),
    rules: await counted(ownRules),
    ruleLines,
    noRoom: (await refuseOneMore(app, accountUuid))?.message ?? null,
    lastEventAt,
    log: open.log ? await loadManagerLog(app, accountUuid, open.log.webhookId, open.log.filter) : null,
    replay: open.replay
      ? await loadReplayPanel(app, controls, accountUuid, open.replay, account?.timezone ?? 'UTC')
      : null,
    deleted: open.deleted === undefined ? null : await loadDeleted(app, accountUuid, open.deleted),
    news: await loadAccountNews(app, accountUuid, [...ownWebhooks, ...ownRules]),
    firstSteps: firstSteps({
      cards: endpoints.map(({ view }) => view),
      automations,
      hadEvents: lastEventAt !== null,
      now: app.clock.now(),
    }),
    demoAddress: app.settings.sandbox ? `${app.settings.origin}/sandbox/receiver/demo` : null,
  }
}

async function loadDeleted(app: ReadApp, accountUuid: string, key: EndpointKey): Promise<DeletedView | null> {
  const found = await findDeleted(app, accountUuid, key, UNDO_SHOWN)
  if (!found) return null
  const { name, objectType, pendingCount } = found
  return { key, called: calledOf({ kind: kindOf(key), name, label: objectLabel(objectType) }), waiting: pendingCount }
}

/** Counts missed events only where nothing is tried any more, and only some where new ones are: counting is expensive. */
async function withMissed(
  controls: Pick<DeliveryControls, 'countReplay'>,
  { view, endpointId }: EndpointDetails,
): Promise<EndpointView> {
  const active = view.state === 'active'
  const isOver = active ? view.status === 'failing' && view.pending === 0 : view.state !== 'paused'
  if (view.failingSince === null || !isOver) return view
  const enough = active ? MISSED_COUNTED : undefined
  return { ...view, missed: await controls.countReplay(endpointId, missedSince(view.failingSince), enough) }
}

async function loadReplayPanel(
  app: ReadApp,
  controls: Pick<DeliveryControls, 'countReplay'>,
  accountUuid: string,
  { webhookId, form }: NonNullable<ManagerOpen['replay']>,
  timezone: string,
): Promise<ReplayPanelData | null> {
  const record = await app.store.endpoints.findEndpoint(accountUuid, refOf(webhookId))
  if (!record) return null
  const now = app.clock.now()
  if (!form) {
    const { endpoint, hours } = record
    // A new address forgets its last attempt, but not the hours before.
    const tried = endpoint.lastAttemptAt !== null || hours.some(({ delivered, failed }) => delivered + failed > 0)
    const first = firstReplayForm(stoppedSince(record) ?? endpoint.failingSince, now, timezone, tried)
    return { webhookId, form: first, errors: {}, count: null }
  }
  const read = readReplayForm(form, now, timezone)
  if (read.outcome === 'invalid') return { webhookId, form, errors: read.errors, count: null }
  const count = await countReplay(app, controls, accountUuid, webhookId, read.request)
  const kept = bodiesKept(app.settings.retentionDays, app.space.isOverShare(accountUuid) ? app.space.switches() : null)
  return { webhookId, form, errors: {}, count, ...(read.request.since < now - kept && { kept }) }
}

/**
 * Loads the log of one card: a webhook's shows every event of its object and the result at every address; a rule's
 * shows what went to its own address. Null when this account has no such webhook or rule.
 */
export async function loadManagerLog(
  app: Pick<App, 'store' | 'clock'>,
  accountUuid: string,
  key: EndpointKey,
  filter: LogFilter,
  namesOf?: NamesOf,
): Promise<ManagerLog | null> {
  const record = await app.store.endpoints.findEndpoint(accountUuid, refOf(key))
  if (!record) return null
  const only = record.kind === 'extra' ? record.endpoint.id : null
  const entries = await loadWebhookLog(app, accountUuid, record.objectType, filter, only, namesOf)
  return { entries, now: app.clock.now() }
}

type ManagerActOutcome =
  /** Redirect to the plain page and show `flash`. Also when the webhook is already gone: no form is left to draw. */
  | ({ outcome: 'done' /** Null when the page itself shows the result. */; flash: Flash | null } & Omit<
      CardAct,
      'flash'
    >)
  /** Draw the page again with `result` and answer with `status`. `toast` is null when a field says it. */
  | { outcome: 'refused'; status: number; result: FormResult; toast: Flash | null }

/**
 * Runs a form of the page: `intent` create (callback_url, object, fields, useCustom, customObject), update (id, fields,
 * callback_url), delete (id) or undo (id); for a forwarding rule create_rule (name, objectType, forwardUrl, fieldFilters,
 * useCustom, customObject), update (id, name, forwardUrl, fieldFilters) or delete (id). The id tells a webhook from a
 * rule. Fields missing from the form do not change. `actOnCard` handles the buttons of a card.
 */
export async function actOnManagerPage(
  app: EndpointApp,
  controls: DeliveryControls,
  accountUuid: string,
  formData: FormData,
  role: { admin: boolean },
): Promise<ManagerActOutcome> {
  const values: Record<string, string> = {}
  for (const [name, value] of formData) if (typeof value === 'string') values[name] = value
  try {
    return await actOn({ app, controls, accountUuid, values, role })
  } catch (error) {
    if (!isTurnError(error)) throw error
    const result = { fieldErrors: {}, formError: error.message, values }
    return { outcome: 'refused', status: 503, result, toast: { kind: 'error', title: error.message } }
  }
}

interface PostedForm {
  app: EndpointApp
  controls: DeliveryControls
  accountUuid: string
  values: Record<string, string>
  role: { admin: boolean }
}

async function actOn(form: PostedForm): Promise<ManagerActOutcome> {
  const { app, controls, accountUuid, values } = form
  if (isCardIntent(values.intent)) {
    return { outcome: 'done', ...(await actOnCard(app, controls, accountUuid, values.intent, values)) }
  }
  if (isNoticeIntent(values.intent)) {
    return noticeOutcome(await actOnNotices(app, controls, accountUuid, values.intent, values), values)
  }
  switch (values.intent) {
    case 'create':
      return create(form, 'webhook')
    case 'create_rule':
      return create(form, 'extra')
    case 'update':
      return update(form)
    case 'delete':
      return remove(form)
    case 'undo':
      return undo(form)
    default:
      return refused({ outcome: 'invalid', message: 'Request failed', errors: {} }, form, 'Request failed')
  }
}

async function create(form: PostedForm, kind: EndpointKind): Promise<ManagerActOutcome> {
  const { app, accountUuid, values, role } = form
  const made = await createEndpoint(app, accountUuid, kind, values, { ...role, byForm: true })
  return made.outcome === 'created' || made.outcome === 'replaced'
    ? saved(form, KIND_TEXTS[kind].created, made)
    : refused(made, form, KIND_TEXTS[kind].createFailed)
}

async function update(form: PostedForm): Promise<ManagerActOutcome> {
  const key = parseEndpointKey(form.values.id ?? '')
  const { updated, updateFailed } = KIND_TEXTS[kindOf(key)]
  const changed = key === null ? NOT_FOUND : await updateEndpoint(form.app, form.accountUuid, key, form.values)
  if (changed.outcome === 'not_found') return gone(updateFailed, kindOf(key))
  return changed.outcome === 'updated' ? saved(form, updated, changed) : refused(changed, form, updateFailed)
}

async function remove({ app, accountUuid, values }: PostedForm): Promise<ManagerActOutcome> {
  const key = parseEndpointKey(values.id ?? '')
  const { deleted, deleteFailed } = KIND_TEXTS[kindOf(key)]
  if (key === null) return gone(deleteFailed, kindOf(key))
  const removed = await deleteEndpoint(app, accountUuid, key)
  if (removed.outcome !== 'not_found') return done(deleted, null)
  const before = await findDeleted(app, accountUuid, key, app.clock.now())
  return before ? done(deleted, DELETED_BEFORE) : gone(deleteFailed, kindOf(key))
}

async function undo({ app, accountUuid, values }: PostedForm): Promise<ManagerActOutcome> {
  const key = parseEndpointKey(values.id ?? '')
  const restored = key === null ? NOT_FOUND : await restoreEndpoint(app, accountUuid, key)
  const texts = KIND_TEXTS[kindOf(key)]
  if (restored.outcome === 'restored') {
    const { endpoint, waiting, paused } = restored
    const flash = restoredFlash(texts.restored, waiting, paused)
    if (waiting === 0 || paused) return { outcome: 'done', flash }
    const record = await app.store.endpoints.findEndpoint(accountUuid, refOf(endpoint.view.id))
    const hold = holdReason(app.settings, record?.accountHold?.reason)
    return { outcome: 'done', flash: unlessHeld(flash, hold, flash.title) }
  }
  if (restored.outcome === 'not_found') {
    // A second press finds it there again.
    const isThere = key !== null && (await app.store.endpoints.findEndpoint(accountUuid, refOf(key)))
    if (isThere) return { outcome: 'done', flash: { kind: 'success', title: texts.restored } }
  }
  const why = restored.outcome === 'not_found' ? UNDO_OVER : restored.message
  return { outcome: 'done', flash: { kind: 'error', title: texts.restoreFailed, description: why } }
}

const NOT_FOUND = { outcome: 'not_found' } as const

function noticeOutcome(act: NoticeAct, values: Record<string, string>): ManagerActOutcome {
  if (act.outcome === 'done') return { outcome: 'done', flash: placed(act.flash, values) }
  return { outcome: 'refused', status: 400, result: { fieldErrors: act.errors, values }, toast: act.flash }
}

/** A dismissed notice is gone, which shows; the result of a card's button stands at that button. */
function placed(flash: Flash, { intent, id }: Record<string, string>): Flash | null {
  if (intent === 'dismiss_notice') return null
  const card = parseEndpointKey(id ?? '')
  if (card === null || (intent !== 'check_address' && intent !== 'compare')) return flash
  return { ...flash, at: resultPlace(card, intent === 'compare' ? 'compare' : 'buttons') }
}

/** Adds what a check can find wrong with the address right now. */
async function saved(
  { app, controls, accountUuid }: PostedForm,
  title: string,
  { endpoint, warning }: { endpoint: EndpointDetails; warning: string | null },
): Promise<ManagerActOutcome> {
  return done(title, warning ?? (await checkAfterSave(app, accountUuid, endpoint.endpointId, controls.takeCheck)))
}

function done(title: string, warning: string | null): ManagerActOutcome {
  const flash: Flash = warning === null ? { kind: 'success', title } : { kind: 'success', title, description: warning }
  return { outcome: 'done', flash }
}

function gone(title: string, kind: EndpointKind): ManagerActOutcome {
  return { outcome: 'done', flash: { kind: 'error', title, description: goneSentence(KIND_TEXTS[kind].thing) } }
}

/** Fields with their own place on the forms. A message about any other field is about the form as a whole. */
const ON_THE_FORM = new Set<string>([
  'name',
  'customObject',
  ...Object.values(WIRE_NAMES.webhook),
  ...Object.values(WIRE_NAMES.extra),
])

function refused(refusal: Refused, { values, role }: PostedForm, fallback: string): ManagerActOutcome {
  const message = refusal.message || fallback
  const fieldErrors = ('errors' in refusal && refusal.errors) || {}
  const shown = Object.keys(fieldErrors).some((field) => ON_THE_FORM.has(field))
  // In admin mode every failed creation has this title (specification, section 6).
  const toast: Flash | null =
    role.admin && CREATING.has(values.intent ?? '')
      ? { kind: 'error', title: 'ServiceM8 Response', description: message }
      : shown
        ? null
        : { kind: 'error', title: message }
  return {
    outcome: 'refused',
    status: REFUSED_STATUS[refusal.outcome],
    result: { fieldErrors, ...(!shown && { formError: message }), values },
    toast,
  }
}

const CREATING = new Set(['create', 'create_rule'])

/** The HTTP status of a refusal, for the page and the call. */
export const REFUSED_STATUS: Record<Refused['outcome'], number> = {
  invalid: 400,
  no_credentials: 401,
  forbidden: 403,
  full: 409,
  platform_refused: 502,
}
