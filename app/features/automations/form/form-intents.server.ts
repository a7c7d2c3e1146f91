// Handles the rule form's buttons: every press without scripts, and saving always.
import type { App } from '#app/context/app-context.ts'
import { objectLabel } from '#app/domain/object-catalog.ts'
import type { Flash } from '#app/lib/flash.ts'
import { listeningNote } from '../listening/answers.server.ts'
import { previewForm } from '../preview/form-preview.server.ts'
import type { NamingApp } from '../preview/preview-draft.server.ts'
import type { TextAsked } from '../preview/text-me.server.ts'
import { notChecked } from '../preview/too-long.ts'
import { EMPTY_LISTS, type FormLists, namesOfLists } from '../rules/form-lists.ts'
import { FORM_TEXTS, formErrorFlash, refusedFlash, savedFlash } from '../rules/form-text.ts'
import type { NamedRule } from '../rules/loops.ts'
import type { FieldErrors } from '../rules/rule-form.ts'
import { changeRule, createRule, type RulesApp } from '../rules/rules.server.ts'
import { loadSettings } from '../settings/automation-settings.server.ts'
import { quietHint } from '../settings/settings-text.ts'
import { aidsOf, type FormAids, rulesForWarnings } from './form-aids.ts'
import { withKnownAnswers } from './form-blanks.ts'
import { placeAfter, WHEN } from './form-blocks.ts'
import { toBody } from './form-body.ts'
import { applyIntent, setValue } from './form-change.ts'
import { type FormIntent, parseFormIntent } from './form-intent.ts'
import { formOfRule } from './form-of-rule.ts'
import { PREVIEW_FIELDS, readRecordId, textMeNames } from './form-preview.ts'
import { emptyForm, type FormState, withSwitchOf } from './form-state.ts'
import type { AskedPreview, FormView } from './form-view.ts'
import { readForm } from './form-wire.ts'

type FormOutcome =
  /** Redraw the form; `flash` explains a problem, if any. */
  | { outcome: 'form'; form: FormView; flash: Flash | null }
  | { outcome: 'saved'; ruleId: number; message: string; flash: Flash }
  /** `ruleId` = the rule that stays open, as it is stored. */
  | { outcome: 'cancelled'; ruleId: number | null }

/** Loads the form for a page. */
export async function loadForm(
  app: Pick<App, 'store' | 'apart'>,
  accountUuid: string,
  written: FormState,
  errors: FieldErrors = {},
  lists: FormLists = EMPTY_LISTS,
  at = '',
): Promise<FormView> {
  const account = written.steps.length === 0 ? null : await app.store.accounts.findAccount(accountUuid)
  const saved = withKnownAnswers(await savedForm(app, accountUuid, written.ruleId), account?.name ?? '')
  const state = withSwitchOf(saved, withKnownAnswers(written, account?.name ?? ''))
  const rules = rulesForWarnings(await app.store.automations.listAutomations(accountUuid))
  const webhooks = (await app.store.endpoints.listEndpoints(accountUuid, 'webhook')).map(
    ({ id, objectType, endpoint }) => ({
      id,
      objectType,
      label: objectLabel(objectType),
      active: endpoint.state !== 'paused',
    }),
  )
  const quiet = quietHint(await loadSettings(app, accountUuid))
  const { aids, trouble } = await loadAids(app, accountUuid, state, rules, namesOfLists(lists))
  const listening = await listeningNote(app, accountUuid)
  return { state, saved, at, errors, trouble, aids, rules, webhooks, quiet, listening }
}

async function savedForm(app: Pick<App, 'store'>, accountUuid: string, ruleId: number | null): Promise<FormState> {
  const rule = ruleId === null ? null : await app.store.automations.findAutomation(accountUuid, ruleId)
  return rule ? formOfRule(rule) : emptyForm()
}

/** Computes the aids. If the texts take too long to check, leaves them out and the form says so. */
async function loadAids(
  app: Pick<App, 'apart'>,
  accountUuid: string,
  state: FormState,
  rules: readonly NamedRule[],
  names: Record<string, string>,
): Promise<{ aids: FormAids; trouble: Flash | null }> {
  const told = await app.apart.do('aidsOf', accountUuid, state, rules, names)
  if (told.outcome === 'done') return { aids: told.value, trouble: null }
  const trouble: Flash = { kind: 'error', title: FORM_TEXTS.notChecked, description: notChecked(told).message }
  const bare = { ...state, steps: state.steps.map((step) => ({ ...step, parameters: {} })) }
  return { aids: aidsOf(bare, rules, names), trouble }
}

/**
 * `lists` = the available choices, for a template that fills in a text; `textMe` sends a previewed text to the person
 * who presses. The caller has checked the account.
 */
