// What the address of the automations page says: whose page, which tab, and what is open on it. Written and read here, so that
// every part of the page works by address alone.

export const AUTOMATION_PATH = '/automation'

/** Which account, as the platform named it, and in which role the page is asked for. */
export interface AutomationAccount {
  accountUUID: string
  admin: boolean
  /** What was written into the form and not saved, under this token; links take it along. */
  draft?: string | null
}

const AUTOMATION_TABS = ['rules', 'templates', 'api'] as const
export type AutomationTab = (typeof AUTOMATION_TABS)[number]

/** One thing at a time; `none` is the plain page. */
export type AutomationStep =
  | { step: 'none' }
  /** A rule is open in the form. */
  | { step: 'edit'; ruleId: number }
  /** Its text to copy is shown: the rule as JSON, or the address that starts it. */
  | { step: 'json' | 'url'; ruleId: number }
  | { step: 'delete'; ruleId: number }
  /** A template is loaded into the form as a new entry. */
  | { step: 'copy'; templateId: number }
  | { step: 'logs' }

const OF_RULE = ['edit', 'json', 'url', 'delete'] as const

/** The query of the page, e.g. `{ accountUUID: '…', admin: 'yes', edit: '3' }`. */
export function automationQuery(
  account: AutomationAccount,
  step: AutomationStep = { step: 'none' },
  tab: AutomationTab = 'rules',
): Record<string, string> {
  const query: Record<string, string> = { accountUUID: account.accountUUID }
  if (account.admin) query.admin = 'yes'
  if (account.draft) query.draft = account.draft
  if (tab !== 'rules') query.tab = tab
  if ('ruleId' in step) query[step.step] = String(step.ruleId)
  if (step.step === 'copy') query.copy = String(step.templateId)
  if (step.step === 'logs') query.logs = 'yes'
  return query
}

/** The same as an address. */
export function automationAddress(account: AutomationAccount, step?: AutomationStep, tab?: AutomationTab): string {
  return `${AUTOMATION_PATH}?${new URLSearchParams(automationQuery(account, step, tab))}`
}

const SETTINGS_PATH = '/automation/settings'

/** Quiet hours, limits, sender, and whom nobody writes to. */
export function settingsAddress(account: AutomationAccount): string {
  return `${SETTINGS_PATH}?${new URLSearchParams(automationQuery(account))}`
}

/** Reads it back. What is no number is as good as absent. */
export function readAutomationStep(params: URLSearchParams): AutomationStep {
  for (const step of OF_RULE) {
    const ruleId = readNumber(params.get(step) ?? '')
    if (ruleId !== null) return { step, ruleId }
  }
  const templateId = readNumber(params.get('copy') ?? '')
  if (templateId !== null) return { step: 'copy', templateId }
  return params.get('logs') === 'yes' ? { step: 'logs' } : { step: 'none' }
}

/** The API tab is an admin's: for anybody else it is the first one. */
export function readAutomationTab(params: URLSearchParams, admin: boolean): AutomationTab {
  const named = AUTOMATION_TABS.find((tab) => tab === params.get('tab')) ?? 'rules'
  return named === 'api' && !admin ? 'rules' : named
}

/** Id of a rule's card in the page, for anchors. */
export function ruleAnchor(id: number): string {
  return `automation-${id}`
}

/** Not the form's reader of ids: that brings the whole schema along, and this is in every page's script. */
function readNumber(text: string): number | null {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null
}
