import { Activity, ArrowLeft, Pause, Play, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import type { Millis } from '#app/lib/clock.ts'
import { AddressButton } from '#app/ui/address-button.tsx'
import { useAnnounce } from '#app/ui/announcer.tsx'
import { Button, ButtonLink, ReloadLink } from '#app/ui/button.tsx'
import { Card } from '#app/ui/card.tsx'
import { EmptyState } from '#app/ui/empty-state.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PageHeader } from '#app/ui/page/page-header.tsx'
import { AccountTimeProvider } from '#app/ui/time/time.tsx'
import { ACTIVITY_TEXTS, type ActivityItem } from '../activity-view.ts'
import { ActivityEntries } from './activity-entries.tsx'
import { type RefreshFailure, useLiveActivity } from './live-activity.tsx'

export interface ActivityPageProps {
  /** The account as the URL names it; part of every link. */
  accountUUID: string
  accountName: string
  /** The account's IANA zone. */
  timezone: string
  /** The page was requested with the admin flag: links keep it. */
  admin: boolean
  /** The server's time. */
  now: Millis
  /** The text at the end of the log. */
  logEnds: string
  /** Newest first. */
  items: ActivityItem[]
}

const TITLE = 'Webhook Activity'

/** Shows all exchanges between the platform and us, as they happen. */
export function ActivityPage(props: ActivityPageProps) {
  const { accountUUID, accountName, timezone, admin, now, items } = props
  const announce = useAnnounce()
  const [paused, setPaused] = useState(false)
  const [asked, setAsked] = useState(false)
  const live = useLiveActivity({
    accountUUID,
    opened: items,
    openedAt: now,
    paused,
    onNews: (count) => announce(count === 1 ? 'One new entry.' : `${count} new entries.`),
  })
  const query = { accountUUID, ...(admin ? { admin: 'yes' } : {}) }

  async function refresh() {
    setAsked(true)
    const failure = await live.refresh()
    setAsked(false)
    announce(failure ? 'The activity could not be refreshed.' : 'The activity is up to date.')
  }

  return (
    <AccountTimeProvider now={live.now} zone={timezone}>
      <PageHeader
        title={TITLE}
        overline={accountName}
        actions={
          <ButtonLink to={`/fieldhook?${new URLSearchParams(query)}`} icon={ArrowLeft}>
            Back to webhooks
          </ButtonLink>
        }
      />
      <section aria-labelledby="activity-title">
        <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
          <div className="min-w-0">
            <h2 id="activity-title" className="font-semibold text-title">
              Events and calls
            </h2>
            <p className="needs-script text-dense text-ink-soft">
              {paused ? 'Paused. Refresh shows what came meanwhile.' : 'Newest first, refreshed every 2 seconds.'}
            </p>
            <p className="without-script text-dense text-ink-soft">Newest first. Refresh shows what came meanwhile.</p>
          </div>
          <div className="flex flex-wrap gap-2">
            <span className="needs-script">
              <Button
                variant="quiet"
                className="-ml-4 sm:ml-0"
                icon={paused ? Play : Pause}
                onClick={() => setPaused(!paused)}
              >
                {paused ? 'Resume' : 'Pause'}
              </Button>
            </span>
            <AddressButton
              query={query}
              icon={RefreshCw}
              pending={asked}
              onClick={(event) => {
                event.preventDefault()
                void refresh()
              }}
            >
              Refresh
            </AddressButton>
          </div>
        </div>
        {live.failure ? <Failed why={live.failure} paused={paused} /> : null}
        {live.items.length === 0 ? (
          <Card>
            <EmptyState icon={Activity} title={ACTIVITY_TEXTS.empty}>
              <p>
                Events that ServiceM8 sends and the calls between it and Fieldhook appear here by themselves. Create a
                webhook, or change a job in ServiceM8, to see the first.
              </p>
            </EmptyState>
          </Card>
        ) : (
          <>
            <ActivityEntries items={live.items} accountUUID={accountUUID} />
            <p className="mt-3 text-dense text-ink-soft">
              The latest entries of each kind are listed here. The recent activity of a webhook goes back further.{' '}
              {props.logEnds}
            </p>
          </>
        )}
      </section>
    </AccountTimeProvider>
  )
}

/** The entries already shown stay. */
function Failed({ why, paused }: { why: RefreshFailure; paused: boolean }) {
  if (why === 'signed_out') {
    return (
      <Notice tone="failing" title="You are no longer signed in" className="mb-3">
        <p>What you see is what arrived last. Nothing is lost: events are still received and sent.</p>
        <ReloadLink variant="quiet" className="-ml-4">
          Sign in again
        </ReloadLink>
      </Notice>
    )
  }
  return (
    <Notice tone="failing" title="The activity could not be refreshed" className="mb-3">
      <p>
        What you see is what arrived last. {paused ? 'Press Refresh to try again.' : 'We try again every 2 seconds.'}
      </p>
    </Notice>
  )
}

/** Shown when the URL names no account. */
export function ActivityWithoutAccount() {
  return (
    <>
      <PageHeader title={TITLE} overline={null} />
      <Card>
        <EmptyState
          icon={Activity}
          title={ACTIVITY_TEXTS.noAccount}
          action={
            <ButtonLink to="/" reloadDocument>
              Go to the start page
            </ButtonLink>
          }
        >
          <p>The address of this page has to name the account, as in /webhook-activity?accountUUID=…</p>
        </EmptyState>
      </Card>
    </>
  )
}
