// Handles the buttons around the form: run, preview, switch, delete, new address, import.
import { writesToCustomers } from '#app/domain/automations/rule.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import type { Flash } from '#app/lib/flash.ts'
import { takingTurns } from '#app/lib/turns.server.ts'
import type { AutomationRow } from '#db/store/automations.ts'
import { readRecordId } from '../form/form-preview.ts'
import { askRun } from '../preview/ask-run.server.ts'
import { ASK_FIELDS, CHANGED_SINCE } from '../preview/ask-run.ts'
import { backtestRule } from '../preview/backtest.server.ts'
import { previewView, recordTitle } from '../preview/preview-view.ts'
import { type NotMet, type RunNowApp, runNow } from '../preview/run-now.server.ts'
import type { RanNowFacts } from '../preview/run-now-text.ts'
import { notChecked } from '../preview/too-long.ts'
import { matchedRecord } from '../records/changes.ts'
import type { RecordFacts } from '../records/facts.ts'
import type { KnownNames } from '../rules/conditions/condition-text.ts'
import { objectOfRule } from '../rules/conditions/conditions.ts'
import { openBlanksOf, stillOpenText, withBlanksFilled } from '../rules/rule-blanks.ts'
import { parseRuleId } from '../rules/rule-form.ts'
import { formFields } from '../rules/rule-json.ts'
import { failedViews } from '../rules/rule-view.ts'
import {
  changeRule,
  createRule,
  deleteRule,
  findUndoable,
  type RuleRefusal,
  type RulesApp,
  renewTriggerKey,
  restoreRule,
  switchRule,
} from '../rules/rules.server.ts'
import { oftenOf } from '../rules/timing/once-text.ts'
import { blankName, type PageResult, type RuleAct, type RunMode } from './act-on-rule.ts'
import {
  cardPlace,
  failed,
  GONE,
  IMPORT_FAILED,
  importedFlash,
  LOOK_BACK_FAILED,
  NEW_URL,
  NOT_AN_ADMIN,
  NOTICE_DISMISSED,
  RULE_DELETE_FAILED,
  RULE_DELETED,
  RULE_DELETED_BEFORE,
  RULE_IMPORTED,
  RULE_IMPORTED_OPEN,
  RULE_NOT_RESTORED,
  RULE_RESTORED,
  RULE_RUN_FAILED,
  RULE_UPDATE_FAILED,
  ranFlash,
  switchedFlash,
  TOO_MANY_RUNS,
  UNDO_OVER,
} from './page-text.ts'

type RuleActOutcome =
  /** Redirect to the plain page and show `flash`; `openUrlOf` = the rule whose address is shown, `runId` = the only run, null = several. */
  | { outcome: 'done'; flash: Flash; openUrlOf?: number; runId?: number | null }
  | { outcome: 'shown'; result: PageResult; toast: Flash | null }
  /** Fields of one pasted rule for the form: a new rule, switched off. */
  | { outcome: 'imported'; fields: Record<string, unknown>; toast: Flash }

type ActApp = RulesApp & RunNowApp

interface Asked {
  admin: boolean
  /** False = the account has reached its runs per minute. */
  takeRun(): boolean
  names: KnownNames
}

/**
 * `values`: `id` (the rule's, or the notice's for `dismiss_notice`) and by act `bypass` = yes and `recordUuid` (run, check, preview), for `run` also
 * `ASK_FIELDS`, `to` = on or off and `existing` = yes (switch), `blankName` (fill), `json` (import).
 */
export async function actOnRule(
  app: ActApp,
  accountUuid: string,
  act: RuleAct,
  values: Record<string, string>,
  asked: Asked,
): Promise<RuleActOutcome> {
  if (act === 'import') return importRules(app, accountUuid, values.json ?? '')
  if (act === 'repeats_told') {
    await app.store.automations.dismissRepeatNotice(accountUuid)
    return done(NOTICE_DISMISSED)
  }
  const id = parseRuleId(values.id)
  if (act === 'dismiss_notice') return dismiss(app, accountUuid, id)
  if (act === 'undo') return undo(app, accountUuid, id)
  const rule = id === null ? null : await app.store.automations.findAutomation(accountUuid, id)
  if (!rule) {
    const before = act === 'delete' && id !== null && (await findUndoable(app, accountUuid, id, app.clock.now()))
    return done(before ? RULE_DELETED_BEFORE : failed(TITLES[act], GONE))
  }
  const acted = await actOnCard(app, rule, act, values, asked)
  if (acted.outcome !== 'done' || act === 'delete') return acted
  return {
    ...acted,
    flash: { ...acted.flash, at: cardPlace(rule.id, act === 'switch' || act === 'fill' ? 'switch' : 'buttons') },
  }
}

