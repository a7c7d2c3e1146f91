import { Link } from '@remix-run/react'
import type { ReactNode } from 'react'
import type { AutomationAccount } from '#app/domain/automations/automation-address.ts'
import { runAddress } from '#app/domain/automations/history-address.ts'
import type { Millis } from '#app/lib/clock.ts'
import { Time, usePresent } from '#app/ui/time/time.tsx'
import { VisuallyHidden } from '#app/ui/visually-hidden.tsx'
import type { RunLine } from '../run-list-view.ts'
import { ReceiptLine } from './receipt-line.tsx'
import { RunPill } from './run-pills.tsx'

interface RunListProps {
  lines: readonly RunLine[]
  account: AutomationAccount
  /** Id of the heading above it. */
  labelledBy: string
  /** The action offered for each run. */
  actionOf?: (line: RunLine) => ReactNode
}

/** Job and customer first, then what happened. */
export function RunList({ lines, account, labelledBy, actionOf }: RunListProps) {
  return (
    <ol aria-labelledby={labelledBy} className="rounded-card border border-line bg-surface shadow-rest">
      {lines.map((line) => (
        <li
          key={line.id}
          className="grid gap-x-4 gap-y-1 border-line border-t px-4 py-3 first:border-t-0 sm:grid-cols-[minmax(0,1fr)_auto]"
        >
          <Line line={line} account={account} />
          <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 sm:justify-end sm:self-center">
            <RunPill standing={line.standing} />
            <Time at={line.at} as="clock" className="whitespace-nowrap text-dense text-ink-soft tabular-nums" />
            {actionOf?.(line)}
          </div>
        </li>
      ))}
    </ol>
  )
}

function Line({ line, account }: { line: RunLine; account: AutomationAccount }) {
  const { id, job, customer, ruleName, happened, startedAt, goesOnAt, receipt } = line
  const now = usePresent()
  return (
    <div className="grid min-w-0 content-start gap-0.5">
      <p className="wrap-anywhere text-body">
        <Link
          to={runAddress(account, id)}
          className="-my-2.5 inline-block py-2.5 font-semibold text-accent underline-offset-4 hover:underline"
        >
          {customer === '' ? job : `${job} · ${customer}`}
          <VisuallyHidden> · {ruleName}</VisuallyHidden>
        </Link>
      </p>
      <p className="wrap-anywhere text-label">{happened}</p>
      <ReceiptLine receipt={receipt} />
      <p className="wrap-anywhere text-dense text-ink-soft">
        {ruleName}
        <StartedLater at={startedAt} />
        {goesOnAt === null || goesOnAt <= now ? null : (
          <>
            {' · continues '}
            <Time at={goesOnAt} />
          </>
        )}
      </p>
    </div>
  )
}

/** When a run that had waited began. */
export function StartedLater({ at }: { at: Millis | null }) {
  if (at === null) return null
  return (
    <>
      {' · started '}
      <Time at={at} as="clock" />
    </>
  )
}
