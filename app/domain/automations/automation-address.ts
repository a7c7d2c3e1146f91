// The address of the automations page: account, tab, and what is open. Reads and writes it, so that every part of the
// page works from the address alone.
import { type AccountLink, accountQuery } from '../account-address.ts'

export const AUTOMATION_PATH = '/automation'

export interface AutomationAccount extends AccountLink {
  /** Token of a form's unsaved content; links carry it. */
  draft?: string | null
}

const AUTOMATION_TABS = ['rules', 'templates', 'api'] as const
export type AutomationTab = (typeof AUTOMATION_TABS)[number]

/** What is open on the page, one thing at a time; `none` is the plain page. */
export type AutomationStep =
  | { step: 'none' }
  /** A rule in the form. */
  | { step: 'edit'; ruleId: number }
  /** A rule's text to copy: the rule as JSON, or the address that triggers it. */
  | { step: 'json' | 'url'; ruleId: number }
  | { step: 'delete'; ruleId: number }
  /** A template loaded into the form as a new rule. */
  | { step: 'copy'; templateId: number }
  | { step: 'logs' }

const OF_RULE = ['edit', 'json', 'url', 'delete'] as const

/** The page's query, e.g. `{ accountUUID: '…', admin: 'yes', edit: '3' }`. */
export function automationQuery(
  account: AutomationAccount,
  step: AutomationStep = { step: 'none' },
  tab: AutomationTab = 'rules',
): Record<string, string> {
  const query = accountQuery(account)
  if (account.draft) query.draft = account.draft
  if (tab !== 'rules') query.tab = tab
  if ('ruleId' in step) query[step.step] = String(step.ruleId)
  if (step.step === 'copy') query.copy = String(step.templateId)
  if (step.step === 'logs') query.logs = 'yes'
  return query
}

/** The page's address with that query. */
export function automationAddress(account: AutomationAccount, step?: AutomationStep, tab?: AutomationTab): string {
  return `${AUTOMATION_PATH}?${new URLSearchParams(automationQuery(account, step, tab))}`
}

/** The settings page: quiet hours, limits, sender, and mutes. */
export function settingsAddress(account: AutomationAccount): string {
  return `/automation/settings?${new URLSearchParams(automationQuery(account))}`
}

/** Reads the step from the query. Treats a value that is not a number as missing. */
export function readAutomationStep(params: URLSearchParams): AutomationStep {
  for (const step of OF_RULE) {
    const ruleId = readNumber(params.get(step) ?? '')
    if (ruleId !== null) return { step, ruleId }
  }
  const templateId = readNumber(params.get('copy') ?? '')
  if (templateId !== null) return { step: 'copy', templateId }
  return params.get('logs') === 'yes' ? { step: 'logs' } : { step: 'none' }
}

/** The API tab is for admins only: everyone else gets the first tab. */
export function readAutomationTab(params: URLSearchParams, admin: boolean): AutomationTab {
  const named = AUTOMATION_TABS.find((tab) => tab === params.get('tab')) ?? 'rules'
  return named === 'api' && !admin ? 'rules' : named
}

/** The id of a rule's card in the page, for anchors. */
export function ruleAnchor(id: number): string {
  return `automation-${id}`
}

/** Does not use the form's id reader: that imports the whole schema, and this code is in every page's script. */
function readNumber(text: string): number | null {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null
}
