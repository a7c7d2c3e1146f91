// What a press on a rule's card brings: a question, a preview, or the last 30 days. Loaded when there is one.
import type { RefObject } from 'react'
import type { AutomationAccount } from '#app/domain/automations/automation-address.ts'
import type { PageResult } from '../act-on-rule.ts'
import { AskRunPanel } from './ask-run-panel.tsx'
import { NotMetDialog } from './not-met.tsx'
import { BacktestPanel, PreviewPanel } from './preview-panel.tsx'

interface RuleResultProps {
  result: PageResult
  account: AutomationAccount
  /** The pressed button: the focus returns to it. */
  returnTo: RefObject<HTMLButtonElement>
}

export function RuleResult({ result, account, returnTo }: RuleResultProps) {
  switch (result.kind) {
    case 'not_met':
      return <NotMetDialog result={result} account={account} returnTo={returnTo} />
    case 'ask_run':
      return <AskRunPanel result={result} account={account} />
    case 'previewed':
      return <PreviewPanel result={result} account={account} />
    case 'backtested':
      return <BacktestPanel result={result} account={account} />
    default:
      return null
  }
}
