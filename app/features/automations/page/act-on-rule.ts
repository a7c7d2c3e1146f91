// Actions of the buttons around the rule form, and the results the page shows afterwards.
import type { AccountFacts } from '#app/domain/delivery-address.ts'
import type { Backtest } from '../form/form-preview.ts'
import { emptyForm, type FormState } from '../form/form-state.ts'
import type { LogLine } from '../history/log-line.ts'
import type { AskedRun } from '../preview/ask-run.ts'
import type { PreviewView } from '../preview/preview-view.ts'
import type { FailedView, RuleCardView } from '../rules/rule-view.ts'

/** Sent as `act`; `intent` belongs to the form of a rule. */
export const RULE_ACTS = [
  'run',
  'check',
  'preview',
  'backtest',
  'switch',
  'fill',
  'delete',
  'undo',
  'new_url',
  'import',
  'repeats_told',
  'dismiss_notice',
] as const
export type RuleAct = (typeof RULE_ACTS)[number]

/** Name of a blank's answer on the card of a rule. */
export function blankName(ruleId: number, label: string): string {
  return `blank.${ruleId}.${label}`
}

/** What is typed beside the rule form. Without scripts it belongs to that form, and is kept with it. */
export const TYPED_BESIDE = /^(json$|blank\.)/

/** Without scripts a button submits the rule form; this field holds the button's own values, as a query. */
export const PRESS = 'press'
/** Value of `act`: opens another state of the page, given by a query and an anchor. */
export const GO = 'go'

export function isRuleAct(text: string | undefined): text is RuleAct {
  return RULE_ACTS.some((act) => act === text)
}

/** What stays unsaved after an act: not the rule it deleted, nor what it used of what was typed beside the form. */
export function leftOf({ beside = {}, ...form }: FormState, act: RuleAct | null, ruleId: number): FormState {
  const used = act === 'import' ? 'json' : act === 'fill' ? blankName(ruleId, '') : null
  const left = Object.entries(beside).filter(([name]) => used === null || !name.startsWith(used))
  const isGone = act === 'delete' && form.ruleId === ruleId
  return { ...(isGone ? emptyForm() : form), ...(left.length > 0 && { beside: Object.fromEntries(left) }) }
}

export type RunMode = 'run' | 'check' | 'preview'

/** Result shown on the next page load, once. */
export type PageResult =
  /** Asks whether to continue anyway. */
  | {
      kind: 'not_met'
      ruleId: number
      name: string
      mode: RunMode
      /** The requested record and its label (`Job 3120`; '' = none); '' and null = the newest record. */
      recordUuid: string
      record: string | null
      failed: FailedView[]
    }
  /** The preview, messages included, that a person has to approve. */
  | { kind: 'ask_run'; ruleId: number; name: string; asked: AskedRun }
  | { kind: 'previewed'; ruleId: number; name: string; mode: 'check' | 'preview'; preview: PreviewView }
  | { kind: 'backtested'; ruleId: number; name: string; backtest: Backtest }
  | { kind: 'import_refused'; text: string; message: string }

export interface AutomationPageData extends AccountFacts {
  /** Newest first; null = loading failed. */
  rules: RuleCardView[] | null
  /** The last 20 executions; null = the address does not open them. */
  logs: LogLine[] | 'failed' | null
  /** The active limits, in one line. */
  limits: string
  /** Messages of this month, in one line; '' = none. */
  month: string
  /** Names of rules older than the "how often" choice that can message a customer again; empty = dismissed, or none. */
  repeats: string[]
}
