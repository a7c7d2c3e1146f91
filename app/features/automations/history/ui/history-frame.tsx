import type { ReactNode } from 'react'
import { type AutomationAccount, automationAddress } from '#app/domain/automations/automation-address.ts'
import { runsAddress, whyAddress } from '#app/domain/automations/history-address.ts'
import type { AccountFacts } from '#app/domain/delivery-address.ts'
import { PageHeader } from '#app/ui/page/page-header.tsx'
import { TabLink } from '#app/ui/page/tab-link.tsx'
import { AccountTimeProvider } from '#app/ui/time/time.tsx'

export interface HistoryFrameProps extends AccountFacts {
  account: AutomationAccount
  /** Runs that wait for a person; counted to 100. */
  needsYou: number
}

interface FrameProps extends HistoryFrameProps {
  title: string
  place: 'runs' | 'needs_you' | 'upcoming' | 'why' | null
  summary?: ReactNode
  children: ReactNode
}

/** Frame of the run pages: the current page, and links to the others. */
export function HistoryFrame(props: FrameProps) {
  const { account, accountName, timezone, now, needsYou, title, place, summary, children } = props
  const count = needsYou >= 100 ? '99+' : String(needsYou)
  const places = [
    { place: 'runs', to: runsAddress(account), words: 'All runs' },
    {
      place: 'needs_you',
      to: runsAddress(account, { status: 'needs_you' }),
      words: needsYou > 0 ? `Needs you (${count})` : 'Needs you',
    },
    { place: 'upcoming', to: runsAddress(account, {}, 'upcoming'), words: 'Upcoming' },
    { place: 'why', to: whyAddress(account), words: 'Why did this job not fire?' },
  ] as const
  return (
    <AccountTimeProvider now={now} zone={timezone}>
      <PageHeader
        title={title}
        overline={accountName}
        back={{ to: automationAddress(account), words: 'Back to automations' }}
        summary={summary}
      />
      <nav aria-label="Run history" className="mb-5 border-line border-b">
        <ul className="-mb-px flex flex-wrap gap-x-1">
          {places.map((one) => (
            <li key={one.place}>
              <TabLink to={one.to} current={place === one.place} className="min-h-11 px-3 font-medium text-label">
                {one.words}
              </TabLink>
            </li>
          ))}
        </ul>
      </nav>
      {children}
    </AccountTimeProvider>
  )
}
