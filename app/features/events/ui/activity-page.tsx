import { Activity, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import type { AccountPage } from '#app/domain/delivery-address.ts'
import { AddressButton } from '#app/ui/address-button.tsx'
import { useAnnounce } from '#app/ui/announcer.tsx'
import { ButtonLink, ReloadLink } from '#app/ui/button.tsx'
import { Card } from '#app/ui/card.tsx'
import { EmptyState } from '#app/ui/empty-state.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PageHeader } from '#app/ui/page/page-header.tsx'
import { PauseButton } from '#app/ui/page/pause-button.tsx'
import { AccountTimeProvider } from '#app/ui/time/time.tsx'
import {
  ACTIVITY_TEXTS,
  ACTIVITY_TYPE_TEXTS,
  ACTIVITY_TYPES,
  type ActivityItem,
  type ActivityType,
  FEW_ROWS,
  isOfType,
} from '../activity-view.ts'
import { ActivityEntries } from './activity-entries.tsx'
import { Chips } from './chips.tsx'
import { type RefreshFailure, useLiveActivity } from './live-activity.tsx'

export interface ActivityPageProps extends AccountPage {
  /** The text at the end of the log. */
  logEnds: string
  /** Newest first, of every type. */
  items: ActivityItem[]
  type: ActivityType
  /** Every row, not only the first ones. */
  allRows: boolean
}

const TITLE = 'Webhook Activity'

/** Shows all exchanges between the platform and us, as they happen. */
export function ActivityPage(props: ActivityPageProps) {
  const { accountUUID, accountName, timezone, admin, now, items, type, allRows } = props
  const announce = useAnnounce()
  const [paused, setPaused] = useState(false)
  const [asking, setAsking] = useState(false)
  const live = useLiveActivity({
    accountUUID,
    opened: items,
    openedAt: now,
    paused,
    onNews: (count) => announce(count === 1 ? 'One new entry.' : `${count} new entries.`),
  })
  const query = { accountUUID, ...(admin ? { admin: 'yes' } : {}) }
  const here = { ...query, ...(type === 'events' ? {} : { type }), ...(allRows ? { rows: 'all' } : {}) }

  async function refresh() {
    setAsking(true)
    const failure = await live.refresh()
    setAsking(false)
    announce(failure ? 'The activity could not be refreshed.' : 'The activity is up to date.')
  }

  return (
    <AccountTimeProvider now={live.now} zone={timezone}>
      <PageHeader
        title={TITLE}
        overline={accountName}
        back={{ to: `/fieldhook?${new URLSearchParams(query)}`, words: 'Back to webhooks' }}
      />
      <section aria-labelledby="activity-title">
        <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
          <div className="min-w-0">
            <h2 id="activity-title" className="font-semibold text-title">
              Events and calls
            </h2>
            <p className="needs-script text-dense text-ink-soft">
              {paused ? 'Paused. Press Refresh for news.' : 'Newest first, refreshed every 2 seconds.'}
            </p>
            <p className="without-script text-dense text-ink-soft">Newest first. Press Refresh for news.</p>
          </div>
          <div className="flex flex-wrap gap-2">
            <PauseButton paused={paused} onPaused={setPaused} />
            <AddressButton
              query={here}
              icon={RefreshCw}
              pending={asking}
              onClick={(event) => {
                event.preventDefault()
                void refresh()
              }}
            >
              Refresh
            </AddressButton>
          </div>
        </div>
        <TypeChips items={live.items} type={type} query={query} />
        {live.failure ? <Failed why={live.failure} paused={paused} /> : null}
        <Rows {...props} items={live.items} here={here} />
      </section>
    </AccountTimeProvider>
  )
}

function TypeChips({ items, type, query }: Pick<ActivityPageProps, 'items' | 'type'> & { query: object }) {
  return (
    <div className="mb-3">
      <Chips
        label="Type"
        chips={ACTIVITY_TYPES.map((one) => ({
          to: `/webhook-activity?${new URLSearchParams({ ...query, ...(one === 'events' ? {} : { type: one }) })}`,
          words: ACTIVITY_TYPE_TEXTS[one],
          count: String(items.filter((item) => isOfType(item, one)).length),
          current: one === type,
        }))}
      />
    </div>
  )
}

function Rows({ items, type, allRows, accountUUID, logEnds, here }: ActivityPageProps & { here: object }) {
  const wanted = items.filter((item) => isOfType(item, type))
  const shown = allRows ? wanted : wanted.slice(0, FEW_ROWS)
  if (shown.length === 0) {
    const isFirst = items.length === 0 || type === 'events'
    const title = type === 'calls' ? 'No calls except challenges' : 'No challenges among the latest 100 calls'
    return (
      <Card>
        <EmptyState icon={Activity} title={isFirst ? ACTIVITY_TEXTS.empty : title}>
          <p>{isFirst ? 'Change a job in ServiceM8 to see the first event.' : 'Choose another type above.'}</p>
        </EmptyState>
      </Card>
    )
  }
  return (
    <>
      <ActivityEntries items={shown} accountUUID={accountUUID} />
      {wanted.length > shown.length ? (
        <p className="mt-3">
          <ButtonLink to={`/webhook-activity?${new URLSearchParams({ ...here, rows: 'all' })}`}>
            Show all {wanted.length}
          </ButtonLink>
        </p>
      ) : null}
      <p className="mt-3 text-dense text-ink-soft">
        The latest 100 events and 100 calls. A webhook's own activity goes further back. {logEnds}
      </p>
    </>
  )
}

/** The entries already shown stay. */
function Failed({ why, paused }: { why: RefreshFailure; paused: boolean }) {
  if (why === 'signed_out') {
    return (
      <Notice tone="failing" title="You are no longer signed in" className="mb-3">
        <p>Fieldhook still receives and sends your events.</p>
        <ReloadLink variant="quiet" className="-ml-4">
          Sign in again
        </ReloadLink>
      </Notice>
    )
  }
  return (
    <Notice tone="failing" title="The activity could not be refreshed" className="mb-3">
      <p>These are the latest we have. {paused ? 'Press Refresh to try again.' : 'We try again every 2 seconds.'}</p>
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
          <p>Add the account to the address: /webhook-activity?accountUUID=…</p>
        </EmptyState>
      </Card>
    </>
  )
}
