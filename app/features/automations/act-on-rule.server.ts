// What the buttons around the form do: run, look first, switch, delete, a new address, import.
import { assertNever } from '#app/lib/assert-never.ts'
import type { Flash } from '#app/lib/flash.ts'
import type { AutomationRow } from '#db/store/automations.ts'
import type { PageResult, RuleAct, RunMode } from './act-on-rule.ts'
import type { KnownNames } from './condition-words.ts'
import { readImport } from './import-rule.ts'
import { lookBackOfRule } from './look-back.server.ts'
import {
  failed,
  GONE,
  IMPORT_FAILED,
  importedFlash,
  LOOK_BACK_FAILED,
  NEW_URL,
  NOT_AN_ADMIN,
  RULE_DELETE_FAILED,
  RULE_DELETED,
  RULE_IMPORTED,
  RULE_IMPORTED_OPEN,
  RULE_RUN_FAILED,
  RULE_UPDATE_FAILED,
  ranFlash,
  switchedFlash,
  TOO_MANY_RUNS,
} from './page-words.ts'
import { previewView } from './preview-view.ts'
import { parseRuleId } from './rule-form.ts'
import { failedViews } from './rule-view.ts'
import { createRule, deleteRule, type RulesApp, renewTriggerKey, switchRule } from './rules.server.ts'
import { type RunNowApp, runNow } from './run-now.server.ts'

export type RuleActOutcome =
  /** Redirect to the plain page and show `flash` there; `open` = whose address is shown. */
  | { outcome: 'done'; flash: Flash; openUrlOf?: number }
  | { outcome: 'shown'; result: PageResult; toast: Flash | null }
  /** The fields of one pasted rule, for the form: a new entry, switched off. */
  | { outcome: 'imported'; fields: Record<string, unknown>; toast: Flash }

type ActApp = RulesApp & RunNowApp

interface Asked {
  admin: boolean
  /** False = this account has run enough for this minute. */
  takeRun(): boolean
  names: KnownNames
}

/**
 * `values`: `id` (the rule's) and by act `bypass` = yes and `recordUuid` (run, check, preview), `to` = on or off and
 * `existing` = yes (switch), `json` (import).
 */
export async function actOnRule(
  app: ActApp,
  accountUuid: string,
  act: RuleAct,
  values: Record<string, string>,
  asked: Asked,
): Promise<RuleActOutcome> {
  if (act === 'import') return importRules(app, accountUuid, values.json ?? '')
  const id = parseRuleId(values.id)
  const rule = id === null ? null : await app.store.findAutomation(accountUuid, id)
  if (!rule) return done(failed(TITLES[act], GONE))
  switch (act) {
    case 'run':
    case 'check':
    case 'preview':
      return run(app, rule, act, values, asked)
    case 'lookback':
      return lookBack(app, rule, asked)
    case 'switch': {
      const active = values.to === 'on'
      const saved = await switchRule(app, rule, active, values.existing === 'yes')
      if (saved.outcome !== 'saved') return done(failed(RULE_UPDATE_FAILED, whyNot(saved)))
      return done(switchedFlash(active, saved.warning))
    }
    case 'delete': {
      const deleted = await deleteRule(app, accountUuid, rule.id)
      return done(deleted.outcome === 'deleted' ? RULE_DELETED : failed(RULE_DELETE_FAILED, GONE))
    }
    case 'new_url': {
      const saved = await renewTriggerKey(app, accountUuid, rule.id)
      if (saved.outcome !== 'saved') return done(failed(RULE_UPDATE_FAILED, whyNot(saved)))
      return { outcome: 'done', flash: NEW_URL, openUrlOf: rule.id }
    }
    default:
      return assertNever(act)
  }
}

const TITLES: Record<Exclude<RuleAct, 'import'>, string> = {
  run: RULE_RUN_FAILED,
  check: RULE_RUN_FAILED,
  preview: RULE_RUN_FAILED,
  lookback: LOOK_BACK_FAILED,
  switch: RULE_UPDATE_FAILED,
  delete: RULE_DELETE_FAILED,
  new_url: RULE_UPDATE_FAILED,
}

async function lookBack(app: ActApp, rule: AutomationRow, { takeRun }: Asked): Promise<RuleActOutcome> {
  if (!takeRun()) return done(failed(LOOK_BACK_FAILED, TOO_MANY_RUNS))
  const found = await lookBackOfRule(app, rule)
  if (found.kind === 'trouble') return done(failed(LOOK_BACK_FAILED, found.message))
  const result = { kind: 'looked_back', ruleId: rule.id, name: rule.name, lookBack: found } as const
  return { outcome: 'shown', result, toast: null }
}

async function run(
  app: ActApp,
  rule: AutomationRow,
  mode: RunMode,
  values: Record<string, string>,
  { admin, takeRun, names }: Asked,
): Promise<RuleActOutcome> {
  if (mode === 'check' && !admin) return done(failed(RULE_RUN_FAILED, NOT_AN_ADMIN))
  if (!takeRun()) return done(failed(RULE_RUN_FAILED, TOO_MANY_RUNS))
  const recordUuid = /^[\w-]{1,100}$/.test(values.recordUuid ?? '') ? (values.recordUuid ?? '').toLowerCase() : ''
  const ran = await runNow(app, rule, {
    bypassConditions: values.bypass === 'yes',
    pretend: mode !== 'run',
    recordUuid: recordUuid === '' ? null : recordUuid,
  })
  const { id: ruleId, name } = rule
  switch (ran.outcome) {
    case 'ran':
      return done(ranFlash(ran))
    case 'previewed': {
      const result = { kind: 'previewed', ruleId, name, mode: mode === 'check' ? 'check' : 'preview' } as const
      return { outcome: 'shown', result: { ...result, preview: previewView(ran, names) }, toast: null }
    }
    case 'conditions_not_met': {
      const failedConditions = failedViews(rule.definition, ran.failed, names)
      const result = { kind: 'not_met', ruleId, name, mode, recordUuid, failed: failedConditions } as const
      return { outcome: 'shown', result, toast: null }
    }
    case 'no_record':
    case 'unavailable':
      return done(failed(RULE_RUN_FAILED, ran.message))
    default:
      return assertNever(ran)
  }
}

/** One rule goes into the form to be looked over; several are stored at once, each switched off. */
async function importRules(app: RulesApp, accountUuid: string, text: string): Promise<RuleActOutcome> {
  const read = readImport(text)
  const refuse = (message: string): RuleActOutcome => ({
    outcome: 'shown',
    result: { kind: 'import_refused', text, message },
    toast: failed(IMPORT_FAILED, message),
  })
  if (read.outcome === 'refused') return refuse(read.message)
  const [only, ...others] = read.rules
  if (only && others.length === 0) {
    return { outcome: 'imported', fields: only.fields, toast: only.objectOpen ? RULE_IMPORTED_OPEN : RULE_IMPORTED }
  }
  let made = 0
  for (const { fields } of read.rules) {
    const saved = await createRule(app, accountUuid, fields)
    if (saved.outcome !== 'saved') {
      const kept = made === 0 ? '' : ` The first ${made} were imported.`
      return refuse(`${String(fields.name)}: ${whyNot(saved)}${kept}`)
    }
    made += 1
  }
  return done(importedFlash(made))
}

function whyNot(refusal: { outcome: 'not_found' } | { outcome: 'invalid' | 'too_many'; message: string }): string {
  return refusal.outcome === 'not_found' ? GONE : refusal.message
}

function done(flash: Flash): RuleActOutcome {
  return { outcome: 'done', flash }
}
