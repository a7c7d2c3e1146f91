// What a press on a rule's card brings: a question, a preview, or the last 30 days. Loaded when there is one.
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { type AutomationAccount, automationAddress } from '#app/domain/automations/automation-address.ts'
import { ButtonLink } from '#app/ui/button.tsx'
import { useHydrated } from '#app/ui/hydrated.tsx'
import { useOnDemand } from '#app/ui/on-demand.tsx'
import { Line, PreviewBody } from '../../form/ui/preview-body.tsx'
import type { PageResult } from '../act-on-rule.ts'
import { AskRunPanel } from './ask-run-panel.tsx'
import { BacktestList } from './backtest-list.tsx'
import { RuleButton } from './rule-button.tsx'

/** The button of each mode: the focus returns to it. */
export type Pressed = Record<NotMet['mode'], RefObject<HTMLButtonElement>>

interface RuleResultProps {
  result: PageResult
  account: AutomationAccount
  pressed: Pressed
}

export function RuleResult({ result, account, pressed }: RuleResultProps) {
  switch (result.kind) {
    case 'not_met':
      return <NotMetDialog result={result} account={account} returnTo={pressed[result.mode]} />
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

const NOT_MET_TITLE = 'Automation Conditions Not Met'

type NotMet = Extract<PageResult, { kind: 'not_met' }>

interface NotMetProps {
  result: NotMet
  account: AutomationAccount
  /** The pressed button; gets the focus back after Cancel. */
  returnTo: RefObject<HTMLElement | null>
}

const loadDialog = async () => (await import('#app/ui/confirm-dialog.tsx')).ConfirmDialog

/** Lists the conditions that the requested or newest record fails, and asks whether to continue anyway. */
function NotMetDialog({ result, account, returnTo }: NotMetProps) {
  const hydrated = useHydrated()
  const [closed, setClosed] = useState<NotMet | null>(null)
  const { part: ConfirmDialog, failed } = useOnDemand(loadDialog, hydrated)
  const open = closed !== result
  if (ConfirmDialog) {
    return (
      <ConfirmDialog
        open={open}
        onClose={() => setClosed(result)}
        returnTo={returnTo}
        title={NOT_MET_TITLE}
        cancelLabel="Cancel"
        action={<AnywayButton result={result} account={account} />}
      >
        <FailedConditions result={result} />
      </ConfirmDialog>
    )
  }
  return hydrated && !failed ? null : <NotMetQuestion result={result} account={account} />
}

/** The same question as part of the page. */
function NotMetQuestion({ result, account }: Omit<NotMetProps, 'returnTo'>) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const titleId = `not-met-${result.ruleId}-title`
  return (
    <section aria-labelledby={titleId} className="grid gap-3 rounded-control border border-attention p-4">
      <h4 id={titleId} ref={heading} tabIndex={-1} className="font-semibold">
        {NOT_MET_TITLE}
      </h4>
      <div className="grid gap-2 wrap-anywhere text-label text-ink-soft">
        <FailedConditions result={result} />
      </div>
      <div className="flex flex-wrap gap-2">
        {/* No anchor: without scripts, the browser would only jump within this page. */}
        <ButtonLink to={automationAddress(account)} preventScrollReset>
          Cancel
        </ButtonLink>
        <AnywayButton result={result} account={account} />
      </div>
    </section>
  )
}

function FailedConditions({ result: { name, record, failed, mode } }: { result: NotMet }) {
  return (
    <>
      <p>
        {record === null
          ? `No record meets the conditions of “${name}” now.`
          : `${record || 'This record'} does not meet the conditions.`}
      </p>
      <ul className="grid gap-2">
        {failed.map((one, index) => (
          <li key={index} className="grid gap-0.5">
            <span className="text-ink">{one.words}</span>
            <code className="font-mono text-dense">
              {one.field} {one.operator.replaceAll('_', ' ')}
              {one.value === '' ? '' : ` "${one.value}"`}
            </code>
          </li>
        ))}
      </ul>
      <p>
        {mode === 'run'
          ? `Run Anyway runs it once, for ${calledIn(record)}.`
          : `Show Anyway previews it for ${calledIn(record)}. Nothing is sent.`}
      </p>
    </>
  )
}

/** Label within a sentence. */
function calledIn(record: string | null): string {
  if (record === null) return 'the newest record'
  return record || 'this record'
}

function AnywayButton({ result, account }: Omit<NotMetProps, 'returnTo'>) {
  const { ruleId, mode, recordUuid } = result
  const values = { bypass: 'yes', ...(recordUuid !== '' && { recordUuid }) }
  return (
    <RuleButton act={mode} ruleId={ruleId} account={account} values={values} variant="primary">
      {mode === 'run' ? 'Run Anyway' : 'Show Anyway'}
    </RuleButton>
  )
}

interface PanelProps<Kind extends PageResult['kind']> {
  result: Extract<PageResult, { kind: Kind }>
  account: AutomationAccount
}

function PreviewPanel({ result, account }: PanelProps<'previewed'>) {
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

function BacktestPanel({ result, account }: PanelProps<'backtested'>) {
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
