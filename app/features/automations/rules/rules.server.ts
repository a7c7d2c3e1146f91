// Creates, changes, switches and deletes rules. Stored rules are complete and checked; subscriptions follow them.
import type { App } from '#app/context/app-context.ts'
import type { RuleDefinition, StoredRule } from '#app/domain/automations/rule.ts'
import { runReason } from '#app/domain/automations/run-reasons.ts'
import { triggerKeyPlace } from '#app/domain/sealed-places.ts'
import type { Millis } from '#app/lib/clock.ts'
import { seconds } from '#app/lib/duration.ts'
import { isTurnError } from '#app/lib/in-turn.server.ts'
import { hashToken, newToken } from '#app/lib/token.server.ts'
import { UNDO_KEPT } from '#app/lib/undo.ts'
import type { AutomationRow, DeletedAutomation } from '#db/store/automations.ts'
import { type NotChecked, notChecked } from '../preview/too-long.ts'
import { noRoomFor } from './checks/rule-room.server.ts'
import { needsBaseline, noted } from './existing-records.ts'
import { FORM_TEXTS } from './form-text.ts'
import { stillOpenText } from './rule-blanks.ts'
import { definitionOf } from './rule-definition.ts'
import type { RuleForm } from './rule-fields.ts'
import { activeOnly, type FieldErrors, type FormIssue, firstIssue, issuesByField } from './rule-form.ts'
import { formFields } from './rule-json.ts'
import { judgedAt, rulePlace } from './rule-place.server.ts'
import { firstRun } from './timing/schedule.ts'

export type RulesApp = Pick<
  App,
  | 'store'
  | 'clock'
  | 'log'
  | 'secrets'
  | 'settings'
  | 'outbound'
  | 'planning'
  | 'keepSubscribed'
  | 'rulesChanged'
  | 'apart'
>

type Invalid = { outcome: 'invalid'; message: string; errors: FieldErrors }

export type RuleRefusal =
  | Invalid
  | { outcome: 'too_many' | 'stale'; message: string }
  | { outcome: 'not_found' }
  | NotChecked

/** `warning`: the rule is saved, but something keeps it from working fully. Null = nothing. */
type RuleSaved = { outcome: 'saved'; rule: AutomationRow; warning: string | null }

/** The full trigger address of a manual rule, with its key; null for other rules. */
export async function triggerUrlOf(
  app: Pick<App, 'secrets' | 'settings'>,
  rule: AutomationRow,
): Promise<string | null> {
  if (rule.triggerKeySealed === null || rule.triggerSource !== 'manual_endpoint') return null
  const key = await app.secrets.open(triggerKeyPlace(rule.accountUuid), rule.triggerKeySealed)
  return `${app.settings.origin}/api/automation/${rule.id}/trigger?key=${key}`
}

async function newTriggerKey(app: Pick<App, 'secrets'>, accountUuid: string) {
  const key = newToken()
  return { hash: hashToken(key), sealed: await app.secrets.seal(triggerKeyPlace(accountUuid), key) }
}

/** A form that is sent again within this time was pressed twice, or its answer was lost. ms */
const PRESSED_AGAIN = seconds(10)

/**
 * `body` as it was sent; it is checked here for all callers. `byForm`: sent twice, it makes one rule, and the answer is
 * the first one.
 */
export async function createRule(
  app: RulesApp,
  accountUuid: string,
  body: unknown,
  byForm = false,
): Promise<RuleSaved | RuleRefusal> {
  const since = app.clock.now() - PRESSED_AGAIN
  const read = await readRule(app, accountUuid, body)
  if (read.outcome !== 'read') return read
  const { form, definition, takenOut } = read
  const active = form.active ?? true
  const blanks = await refuseBlanks(app, accountUuid, definition, active)
  if (blanks) return blanks
  const make = async (): Promise<number | RuleRefusal> => {
    const before = byForm ? await app.store.automations.listAutomations(accountUuid) : []
    const mine = said({ name: form.name, definition })
    const twin = before.find((one) => one.createdAt >= since && said(one) === mine)
    if (twin) return twin.id
    const full = await noRoomFor(app, accountUuid, definition, null)
    if (full !== null) return { outcome: 'too_many', message: full }
    const now = app.clock.now()
    const id = await app.store.automations.createAutomation(accountUuid, {
      name: form.name,
      definition,
      active,
      nextRunAt: active ? await tickOf(app, accountUuid, definition, now) : null,
      baselined: !needsBaseline(definition, form.includeExisting === true),
      triggerKey: definition.trigger.source === 'manual_endpoint' ? await newTriggerKey(app, accountUuid) : null,
      at: now,
    })
    app.log.info({ account: accountUuid, automation: id, source: definition.trigger.source }, 'automation.created')
    return id
  }
  // Without the platform, which may be slow: the second press waits for this.
  const made = await (byForm ? app.store.shared.inTurn(`rules:${accountUuid}`, make).catch(asBusy) : make())
  return typeof made === 'number' ? saved(app, accountUuid, made, takenOut) : made
}