type CardAct = Exclude<RuleAct, 'import' | 'repeats_told' | 'dismiss_notice' | 'undo'>

async function actOnCard(
  app: ActApp,
  rule: AutomationRow,
  act: CardAct,
  values: Record<string, string>,
  asked: Asked,
): Promise<RuleActOutcome> {
  const { accountUuid } = rule
  switch (act) {
    case 'run':
    case 'check':
    case 'preview':
      return run(app, rule, act, values, asked)
    case 'backtest':
      return backtest(app, rule, asked)
    case 'switch': {
      const active = values.to === 'on'
      const saved = await switchRule(app, rule, active, values.existing === 'yes')
      if (saved.outcome !== 'saved') return done(failed(RULE_UPDATE_FAILED, whyNot(saved)))
      return done(switchedFlash(active, saved.warning))
    }
    case 'fill':
      return fill(app, rule, values)
    case 'delete': {
      const deleted = await deleteRule(app, accountUuid, rule.id)
      return done(deleted.outcome === 'deleted' ? RULE_DELETED : RULE_DELETED_BEFORE)
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

async function dismiss(app: ActApp, accountUuid: string, id: number | null): Promise<RuleActOutcome> {
  if (id !== null) await app.store.notices.dismissNotice(accountUuid, id, app.clock.now())
  return done(NOTICE_DISMISSED)
}

const TITLES: Record<CardAct, string> = {
  run: RULE_RUN_FAILED,
  check: RULE_RUN_FAILED,
  preview: RULE_RUN_FAILED,
  backtest: LOOK_BACK_FAILED,
  switch: RULE_UPDATE_FAILED,
  fill: RULE_UPDATE_FAILED,
  delete: RULE_DELETE_FAILED,
  new_url: RULE_UPDATE_FAILED,
}

async function undo(app: RulesApp, accountUuid: string, id: number | null): Promise<RuleActOutcome> {
  const restored = id === null ? ({ outcome: 'not_found' } as const) : await restoreRule(app, accountUuid, id)
  // A second press finds it there again.
  const isThere =
    restored.outcome === 'not_found' && id !== null && (await app.store.automations.findAutomation(accountUuid, id))
  if (restored.outcome === 'saved' || isThere) return done(RULE_RESTORED)
  return done(failed(RULE_NOT_RESTORED, restored.outcome === 'not_found' ? UNDO_OVER : restored.message))
}

const LONGEST_ANSWER = 500

/** Fills in the blanks and switches the rule on. With one left open it keeps the others and stays off. */
async function fill(app: ActApp, rule: AutomationRow, values: Record<string, string>): Promise<RuleActOutcome> {
  const own = blankName(rule.id, '')
  const answers = Object.entries(values).flatMap(([name, value]) => {
    const answer = value.trim().slice(0, LONGEST_ANSWER)
    return name.startsWith(own) && answer !== '' ? [[name.slice(own.length), answer] as const] : []
  })
  const { accountUuid, id, name, definition } = rule
  const filled = withBlanksFilled(definition, Object.fromEntries(answers))
  const open = openBlanksOf(filled)
  const body = { ...formFields(filled), name, active: open.length === 0 }
  const saved = await changeRule(app, accountUuid, id, body)
  if (saved.outcome !== 'saved') return done(failed(RULE_UPDATE_FAILED, whyNot(saved)))
  return done(open.length > 0 ? failed(RULE_UPDATE_FAILED, stillOpenText(open)) : switchedFlash(true, saved.warning))
}

async function backtest(app: ActApp, rule: AutomationRow, { takeRun }: Asked): Promise<RuleActOutcome> {
  if (!takeRun()) return done(failed(LOOK_BACK_FAILED, TOO_MANY_RUNS))
  const found = await backtestRule(app, rule)
  if (found.kind === 'trouble') return done(failed(LOOK_BACK_FAILED, found.message))
  return shown({ kind: 'backtested', ruleId: rule.id, name: rule.name, backtest: found })
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
  const { requested, search, confirmed, seen } = readPress(values)
  const ask = (note: string | null) => askFirst(app, rule, { ...requested, search, note, names })
  if (mode === 'run' && !confirmed && writesToCustomers(rule.definition)) return ask(null)
  const ran = await runNow(app, rule, { ...requested, pretend: mode !== 'run', seen })
  const { id: ruleId, name } = rule
  switch (ran.outcome) {
    case 'ran':
      // Nothing new to run: ask whether to rerun handled records.
      if (ran.started === 0 && ran.repeated === 0 && ran.handled) return ask(null)
      return { outcome: 'done', flash: ranFlash(ran), ...runShown(ran) }
    case 'changed':
      return ask(CHANGED_SINCE[ran.part])
    case 'previewed': {
      const preview = previewView(ran, oftenOf(rule.definition, objectOfRule(rule.definition)), names)
      return shown({ kind: 'previewed', ruleId, name, mode: mode === 'check' ? 'check' : 'preview', preview })
    }
    case 'conditions_not_met':
      return notMet(rule, mode, ran, names)
    case 'no_record':
    case 'unavailable':
      return done(failed(RULE_RUN_FAILED, ran.message))
    default:
      return assertNever(ran)
  }
}

function runShown({ executions: [first], started, repeated }: RanNowFacts) {
  return first ? { runId: started + repeated === 1 ? first.id : null } : {}
}

function readPress(values: Record<string, string>) {
  const recordUuid = readRecordId(values.recordUuid ?? '')
  const confirmed = values[ASK_FIELDS.confirmed] === 'yes'
  return {
    requested: {
      bypassConditions: values.bypass === 'yes',
      recordUuid: recordUuid === '' ? null : recordUuid,
      includeHandled: values[ASK_FIELDS.handled] === 'yes',
    },
    search: (values[ASK_FIELDS.search] ?? '').trim().slice(0, 100),
    confirmed,
    seen: confirmed ? (values[ASK_FIELDS.seen] ?? null) : null,
  }
}

function notMet(
  rule: AutomationRow,
  mode: RunMode,
  { record, failed: conditions }: NotMet,
  names: KnownNames,
): RuleActOutcome {
  return shown({
    kind: 'not_met',
    ruleId: rule.id,
    name: rule.name,
    mode,
    recordUuid: record?.recordUuid ?? '',
    record: record && titleOf(record),
    failed: failedViews(rule.definition, conditions, names),
  })
}

/** Returns '' for a record with neither number nor name, instead of its id. */
function titleOf(record: RecordFacts): string {
  const title = recordTitle(record.object, matchedRecord(record))
  return title === record.recordUuid ? '' : title
}

/** Shows the preview and asks for approval. */
async function askFirst(
  app: ActApp,
  rule: AutomationRow,
  requested: Parameters<typeof askRun>[2],
): Promise<RuleActOutcome> {
  const question = await askRun(app, rule, requested)
  switch (question.outcome) {
    case 'ask':
      return shown({ kind: 'ask_run', ruleId: rule.id, name: rule.name, asked: question.asked })
    case 'conditions_not_met':
      return notMet(rule, 'run', question, requested.names)
    case 'no_record':
    case 'unavailable':
      return done(failed(RULE_RUN_FAILED, question.message))
    default:
      return assertNever(question)
  }
}

/** Opens a single rule in the form; stores several directly, each switched off. */
async function importRules(app: RulesApp, accountUuid: string, text: string): Promise<RuleActOutcome> {
  const refuse = (message: string): RuleActOutcome => ({
    outcome: 'shown',
    result: { kind: 'import_refused', text, message },
    toast: failed(IMPORT_FAILED, message),
  })
  const answer = await app.apart.do('readImport', accountUuid, text)
  if (answer.outcome !== 'done') return refuse(notChecked(answer).message)
  const read = answer.value
  if (read.outcome === 'refused') return refuse(read.message)
  const [only, ...others] = read.rules
  if (only && others.length === 0) {
    return { outcome: 'imported', fields: only.fields, toast: only.objectOpen ? RULE_IMPORTED_OPEN : RULE_IMPORTED }
  }
  let made = 0
  const turn = takingTurns()
  for (const { fields } of read.rules) {
    await turn()
    const saved = await createRule(app, accountUuid, fields)
    if (saved.outcome !== 'saved') {
      const kept = made === 0 ? '' : ` The first ${made} were imported.`
      return refuse(`${String(fields.name)}: ${whyNot(saved)}${kept}`)
    }
    made += 1
  }
  return done(importedFlash(made))
}

function whyNot(refusal: RuleRefusal): string {
  return refusal.outcome === 'not_found' ? GONE : refusal.message
}

function shown(result: PageResult): RuleActOutcome {
  return { outcome: 'shown', result, toast: null }
}

function done(flash: Flash): RuleActOutcome {
  return { outcome: 'done', flash }
}