export async function handleForm(
  app: RulesApp & NamingApp,
  accountUuid: string,
  formData: FormData | URLSearchParams,
  lists: FormLists = EMPTY_LISTS,
  textMe: ((asked: TextAsked) => Promise<Flash>) | null = null,
): Promise<FormOutcome> {
  const intent = parseFormIntent(String(formData.get('intent') ?? '')) ?? { kind: 'next', place: '' }
  const read = readForm(formData, lists)
  switch (intent.kind) {
    case 'cancel':
      return { outcome: 'cancelled', ruleId: null }
    case 'discard':
      return { outcome: 'cancelled', ruleId: read.ruleId }
    case 'preview': {
      const preview = await looked(app, accountUuid, read, intent, { formData, lists })
      return { outcome: 'form', form: { ...(await loadForm(app, accountUuid, read, {}, lists)), preview }, flash: null }
    }
    case 'text_me': {
      const again = await looked(app, accountUuid, read, { preview: 'preview', record: '' }, { formData, lists })
      const names = textMeNames(intent.place)
      const sent = (name: string) => String(formData.get(name) ?? '')
      const own = { seen: sent(names.text), phone: sent(names.phone) }
      const request = { accountUuid, record: again.record, search: again.search, names: namesOfLists(lists) }
      const flash = textMe && (await textMe({ ...request, state: read, place: intent.place, ...own }))
      const drawn = await loadForm(app, accountUuid, read, {}, lists)
      const preview = { ...again, phone: own.phone }
      return { outcome: 'form', form: { ...drawn, preview, trouble: flash ?? drawn.trouble }, flash }
    }
    case 'save':
      return save(app, accountUuid, intent.on ? turnedOn(read) : read, lists)
    default: {
      const at = placeAfter(read, intent)
      // Continue of "When": the choice was there to make.
      const { triggerSource, events } = read.values
      const none = at === WHEN && triggerSource === 'webhook' && events === '' && formData.has('events')
      const errors: FieldErrors = none ? { webhookSubscriptionId: ['Choose a record'] } : {}
      return draw(app, accountUuid, lists, { state: applyIntent(read, intent), errors, at })
    }
  }
}

interface Drawn {
  state: FormState
  errors?: FieldErrors
  flash?: Flash | null
  at?: string
}

async function draw(
  app: Pick<App, 'store' | 'apart'>,
  accountUuid: string,
  lists: FormLists,
  { state, errors = {}, flash = null, at = '' }: Drawn,
): Promise<FormOutcome> {
  const form = await loadForm(app, accountUuid, state, errors, lists, at)
  return { outcome: 'form', form: { ...form, trouble: flash ?? form.trouble }, flash }
}

/** Asked for, even if the rule was on when it was opened. */
function turnedOn(read: FormState): FormState {
  return { ...setValue(read, 'active', 'true'), opened: read.opened && { ...read.opened, active: '' } }
}

async function save(app: RulesApp, accountUuid: string, read: FormState, lists: FormLists): Promise<FormOutcome> {
  const refuse = (flash: Flash, errors: FieldErrors = {}) =>
    draw(app, accountUuid, lists, { state: read, errors, flash })
  const checked = await app.apart.do('problemsOf', accountUuid, read)
  if (checked.outcome !== 'done') return refuse(refusedFlash(read.ruleId === null, notChecked(checked).message))
  const problems = checked.value
  if (Object.keys(problems).length > 0) return refuse(formErrorFlash(problems), problems)
  const { ruleId, opened } = read
  const body = toBody(read)
  const saved =
    ruleId === null
      ? await createRule(app, accountUuid, body, true)
      : await changeRule(app, accountUuid, ruleId, body, opened?.version)
  if (saved.outcome === 'stale') {
    const stored = await savedForm(app, accountUuid, ruleId)
    const state = { ...withSwitchOf(stored, read), opened: stored.opened }
    return draw(app, accountUuid, lists, { state, flash: refusedFlash(false, saved.message) })
  }
  if (saved.outcome === 'saved') {
    const flash = savedFlash(ruleId === null, saved.rule.active, saved.warning)
    return { outcome: 'saved', ruleId: saved.rule.id, message: flash.title, flash }
  }
  const why = saved.outcome === 'not_found' ? FORM_TEXTS.gone : saved.message
  return refuse(refusedFlash(ruleId === null, why), saved.outcome === 'invalid' ? saved.errors : {})
}

/** Previews the record that was pressed; else one that matches the search, else the newest that matches. */
async function looked(
  app: NamingApp,
  accountUuid: string,
  state: FormState,
  intent: Omit<Extract<FormIntent, { kind: 'preview' }>, 'kind'>,
  { formData, lists }: { formData: FormData | URLSearchParams; lists: FormLists },
): Promise<AskedPreview> {
  const sent = (name: string) => String(formData.get(name) ?? '')
  const search = sent(PREVIEW_FIELDS.search).trim().slice(0, 100)
  const before = sent(PREVIEW_FIELDS.was)
  // A new search starts over; the same search keeps the chosen record.
  const record = intent.record || (search === before ? readRecordId(sent(PREVIEW_FIELDS.record)) : '')
  const request = { preview: intent.preview, accountUuid, record, search, names: namesOfLists(lists) }
  const answer = await previewForm(app, state, request)
  return { answer, search, record: answer.kind === 'preview' ? answer.record.uuid : record }
}