function asBusy(error: unknown): NotChecked {
  if (!isTurnError(error)) throw error
  return { outcome: 'busy', message: error.message, retryAfterMs: seconds(1) }
}

type CreatedOnce =
  /** `isNew` false = the same rule was there; it is on. `warning`: what keeps it from working fully; null = nothing. */
  { outcome: 'on'; rule: AutomationRow; isNew: boolean; warning: string | null } | RuleRefusal

/**
 * Creates a rule and switches it on, so that a second press, or one after a crash half-way, makes no second rule.
 * `body` = the form of a rule, without `active`.
 */
export async function createOnce(
  app: RulesApp,
  accountUuid: string,
  body: Readonly<Record<string, unknown>>,
): Promise<CreatedOnce> {
  const made = await createRule(app, accountUuid, { ...body, active: false })
  if (made.outcome !== 'saved') return made
  const { rule: mine } = made
  // Off so far: of equal ones, only the first is ever switched on.
  const rules = await app.store.automations.listAutomations(accountUuid)
  const [twin] = rules.filter((one) => one.id < mine.id && said(one) === said(mine)).sort((a, b) => a.id - b.id)
  if (twin) await deleteRule(app, accountUuid, mine.id)
  const rule = twin ?? mine
  const on = await switchRule(app, rule, true, false)
  if (on.outcome !== 'saved') return on
  return { outcome: 'on', rule: on.rule, isNew: !twin, warning: on.warning ?? made.warning }
}

const said = ({ name, definition }: Pick<AutomationRow, 'name' | 'definition'>) => JSON.stringify([name, definition])

/** `body`: the whole form, or exactly `{active}`. `opened`: at this version; another one is not replaced. */
export async function changeRule(
  app: RulesApp,
  accountUuid: string,
  id: number,
  body: unknown,
  opened?: number,
): Promise<RuleSaved | RuleRefusal> {
  const before = await app.store.automations.findAutomation(accountUuid, id)
  if (!before) return { outcome: 'not_found' }
  const onlySwitch = activeOnly.safeParse(body)
  if (onlySwitch.success) return switchRule(app, before, onlySwitch.data.active, false)
  const read = await readRule(app, accountUuid, body, before)
  if (read.outcome !== 'read') return read
  const { form, definition, takenOut } = read
  const isSame = said({ name: form.name, definition }) === said(before)
  if (!isSame && (opened ?? before.version) !== before.version) return { outcome: 'stale', message: FORM_TEXTS.stale }
  const full = await noRoomFor(app, accountUuid, definition, before.definition)
  if (full !== null) return { outcome: 'too_many', message: full }
  const active = form.active ?? before.active
  const blanks = await refuseBlanks(app, accountUuid, definition, active)
  if (blanks) return blanks
  const needsKey = definition.trigger.source === 'manual_endpoint' && before.triggerKeySealed === null
  // Nothing to write, and nothing that somebody did.
  if (isSame && active === before.active && before.pausedReason === null && !form.includeExisting && !needsKey) {
    return saved(app, accountUuid, id, takenOut)
  }
  const now = app.clock.now()
  const changed = await app.store.automations.changeAutomation(accountUuid, id, {
    name: form.name,
    definition,
    ...(await switched(app, before, { definition, active, includeExisting: form.includeExisting === true }, now)),
    // Unsaid, it stays as it is now, which may not be how it was read.
    ...(form.active !== undefined && { active }),
    ...(needsKey && { triggerKey: await newTriggerKey(app, accountUuid) }),
    ifVersion: before.version,
    at: now,
  })
  // Changed or deleted since it was read: both are asked again.
  if (!changed) return changeRule(app, accountUuid, id, body, opened)
  app.log.info({ account: accountUuid, automation: id, version: changed.version }, 'automation.changed')
  return saved(app, accountUuid, id, takenOut)
}

