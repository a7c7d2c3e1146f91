import { Link } from '@remix-run/react'
import { ChevronRight, Download, History, Hourglass, type LucideIcon, MonitorCheck, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { type AccountPart, accountAddress } from '#app/domain/account-address.ts'
import type { PeopleOfPage } from '#app/domain/people.ts'
import { plural } from '#app/domain/time/moments.ts'
import type { Millis } from '#app/lib/clock.ts'
import { CardSection } from '#app/ui/card.tsx'
import { PageHeader } from '#app/ui/page/page-header.tsx'
import { AccountTimeProvider, Time } from '#app/ui/time/time.tsx'
import type { AccountFrameProps } from './account-frame.tsx'
import { ConnectionCard, type ConnectionOfPage } from './connection-card.tsx'
import { PeopleCard } from './people-card.tsx'

export interface AccountPageProps extends AccountFrameProps {
  /** Null = not connected. */
  connection: ConnectionOfPage | null
  people: PeopleOfPage
  /** Browsers that are signed in. */
  browsers: number
  /** The newest entry of the audit log; null = none. */
  newest: { what: string; facts: string; at: Millis } | null
  /** How long events are kept: `30 days`. */
  eventsKept: string
}

/** Shows people and connection; everything longer has a page of its own. */
export function AccountPage(props: AccountPageProps) {
  const { account, newest } = props
  const to = (part: AccountPart) => accountAddress(account, part)
  return (
    <AccountTimeProvider now={props.now} zone={props.timezone}>
      <PageHeader title="Account and security" overline={props.accountName} />
      <div className="grid items-start gap-5 lg:grid-cols-2 lg:gap-6">
        <div className="grid min-w-0 gap-5 lg:gap-6">
          <ConnectionCard connection={props.connection} accountUUID={account.accountUUID} />
          <PeopleCard {...props.people} accountUUID={account.accountUUID} />
        </div>
        <CardSection id="more" title="Security and data">
          <ul className="-mt-2 grid">
            <Row to={to('sessions')} icon={MonitorCheck} title="Active sessions">
              {plural(props.browsers, 'browser')}
            </Row>
            <Row to={to('activity')} icon={History} title="Who did what">
              {newest === null ? (
                'Nothing yet'
              ) : (
                <>
                  {newest.what}
                  {newest.facts === '' ? null : ` · ${newest.facts}`}, <Time at={newest.at} />
                </>
              )}
            </Row>
            <Row to={to('retention')} icon={Hourglass} title="Data retention">
              Events: {props.eventsKept}
            </Row>
            <Row to={to('export')} icon={Download} title="Export">
              Everything in one file
            </Row>
            <Row to={to('erase')} icon={Trash2} title="Erase this account">
              Deletes its data for good
            </Row>
          </ul>
        </CardSection>
      </div>
    </AccountTimeProvider>
  )
}

interface RowProps {
  to: string
  icon: LucideIcon
  title: string
  /** How it is now. */
  children: ReactNode
}

function Row({ to, icon: Icon, title, children }: RowProps) {
  return (
    <li className="border-line border-t first:border-t-0">
      <Link to={to} className="group flex min-h-14 items-center gap-3 py-2">
        <Icon aria-hidden className="size-5 shrink-0 text-ink-soft" />
        <span className="grid min-w-0 flex-1">
          <span className="font-medium text-label underline-offset-4 group-hover:underline">{title}</span>
          <span className="wrap-anywhere text-dense text-ink-soft">{children}</span>
        </span>
        <ChevronRight aria-hidden className="size-4 shrink-0 text-ink-soft" />
      </Link>
    </li>
  )
}
