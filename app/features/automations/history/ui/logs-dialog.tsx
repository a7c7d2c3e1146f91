import { Link, useNavigate } from '@remix-run/react'
import { Ban, CircleAlert, CircleCheck, CircleMinus, Clock, Hand, History, type LucideIcon } from 'lucide-react'
import {
  type AutomationAccount,
  type AutomationTab,
  automationAddress,
} from '#app/domain/automations/automation-address.ts'
import { Badge, type Tone } from '#app/ui/badge.tsx'
import { ButtonLink } from '#app/ui/button.tsx'
import { CardSection } from '#app/ui/card.tsx'
import { EmptyState } from '#app/ui/empty-state.tsx'
import { useHydrated } from '#app/ui/hydrated.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { useOnDemand } from '#app/ui/on-demand.tsx'
import { Time } from '#app/ui/time/time.tsx'
import { VisuallyHidden } from '#app/ui/visually-hidden.tsx'
import { LOGS_NOT_FETCHED } from '../../page/page-text.ts'
import { LOG_STATUS_TEXTS, type LogLine, type LogStatus } from '../log-line.ts'
import { ExecutedParts, MatchedRecords } from './executed-parts.tsx'
import { ReceiptLine } from './receipt-line.tsx'
import { StartedLater } from './run-list.tsx'
import { useRecheck } from './use-recheck.tsx'

const LOGS_TITLE = 'Recent Automation Logs'
const LOGS_DESCRIPTION = 'Last 20 automation executions across all your automations'

interface LogsDialogProps {
  logs: LogLine[] | 'failed'
  account: AutomationAccount
  tab: AutomationTab
}

const loadDialog = async () => (await import('#app/ui/sheet-dialog.tsx')).SheetDialog

/** Open when the address says so: a dialog with scripts, the top of the page without. */
export function LogsDialog({ logs, account, tab }: LogsDialogProps) {
  const hydrated = useHydrated()
  const navigate = useNavigate()
  const { part: SheetDialog, failed } = useOnDemand(loadDialog, hydrated)
  useRecheck(logs !== 'failed' && logs.some((line) => line.isLive))
  const closed = automationAddress(account, { step: 'none' }, tab)
  const lines = <LogLines logs={logs} account={account} />
  if (SheetDialog) {
    return (
      <SheetDialog
        open
        onClose={() => navigate(closed, { preventScrollReset: true })}
        title={LOGS_TITLE}
        description={LOGS_DESCRIPTION}
      >
        {lines}
      </SheetDialog>
    )
  }
  if (hydrated && !failed) return null
  return (
    <CardSection
      id="logs"
      title={LOGS_TITLE}
      action={
        <ButtonLink to={closed} variant="quiet">
          Close
        </ButtonLink>
      }
      className="mb-5"
    >
      <p className="-mt-3 mb-4 text-label text-ink-soft">{LOGS_DESCRIPTION}</p>
      {lines}
    </CardSection>
  )
}

const looks: Record<LogStatus, { tone: Tone; icon: LucideIcon }> = {
  success: { tone: 'working', icon: CircleCheck },
  partial: { tone: 'attention', icon: CircleAlert },
  failure: { tone: 'failing', icon: CircleAlert },
  nothing: { tone: 'neutral', icon: CircleMinus },
  cancelled: { tone: 'neutral', icon: Ban },
  needs_you: { tone: 'held', icon: Hand },
  waiting: { tone: 'held', icon: Clock },
  working: { tone: 'accent', icon: Clock },
}

function LogLines({ logs, account }: Pick<LogsDialogProps, 'logs' | 'account'>) {
  if (logs === 'failed') {
    return (
      <Notice tone="failing" title={LOGS_NOT_FETCHED}>
        Nothing is lost. Please close this and try again.
      </Notice>
    )
  }
  if (logs.length === 0) {
    return (
      <EmptyState icon={History} title="Nothing has run yet">
        You will see each run here, and what it did.
      </EmptyState>
    )
  }
  return (
    <ol className="grid gap-3">
      {logs.map((line) => (
        <li key={line.id} className="grid gap-1.5 rounded-control border border-line p-3">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Badge tone={looks[line.status].tone} icon={looks[line.status].icon}>
              {LOG_STATUS_TEXTS[line.status]}
            </Badge>
            <Link
              to={runAddress(account, line.id)}
              className="-my-2 inline-flex min-h-11 min-w-0 items-center wrap-anywhere font-semibold text-label underline underline-offset-4"
            >
              {line.about}
              <VisuallyHidden> · {line.name}</VisuallyHidden>
            </Link>
            <Time at={line.at} className="ml-auto text-dense text-ink-soft" />
          </div>
          <p className="wrap-anywhere text-label">
            {line.name}
            <span className="text-ink-soft">
              {line.because === '' || line.because === line.about ? null : ` · ${line.because}`}
              <StartedLater at={line.startedAt} />
            </span>
          </p>
          {line.reason ? <p className="wrap-anywhere text-label">{line.reason}</p> : null}
          {line.matched === null ? null : <MatchedRecords matched={line.matched} />}
          {line.actions.length > 0 ? (
            <ul className="grid gap-1 text-dense text-ink-soft">
              {line.actions.map((action, index) => (
                <li key={index} className="flex items-start gap-1.5">
                  {action.success ? (
                    <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-working" />
                  ) : (
                    <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-failing" />
                  )}
                  <div className="min-w-0 flex-1 wrap-anywhere">
                    {action.word}: {action.label}
                    {action.message === '' ? null : `. ${action.message}`}
                    <ReceiptLine receipt={action.receipt} />
                    <ExecutedParts executed={action} />
                  </div>
                </li>
              ))}
            </ul>
          ) : null}
        </li>
      ))}
    </ol>
  )
}

/** Address of one execution's page. */
function runAddress(account: AutomationAccount, id: number): string {
  const query = new URLSearchParams({ accountUUID: account.accountUUID, ...(account.admin && { admin: 'yes' }) })
  return `/automation/runs/${id}?${query}`
}