/** Switches a rule on or off. `includeExisting`: switching on also acts on existing matches. */
export async function switchRule(
  app: RulesApp,
  rule: AutomationRow,
  active: boolean,
  includeExisting: boolean,
): Promise<RuleSaved | RuleRefusal> {
  const { accountUuid, id, definition } = rule
  const blanks = await refuseBlanks(app, accountUuid, definition, active)
  if (blanks) return blanks
  const now = app.clock.now()
  if (rule.active === active && rule.pausedReason === null) return { outcome: 'saved', rule, warning: null }
  const wrong = active ? await refuseAsStored(app, rule) : null
  if (wrong) return wrong
  const columns = await switched(app, rule, { definition, active, includeExisting }, now)
  const changed = await app.store.automations.changeAutomation(accountUuid, id, { ...columns, active, at: now })
  if (!changed) return { outcome: 'not_found' }
  app.log.info({ account: accountUuid, automation: id, active }, 'automation.switched')
  return saved(app, accountUuid, id)
}

export async function deleteRule(
  app: RulesApp,
  accountUuid: string,
  id: number,
): Promise<{ outcome: 'deleted' | 'not_found' }> {
  const deleted = await app.store.automations.deleteAutomation(accountUuid, id, {
    reason: runReason('rule_deleted'),
    at: app.clock.now(),
  })
  if (!deleted) return { outcome: 'not_found' }
  app.log.info({ account: accountUuid, automation: id }, 'automation.deleted')
  await follow(app, accountUuid)
  return { outcome: 'deleted' }
}

/** The rule, if its deletion can still be undone. Null = no. */
export function findUndoable(
  { store, clock }: Pick<App, 'store' | 'clock'>,
  accountUuid: string,
  id: number,
  withinMs = UNDO_KEPT,
): Promise<DeletedAutomation | null> {
  return store.automations.findDeletedAutomation(accountUuid, id, clock.now() - withinMs)
}

/** Undoes a deletion: the rule is as it was, on or off, and what it had waiting waits again. */
export async function restoreRule(app: RulesApp, accountUuid: string, id: number): Promise<RuleSaved | RuleRefusal> {
  const before = await findUndoable(app, accountUuid, id)
  if (!before) return { outcome: 'not_found' }
  const { active, definition, triggerKeySealed } = before
  const full = await noRoomFor(app, accountUuid, definition, null)
  if (full !== null) return { outcome: 'too_many', message: full }
  const now = app.clock.now()
  const key = triggerKeySealed && (await app.secrets.open(triggerKeyPlace(accountUuid), triggerKeySealed))
  const restored = await app.store.automations.restoreAutomation(accountUuid, id, {
    since: now - UNDO_KEPT,
    triggerKeyHash: key === null ? null : hashToken(key),
    deletedReason: runReason('rule_deleted'),
    reason: runReason('rule_restored'),
    at: now,
  })
  if (!restored) return { outcome: 'not_found' }
  app.log.info({ account: accountUuid, automation: id, active }, 'automation.restored')
  return saved(app, accountUuid, id)
}

/** Creates a new key; the old address stops working at once. */
export async function renewTriggerKey(
  app: RulesApp,
  accountUuid: string,
  id: number,
): Promise<RuleSaved | RuleRefusal> {
  const rule = await app.store.automations.findAutomation(accountUuid, id)
  if (rule?.triggerSource !== 'manual_endpoint') return { outcome: 'not_found' }
  const triggerKey = await newTriggerKey(app, accountUuid)
  const changed = await app.store.automations.changeAutomation(accountUuid, id, { triggerKey, at: app.clock.now() })
  return changed ? { outcome: 'saved', rule: changed, warning: null } : { outcome: 'not_found' }
}

async function saved(
  app: RulesApp,
  accountUuid: string,
  id: number,
  takenOut: string | null = null,
): Promise<RuleSaved | RuleRefusal> {
  const warning = await follow(app, accountUuid)
  const rule = await app.store.automations.findAutomation(accountUuid, id)
  if (!rule) return { outcome: 'not_found' }
  const warnings = [takenOut, rule.active ? warning : null].filter((one) => one !== null)
  return { outcome: 'saved', rule, warning: warnings.length > 0 ? warnings.join(' ') : null }
}

/** Updates the platform's subscriptions and the loops. The rule is stored already, so a failure is only a warning. */
async function follow(app: RulesApp, accountUuid: string): Promise<string | null> {
  app.rulesChanged()
  try {
    return await app.keepSubscribed(accountUuid)
  } catch (error) {
    app.log.error({ account: accountUuid, error }, 'automation.not_subscribed')
    return 'ServiceM8 does not know yet which events this automation needs. We retry automatically.'
  }
}

type ReadRule =
  /** `takenOut`: what was removed from its e-mails as unsafe, as a sentence; null = nothing. */
  { outcome: 'read'; form: RuleForm; definition: RuleDefinition; takenOut: string | null } | Invalid | NotChecked

