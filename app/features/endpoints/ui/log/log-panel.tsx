import { useLocation, useRevalidator } from '@remix-run/react'
import { clsx } from 'clsx'
import { ChevronRight, Inbox, RefreshCw, Search, SlidersHorizontal } from 'lucide-react'
import { type MouseEventHandler, type ReactNode, useEffect, useRef, useState } from 'react'
import { searchAddress } from '#app/domain/delivery-address.ts'
import {
  DEFAULT_LOG_FILTER,
  FORWARDING_FILTERS,
  type LogFilter,
  PAGE_SIZES,
  TIME_RANGES,
} from '#app/features/events/log-view.ts'
import { AddressButton } from '#app/ui/address-button.tsx'
import { useAnnounce } from '#app/ui/announcer.tsx'
import { Button, ButtonLink } from '#app/ui/button.tsx'
import { Disclosure } from '#app/ui/disclosure.tsx'
import { EmptyState } from '#app/ui/empty-state.tsx'
import { Checkbox } from '#app/ui/form/checkbox.tsx'
import { SelectField } from '#app/ui/form/select.tsx'
import { HiddenFields } from '#app/ui/form/sent-values.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PauseButton } from '#app/ui/page/pause-button.tsx'
import { ScrollRegion } from '#app/ui/scroll-region.tsx'
import { AccountTimeProvider, useZone } from '#app/ui/time/time.tsx'
import { VisuallyHidden } from '#app/ui/visually-hidden.tsx'
import { useLiveLog } from './live-log.tsx'
import { LogEntries } from './log-entries.tsx'
import { type LogOwner, useAfterSendAgain } from './log-entry-actions.tsx'
import { FORWARDING_TEXTS, type LogAnswer, logFilterQuery, readLogFilter, TIME_RANGE_TEXTS } from './log-filter.ts'

interface LogPanelProps {
  /** Prefix of the element ids in the panel. */
  id: string
  /** Names whose activity it shows: `Job`. */
  subject: string
  /** URL of the resource with its query; the panel appends the filter and expects a `LogAnswer` as JSON. */
  source: string
  /** The log from the server, when the page's URL opens this panel; otherwise null. */
  opened: LogAnswer | null
  /** The initial filter. */
  filter: LogFilter
  /** The panel's anchor on the page, for browsers without scripts. */
  anchor: string
  /** Queries of the page with this panel open and with it closed. */
  openQuery: Record<string, string>
  closedQuery: Record<string, string>
  /** The webhook or rule of the entries. When set, each entry has its buttons. */
  owner?: LogOwner
  /** More buttons next to the one that opens the panel. */
  actions?: ReactNode
}

/** The collapsible recent activity of one webhook. */
export function LogPanel(props: LogPanelProps) {
  const { id, opened, anchor, openQuery, closedQuery, actions } = props
  const [open, setOpen] = useState(opened !== null)
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-x-2">
        <AddressButton
          query={open ? closedQuery : openQuery}
          anchor={anchor}
          variant="quiet"
          className={clsx('-ml-4 [&>svg]:transition-transform', open && '[&>svg]:rotate-90')}
          aria-expanded={open}
          aria-controls={open ? id : undefined}
          icon={ChevronRight}
          onClick={(event) => {
            event.preventDefault()
            setOpen(!open)
          }}
        >
          View Recent Activity
        </AddressButton>
        {actions ? <div className="-mx-4 flex flex-wrap">{actions}</div> : null}
      </div>
      {open ? <OpenPanel {...props} /> : null}
    </>
  )
}

type OpenPanelProps = Omit<LogPanelProps, 'closedQuery' | 'actions'>

function OpenPanel({ id, subject, source, opened, filter: firstFilter, anchor, openQuery, owner }: OpenPanelProps) {
  const [filter, setFilter] = useState(firstFilter)
  const [resets, setResets] = useState(0)
  const announce = useAnnounce()
  const { revalidate } = useRevalidator()
  const [paused, setPaused] = useState(false)
  const { answer, failed, loading, refresh } = useLiveLog({
    source,
    filter,
    opened,
    paused,
    onNews: (count) => {
      if (count > 0) announce(`${count} new ${count === 1 ? 'event' : 'events'} for ${subject}.`)
      // The card above and the top line also depend on these events.
      revalidate()
    },
  })
  useAfterSendAgain(owner, refresh)
  const [asked, setAsked] = useState(false)
  const wasLoading = useRef(false)
  useEffect(() => {
    if (asked && wasLoading.current && !loading) {
      setAsked(false)
      announce(
        failed ? `The activity of ${subject} could not be fetched.` : `The activity of ${subject} is up to date.`,
      )
    }
    wasLoading.current = loading
  }, [asked, loading, failed, subject, announce])
  const onAll: MouseEventHandler<HTMLButtonElement> = (event) => {
    event.preventDefault()
    // The button goes: the keyboard stays with the list.
    event.currentTarget.closest<HTMLElement>('[role="region"]')?.focus()
    setFilter({ ...filter, timeRange: 'all' })
    setResets(resets + 1)
  }

  return (
    <section id={id} aria-labelledby={`${id}-title`} className="grid gap-2 pb-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h4 id={`${id}-title`} className="font-semibold text-body">
          Recent Activity
        </h4>
        <div className="-mr-4 flex">
          <PauseButton paused={paused} onPaused={setPaused} what={`activity of ${subject}`} />
          <AddressButton
            query={{ ...openQuery, ...logFilterQuery(filter) }}
            anchor={anchor}
            variant="quiet"
            icon={RefreshCw}
            pending={asked && loading}
            aria-label={`Refresh activity of ${subject}`}
            onClick={(event) => {
              event.preventDefault()
              setAsked(true)
              refresh()
            }}
          >
            Refresh
          </AddressButton>
        </div>
      </div>
      {/* Its fields keep what is chosen in them: another choice made elsewhere begins them anew. */}
      <FilterForm key={resets} {...{ id, filter, openQuery, anchor }} onChange={setFilter} />
      {failed ? (
        <Notice tone="failing" title="Failed to fetch logs">
          <p>
            {answer ? 'These are the latest entries we have. ' : ''}Nothing is lost: events are still received and sent.
            {paused ? 'Press Refresh to try again.' : 'We try again every few seconds.'}
          </p>
        </Notice>
      ) : null}
      <ScrollRegion
        label={`Recent Activity of ${subject}`}
        busy={answer === null && !failed}
        className="overflow-y-auto rounded-control border border-line sm:max-h-96"
      >
        {answer ? <Answered {...{ answer, filter, owner, openQuery, anchor, onAll }} /> : failed ? null : <Skeleton />}
      </ScrollRegion>
      {owner ? (
        <div>
          <ButtonLink
            to={searchAddress(owner.account, { webhook: String(owner.webhookId) })}
            variant="quiet"
            className="-ml-4"
            icon={Search}
          >
            All deliveries
            <VisuallyHidden> of {subject}</VisuallyHidden>
          </ButtonLink>
        </div>
      ) : null}
    </section>
  )
}

