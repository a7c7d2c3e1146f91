// What the buttons around the form of a rule can be asked to do, and what the page is drawn with afterwards.
import type { Backtest } from '../form/form-preview.ts'
import type { AskedRun } from '../preview/ask-run.ts'
import type { PreviewView } from '../preview/preview-view.ts'
import type { FailedView } from '../rules/rule-view.ts'

/** Sent as `act`; `intent` belongs to the form of a rule. */
export const RULE_ACTS = [
  'run',
  'check',
  'preview',
  'backtest',
  'switch',
  'delete',
  'new_url',
  'import',
  'repeats_told',
] as const
export type RuleAct = (typeof RULE_ACTS)[number]

/** Without scripts a button sends the form of the rule along; then this says what the button does, as a query. */
export const PRESS = 'press'
/** As `act`: leads to another state of the page, whose query and anchor stand beside it. */
export const GO = 'go'

export function isRuleAct(text: string | undefined): text is RuleAct {
  return RULE_ACTS.some((act) => act === text)
}

export type RunMode = 'run' | 'check' | 'preview'

/** What the page is drawn with again, once. */
export type PageResult =
  /** Asks whether to go on all the same. */
  | {
      kind: 'not_met'
      ruleId: number
      name: string
      mode: RunMode
      /** The record that was asked for, and what it is called (`Job 3120`; '' = nothing); '' and null = none was: the newest counts. */
      recordUuid: string
      record: string | null
      failed: FailedView[]
    }
  /** What a run would do, to customers too: a person says yes first. */
  | { kind: 'ask_run'; ruleId: number; name: string; asked: AskedRun }
  | { kind: 'previewed'; ruleId: number; name: string; mode: 'check' | 'preview'; preview: PreviewView }
  | { kind: 'backtested'; ruleId: number; name: string; backtest: Backtest }
  | { kind: 'import_refused'; text: string; message: string }
