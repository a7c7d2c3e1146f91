import { type ReactNode, useEffect, useRef } from 'react'
import { type AutomationAccount, automationAddress } from '#app/domain/automations/automation-address.ts'
import { ButtonLink } from '#app/ui/button.tsx'
import { Line, PreviewBody } from '../../form/ui/preview-body.tsx'
import type { PageResult } from '../act-on-rule.ts'
import { BacktestList } from './backtest-list.tsx'
import { RuleButton } from './rule-button.tsx'

interface PanelProps<Kind extends PageResult['kind']> {
  result: Extract<PageResult, { kind: Kind }>
  account: AutomationAccount
}

export function PreviewPanel({ result, account }: PanelProps<'previewed'>) {
  const { ruleId, mode, preview } = result
  return (
    <Panel
      result={result}
      account={account}
      title={mode === 'check' ? 'Check Mode' : 'Preview'}
      more={
        <RuleButton act="backtest" ruleId={ruleId} account={account}>
          The last 30 days
        </RuleButton>
      }
    >
      <p className="text-label">This is what would happen. Nothing was sent.</p>
      <PreviewBody
        preview={preview}
        first={
          <Line label="Records that match">
            {preview.matched} of {preview.total}
          </Line>
        }
      />
    </Panel>
  )
}

export function BacktestPanel({ result, account }: PanelProps<'backtested'>) {
  return (
    <Panel result={result} account={account} title="The last 30 days">
      <BacktestList found={result.backtest} />
    </Panel>
  )
}

interface FrameProps extends PanelProps<'previewed' | 'backtested'> {
  title: string
  more?: ReactNode
  children: ReactNode
}

function Panel({ result, account, title, more, children }: FrameProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  // Focus every new answer, also a second one for the same rule.
  useEffect(() => heading.current?.focus(), [result])
  const titleId = `${result.kind}-${result.ruleId}-title`
  return (
    <section aria-labelledby={titleId} className="grid gap-3 rounded-control border border-accent p-4">
      <h4 id={titleId} ref={heading} tabIndex={-1} className="font-semibold">
        {title}
      </h4>
      {children}
      <div className="flex flex-wrap gap-2">
        {more}
        {/* No anchor: without scripts, the browser would only jump within this page. */}
        <ButtonLink to={automationAddress(account)} preventScrollReset>
          Close
        </ButtonLink>
      </div>
    </section>
  )
}