interface AnsweredProps extends Pick<OpenPanelProps, 'filter' | 'owner' | 'openQuery' | 'anchor'> {
  answer: LogAnswer
  onAll: MouseEventHandler<HTMLButtonElement>
}

function Answered({ answer, filter, owner, openQuery, anchor, onAll }: AnsweredProps) {
  const zone = useZone()
  if (answer.entries.length === 0) {
    const { timeRange, forwardingStatus } = filter
    // The range a panel opens with is nobody's choice.
    const isChosen = forwardingStatus !== 'all' || (timeRange !== 'all' && timeRange !== DEFAULT_LOG_FILTER.timeRange)
    const all = { ...openQuery, ...logFilterQuery({ ...filter, timeRange: 'all' }) }
    const button = { query: all, anchor, onClick: onAll }
    return (
      <EmptyState
        icon={Inbox}
        title="No recent activity"
        action={timeRange === 'all' ? null : <AddressButton {...button}>Show all time</AddressButton>}
      >
        <p>{isChosen ? 'Nothing matches the filter.' : "Webhook events will appear here when they're received"}</p>
      </EmptyState>
    )
  }
  return (
    <AccountTimeProvider now={answer.now} zone={zone}>
      <LogEntries entries={answer.entries} details={filter.hasDetails} owner={owner} />
    </AccountTimeProvider>
  )
}

interface FilterFormProps extends Pick<LogPanelProps, 'id' | 'filter' | 'openQuery' | 'anchor'> {
  onChange: (filter: LogFilter) => void
}

/** With scripts every change applies immediately; without, the button submits the form and the page reloads. */
function FilterForm({ id, filter, onChange, openQuery, anchor }: FilterFormProps) {
  const { pathname } = useLocation()
  const [unusual] = useState(() => JSON.stringify(filter) !== JSON.stringify(DEFAULT_LOG_FILTER))
  return (
    <Disclosure
      open={unusual}
      summary={
        <span className="inline-flex items-center gap-1.5">
          <SlidersHorizontal aria-hidden className="size-4" />
          Filter
        </span>
      }
    >
      <form
        method="get"
        action={`${pathname}#${anchor}`}
        onSubmit={(event) => event.preventDefault()}
        onChange={(event) => onChange(readLogFilter(queryOf(event.currentTarget)))}
        className="grid items-end gap-x-4 gap-y-3 sm:grid-cols-3"
      >
        <HiddenFields values={openQuery} />
        <SelectField
          id={`${id}-limit`}
          label="Page size"
          name="limit"
          defaultValue={filter.limit}
          options={PAGE_SIZES.map((size) => [size, size])}
        />
        <SelectField
          id={`${id}-range`}
          label="Time range"
          name="timeRange"
          defaultValue={filter.timeRange}
          options={TIME_RANGES.map((range) => [range, TIME_RANGE_TEXTS[range]])}
        />
        <SelectField
          id={`${id}-status`}
          label="Forwarding status"
          name="forwardingStatus"
          defaultValue={filter.forwardingStatus}
          options={FORWARDING_FILTERS.map((status) => [status, FORWARDING_TEXTS[status]])}
        />
        <div className="sm:col-span-2">
          <input type="hidden" name="hasDetails" value="false" />
          <Checkbox name="hasDetails" value="true" defaultChecked={filter.hasDetails}>
            Response details
          </Checkbox>
        </div>
        <Button type="submit" className="without-script sm:justify-self-end">
          Apply
        </Button>
      </form>
    </Disclosure>
  )
}

function queryOf(form: HTMLFormElement): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, value] of new FormData(form)) if (typeof value === 'string') query.append(name, value)
  return query
}

/** Shows only when loading takes longer than 300 ms. */
function Skeleton() {
  return (
    <div className="grid animate-late gap-4 p-3">
      <VisuallyHidden>Loading recent activity</VisuallyHidden>
      {[0, 1, 2].map((row) => (
        <div key={row} aria-hidden className="grid gap-2">
          <div className="h-4 w-3/5 rounded-control bg-sunken" />
          <div className="h-4 w-2/5 rounded-control bg-sunken" />
        </div>
      ))}
    </div>
  )
}
