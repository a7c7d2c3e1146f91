import { Link } from '@remix-run/react'
import type { ReactNode } from 'react'
import type { AutomationAccount } from '#app/domain/automations/automation-address.ts'
import { runAddress } from '#app/domain/automations/history-address.ts'
import { Time, usePresent } from '#app/ui/time/time.tsx'
import type { RunLine } from '../run-list-view.ts'
import { RunPill } from './run-pills.tsx'

interface RunListProps {
  lines: readonly RunLine[]
  account: AutomationAccount
  /** Id of the heading above it. */
  labelledBy: string
  /** The action offered for each run. */
  actionOf?: (line: RunLine) => ReactNode
}

/** Job and customer first, then what happened. Rows of one table on a wide screen, cards on a phone. */
export function RunList({ lines, account, labelledBy, actionOf }: RunListProps) {
  return (
    <ol
      aria-labelledby={labelledBy}
      className="grid gap-3 sm:block sm:rounded-card sm:border sm:border-line sm:bg-surface sm:shadow-rest"
    >
      {lines.map((line) => (
        <li
          key={line.id}
          className="grid gap-x-4 gap-y-2 rounded-card border border-line bg-surface p-4 shadow-rest sm:grid-cols-[minmax(0,1fr)_auto] sm:rounded-none sm:border-x-0 sm:border-b-0 sm:bg-transparent sm:shadow-none sm:first:border-t-0"
        >
          <Line line={line} account={account} />
          <div className="flex flex-wrap items-center justify-between gap-2 sm:flex-col sm:items-end sm:justify-start">
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
  const { id, job, customer, ruleName, happened, because, goesOnAt } = line
  const now = usePresent()
  return (
    <div className="grid min-w-0 content-start gap-1">
      <p className="wrap-anywhere text-body">
        <Link
          to={runAddress(account, id)}
          className="-my-2.5 inline-block py-2.5 font-semibold text-accent underline-offset-4 hover:underline"
        >
          {customer === '' ? job : `${job} · ${customer}`}
        </Link>
      </p>
      <p className="wrap-anywhere text-label">{happened}</p>
      <p className="wrap-anywhere text-dense text-ink-soft">
        {ruleName}
        {because === '' ? '' : ` · ${because}`}
      </p>
      {goesOnAt === null || goesOnAt <= now ? null : (
        <p className="text-dense text-ink-soft">
          It goes on <Time at={goesOnAt} />.
        </p>
      )}
    </div>
  )
}
