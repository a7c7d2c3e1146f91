// Creates a rule and switches it on, so that a second press, or one after a crash half-way, makes no second rule.
import type { AutomationRow } from '#db/store/automations.ts'
import { createRule, deleteRule, type RuleRefusal, type RulesApp, switchRule } from './rules.server.ts'

type CreatedOnce =
  /** `isNew` false = the same rule was there; it is on. `warning`: what keeps it from working fully; null = nothing. */
  { outcome: 'on'; rule: AutomationRow; isNew: boolean; warning: string | null } | RuleRefusal

/** `body` = the form of a rule, without `active`. */
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
  const [twin] = rules.filter((one) => one.id < mine.id && isSame(one, mine)).sort((a, b) => a.id - b.id)
  if (twin) await deleteRule(app, accountUuid, mine.id)
  const rule = twin ?? mine
  const on = await switchRule(app, rule, true, false)
  if (on.outcome !== 'saved') return on
  return { outcome: 'on', rule: on.rule, isNew: !twin, warning: on.warning ?? made.warning }
}

function isSame(a: AutomationRow, b: AutomationRow): boolean {
  return a.name === b.name && JSON.stringify(a.definition) === JSON.stringify(b.definition)
}
