// Loads the automations page, without the form.
import type { App } from '#app/context/app-context.ts'
import { dateOf, dayOfDate, todayOf, wallOfDay } from '#app/domain/time/local-time.ts'
import { takingTurns } from '#app/lib/turns.server.ts'
import { momentOfWall } from '#app/lib/zone.ts'
import type { AutomationRow } from '#db/store/automations.ts'
import { blanksAsked, withKnownAnswers } from '../form/form-blanks.ts'
import { formOfFields } from '../form/form-state.ts'
import { type LogLine, logLine } from '../history/log-line.ts'
import type { JudgedAt } from '../records/facts.ts'
import type { KnownNames } from '../rules/conditions/condition-text.ts'
import { needsBaseline } from '../rules/existing-records.ts'
import { exportRule } from '../rules/import-rule.ts'
import { openBlanksOf } from '../rules/rule-blanks.ts'
import { formFields } from '../rules/rule-json.ts'
import { judgedAt } from '../rules/rule-place.server.ts'
import { canRepeat, type RuleCardView, ruleCardView } from '../rules/rule-view.ts'
import { triggerUrlOf } from '../rules/rules.server.ts'
import { listExecutions } from '../runs/run-history.server.ts'
import { loadLimitsLine } from '../settings/settings-page.server.ts'
import type { AutomationPageData } from './act-on-rule.ts'
import { MOST_RUNS_READ, monthText, type RunDays, runDaysOf } from './run-days.ts'

type PageApp = Pick<App, 'store' | 'secrets' | 'settings' | 'clock' | 'log'>

/** `names` = names of queues and people, by uuid; `logs` and `rules` = which parts to load. */
export async function loadAutomationPage(
  app: PageApp,
  accountUuid: string,
  { names, logs, rules }: { names: KnownNames; logs: boolean; rules: boolean },
): Promise<AutomationPageData> {
  const account = await app.store.accounts.findAccount(accountUuid)
  return {
    accountName: account?.name ?? '',
    timezone: account?.timezone ?? 'UTC',
    now: app.clock.now(),
    rules: rules ? await listCards(app, accountUuid, names, account?.name ?? '') : [],
    logs: logs ? await listLogs(app, accountUuid, names) : null,
    limits: await loadLimitsLine(app, accountUuid),
    month: rules ? await monthOf(app, accountUuid) : '',
    repeats: rules ? await repeatsOf(app, accountUuid) : [],
  }
}

/** The month of the account. */
async function monthOf(app: PageApp, accountUuid: string): Promise<string> {
  const { now, zone } = await judgedAt(app, accountUuid)
  const { year, month } = dateOf(todayOf({ now, zone }))
  const since = momentOfWall(wallOfDay(dayOfDate(year, month, 1)), zone).at
  return monthText(await app.store.runs.countMessages(accountUuid, since))
}

async function repeatsOf(app: PageApp, accountUuid: string): Promise<string[]> {
  if (!(await app.store.automations.owesRepeatNotice(accountUuid))) return []
  const rules = await app.store.automations.listAutomations(accountUuid)
  return rules.filter(({ definition }) => canRepeat(definition)).map(({ name }) => name)
}

/** A failure in one part leaves the rest of the page usable. */
async function listCards(
  app: PageApp,
  accountUuid: string,
  names: KnownNames,
  accountName: string,
): Promise<RuleCardView[] | null> {
  try {
    const rules = await app.store.automations.listAutomations(accountUuid)
    const at = await judgedAt(app, accountUuid)
    const runs = rules.length === 0 ? [] : await app.store.runs.recentRuns(accountUuid, MOST_RUNS_READ)
    const days = runDaysOf(runs, at.now, at.zone)
    const cards: RuleCardView[] = []
    const turn = takingTurns()
    for (const rule of rules) {
      cards.push(await cardOf(app, rule, { names, at, days: days.get(rule.id) ?? null, accountName }))
      await turn()
    }
    return cards
  } catch (error) {
    app.log.error({ account: accountUuid, error }, 'automation.not_listed')
    return null
  }
}

async function listLogs(app: PageApp, accountUuid: string, names: KnownNames): Promise<LogLine[] | 'failed'> {
  try {
    return (await listExecutions(app, accountUuid)).map((one) => logLine(one, names))
  } catch (error) {
    app.log.error({ account: accountUuid, error }, 'automation.logs_not_listed')
    return 'failed'
  }
}

async function cardOf(
  app: PageApp,
  rule: AutomationRow,
  { names, at, days, accountName }: { names: KnownNames; at: JudgedAt; days: RunDays | null; accountName: string },
): Promise<RuleCardView> {
  const { definition } = rule
  return ruleCardView(rule, {
    at,
    names,
    days,
    json: exportRule(rule, new Date(app.clock.now()).toISOString()),
    triggerUrl: await triggerUrlOf(app, rule),
    askedBlanks: askedBlanksOf(rule, accountName),
    asksAboutExisting: definition.trigger.source === 'api_polling' && needsBaseline(definition, false),
  })
}

/** The blanks to type on the card. Where one is chosen from a list, the form asks for all of them. */
function askedBlanksOf({ definition }: AutomationRow, accountName: string): RuleCardView['askedBlanks'] {
  const open = openBlanksOf(definition)
  if (open.length === 0) return []
  const state = withKnownAnswers(formOfFields(formFields(definition)), accountName)
  const typed = new Set(blanksAsked(state).flatMap((blank) => (blank.typed ? [blank.label] : [])))
  return open.every((label) => typed.has(label))
    ? open.map((label) => ({ label, value: state.answers[label] ?? '' }))
    : []
}