/** `before` = the stored rule. Its existing problems may stay while it is only renamed, paused or unchanged. */
async function readRule(
  app: RulesApp,
  accountUuid: string,
  body: unknown,
  before: AutomationRow | null = null,
): Promise<ReadRule> {
  const read = await app.apart.do('readRuleForm', accountUuid, body)
  if (read.outcome !== 'done') return notChecked(read)
  if (read.value.outcome === 'invalid') return refused(read.value.issues)
  const { form, takenOut } = read.value
  const webhook = await webhookOf(app, accountUuid, form, before)
  if (webhook === 'unknown') {
    const message = 'That webhook no longer exists. Choose which events start it.'
    return { outcome: 'invalid', message, errors: { webhookSubscriptionId: [message] } }
  }
  const definition = definitionOf(form, webhook?.objectType ?? null)
  const checked = await checkedRule(app, accountUuid, definition)
  if (checked.outcome !== 'done') return notChecked(checked)
  const wrong = checked.value
  const goesOn = before && (before.active ? before.pausedReason === null || form.active === false : !form.active)
  const stays = goesOn && isSameRule(before.definition, definition)
  return wrong.length > 0 && !stays ? refused(wrong) : { outcome: 'read', form, definition, takenOut }
}

/** Null = none is named, or the one that the stored rule names was deleted. */
async function webhookOf(app: RulesApp, accountUuid: string, form: RuleForm, before: AutomationRow | null) {
  const { triggerSource, webhookSubscriptionId: id, object } = form
  if (triggerSource !== 'webhook' || id === undefined) return null
  const record = await app.store.endpoints.findEndpoint(accountUuid, { kind: 'webhook', id })
  const held = before?.definition.trigger
  const isHeld = held?.source === 'webhook' && held.webhookSubscriptionId === id
  return record ?? (isHeld && object !== '' ? null : 'unknown')
}

async function checkedRule(app: RulesApp, accountUuid: string, definition: RuleDefinition) {
  return app.apart.do('checkRule', accountUuid, definition, await rulePlace(app, accountUuid, definition))
}

function refused(issues: readonly FormIssue[]): Invalid {
  return { outcome: 'invalid', message: firstIssue(issues), errors: issuesByField(issues) }
}

/** Why a stored rule cannot be switched on: checks are stricter now than when some rules were saved. Null = it can. */
async function refuseAsStored(
  app: RulesApp,
  { accountUuid, definition }: AutomationRow,
): Promise<Invalid | NotChecked | null> {
  const checked = await checkedRule(app, accountUuid, definition)
  if (checked.outcome !== 'done') return notChecked(checked)
  const wrong = checked.value
  return wrong.length === 0
    ? null
    : { ...refused(wrong), message: `Edit it before you switch it on. ${firstIssue(wrong)}` }
}

async function refuseBlanks(
  app: Pick<App, 'apart'>,
  accountUuid: string,
  definition: RuleDefinition,
  active: boolean,
): Promise<Invalid | NotChecked | null> {
  if (!active) return null
  const blanks = await app.apart.do('openBlanksOf', accountUuid, definition)
  if (blanks.outcome !== 'done') return notChecked(blanks)
  if (blanks.value.length === 0) return null
  const message = stillOpenText(blanks.value)
  return { outcome: 'invalid', message, errors: { active: [message] } }
}

/** The first tick of a rule that is switched on now, or has another schedule. One that goes on keeps its tick. */
async function tickOf(
  app: Pick<App, 'store' | 'clock'>,
  accountUuid: string,
  { trigger }: RuleDefinition,
  now: Millis,
): Promise<Millis | null> {
  if (trigger.source !== 'api_polling') return null
  return firstRun(trigger, (await judgedAt(app, accountUuid)).zone, now)
}

/** The state of a rule that is switched or changed, beside the switch. What only the engine paused goes on, with its baseline. */
async function switched(
  app: Pick<App, 'store' | 'clock'>,
  before: AutomationRow,
  { definition, active, includeExisting }: Pick<StoredRule, 'definition' | 'active'> & { includeExisting: boolean },
  now: Millis,
) {
  const isOn = active && !before.active
  const includes = active && includeExisting && !needsBaseline(definition, true)
  const isFirst = isOn || JSON.stringify(before.definition.trigger) !== JSON.stringify(definition.trigger)
  return {
    pausedReason: null,
    ...((isOn || includes || noted(before.definition) !== noted(definition)) && {
      baselined: !needsBaseline(definition, includes),
      forgetsBaseline: includes,
    }),
    ...((active ? isFirst : before.active) && {
      nextRunAt: active ? await tickOf(app, before.accountUuid, definition, now) : null,
    }),
  }
}

function isSameRule(a: RuleDefinition, b: RuleDefinition): boolean {
  const fields = (definition: RuleDefinition) => JSON.stringify({ ...formFields(definition), description: '' })
  return fields(a) === fields(b)
}
