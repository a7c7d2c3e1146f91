import { Link } from '@remix-run/react'
import { SearchX } from 'lucide-react'
import { useEffect, useRef } from 'react'
import type { AccountLink } from '#app/domain/account-address.ts'
import { type AccountPage, managerAddress, searchAddress } from '#app/domain/delivery-address.ts'
import { dayText } from '#app/domain/time/moments.ts'
import { useAnnounce } from '#app/ui/announcer.tsx'
import { ButtonLink } from '#app/ui/button.tsx'
import { Card } from '#app/ui/card.tsx'
import { EmptyState } from '#app/ui/empty-state.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PageHeader } from '#app/ui/page/page-header.tsx'
import { AccountTimeProvider, Time } from '#app/ui/time/time.tsx'
import { VisuallyHidden } from '#app/ui/visually-hidden.tsx'
import {
  asksNothing,
  type DayVolume,
  dayAsked,
  limitSentence,
  MOST_RECORDS,
  SEARCH_STATUSES,
  type SearchAnswer,
  type SearchForm,
  STATUS_TEXTS,
  type StatusCounts,
  wholeDay,
} from '../search-view.ts'
import { Chips } from './chips.tsx'
import { SearchFields, type SearchFieldsProps } from './search-form.tsx'
import { SearchHits, Troubles } from './search-hits.tsx'

export interface SearchPageProps extends AccountPage, Omit<SearchFieldsProps, 'account'> {
  /** The cursor of this page; empty for the first one. */
  before: string
  /** The text at the end of the log. */
  logEnds: string
  /** Null when there was no search, because of `errors`. */
  answer: SearchAnswer | null
  statuses: StatusCounts | null
  /** Oldest day first; empty = nothing to draw. */
  volume: readonly DayVolume[]
}

/** "Find a delivery": the URL holds the whole search, so that it can be shared, bookmarked and revisited. */
export function SearchPage(props: SearchPageProps) {
  const { accountUUID, accountName, timezone, admin, now, form, choices, errors, before, answer, statuses, volume } =
    props
  const account: AccountLink = { accountUUID, admin }
  useResultAnnounced(answer)
  return (
    <AccountTimeProvider now={now} zone={timezone}>
      <PageHeader
        title="Find a delivery"
        overline={accountName}
        back={{ to: managerAddress(account), words: 'Back to webhooks' }}
      />
      <div className="grid gap-5">
        <div className="grid gap-2">
          <SearchFields account={account} choices={choices} form={form} errors={errors} />
          {statuses === null ? null : <StatusChips account={account} form={form} statuses={statuses} />}
        </div>
        <DayBars volume={volume} account={account} form={form} />
        {errors.before ? (
          <Notice tone="failing" title="This page of the result does not exist">
            <p>The link is incomplete. Press Find for the newest.</p>
          </Notice>
        ) : null}
        {answer ? (
          <Result account={account} form={form} before={before} answer={answer} logEnds={props.logEnds} />
        ) : null}
      </div>
    </AccountTimeProvider>
  )
}

type StatusChipsProps = { account: AccountLink; form: SearchForm; statuses: StatusCounts }

/** The statuses that occur, each with its number; all of them when not everything was counted. */
function StatusChips({ account, form, statuses: { counts, complete } }: StatusChipsProps) {
  const more = complete ? '' : '+'
  const total = SEARCH_STATUSES.reduce((sum, status) => sum + counts[status], 0)
  const shown = SEARCH_STATUSES.filter((status) => !complete || counts[status] > 0 || status === form.status)
  const chip = (status: string, words: string, count: number) => ({
    to: searchAddress(account, { ...form, status }),
    words,
    // None so far says nothing about the rest.
    count: count === 0 && more ? '' : `${count.toLocaleString('en-AU')}${more}`,
    current: form.status === status,
  })
  return (
    <Chips
      label="Status"
      chips={[chip('', 'All', total), ...shown.map((status) => chip(status, STATUS_TEXTS[status], counts[status]))]}
    />
  )
}

interface ResultProps extends Pick<SearchPageProps, 'form' | 'before' | 'logEnds'> {
  account: AccountLink
  answer: SearchAnswer
}

function Result({ account, form, before, answer, logEnds }: ResultProps) {
  const { hits, end, next, lookedBackTo } = answer
  return (
    <section aria-labelledby="result-title" className="grid gap-3">
      <div>
        <h2 id="result-title" className="font-semibold text-title">
          Deliveries
        </h2>
        {hits.length === 0 ? null : (
          <p className="text-dense text-ink-soft">
            {before === '' ? 'Newest event first.' : 'Older ones, newest event first.'}
          </p>
        )}
      </div>
      <Troubles hits={hits} more={next !== null || before !== ''} />
      {hits.length > 0 ? (
        <SearchHits hits={hits} account={account} />
      ) : end === 'limit' ? null : (
        <Card>
          <Nothing form={form} before={before} />
        </Card>
      )}
      {end === 'limit' && lookedBackTo !== null ? (
        <Notice tone="accent" title="There may be more further back">
          <p>
            {limitSentence(answer)} This page reaches back to <Time at={lookedBackTo} as="clock" />.
          </p>
        </Notice>
      ) : null}
      {answer.more ? (
        <Notice tone="accent" title={`More than ${MOST_RECORDS.toLocaleString('en-AU')} records are called that`}>
          <p>Some deliveries may be missing. Type more of the name or address.</p>
        </Notice>
      ) : null}
      {next === null && end !== 'limit' ? <p className="text-dense text-ink-soft">{logEnds}</p> : null}
      <ResultPages account={account} form={form} before={before} answer={answer} />
    </section>
  )
}

function ResultPages({ account, form, before, answer: { next, end } }: Omit<ResultProps, 'logEnds'>) {
  if (next === null && before === '') return null
  return (
    <nav aria-label="Pages of the result" className="flex flex-wrap gap-2">
      {before === '' ? null : <ButtonLink to={searchAddress(account, { ...form })}>Newest</ButtonLink>}
      {next === null ? null : (
        <ButtonLink
          to={searchAddress(account, { ...form, before: next })}
          variant={end === 'limit' ? 'primary' : 'secondary'}
        >
          {end === 'limit' ? 'Look further back' : 'Older'}
        </ButtonLink>
      )}
    </nav>
  )
}

function Nothing({ form, before }: { form: SearchForm; before: string }) {
  if (asksNothing(form)) {
    return (
      <EmptyState icon={SearchX} title={before === '' ? 'No deliveries yet' : 'No older deliveries'}>
        <p>{before === '' ? 'Change a job in ServiceM8 to see the first delivery.' : 'You have seen all of them.'}</p>
      </EmptyState>
    )
  }
  return (
    <EmptyState icon={SearchX} title="Nothing found">
      {form.id === '' ? (
        <p>No delivery matches these filters. Try fewer.</p>
      ) : (
        <p>
          No delivery for “{form.id}”{asksNothing({ ...form, id: '' }) ? '' : ' with these filters'}. Check the
          spelling, or paste an id.
        </p>
      )}
    </EmptyState>
  )
}

/** Announces the number of results when a search updates the page in place. */
function useResultAnnounced(answer: SearchAnswer | null): void {
  const announce = useAnnounce()
  const last = useRef(answer)
  useEffect(() => {
    if (answer === null || last.current === answer) return
    last.current = answer
    const count = answer.hits.length
    announce(count === 0 ? 'Nothing found.' : `${count} ${count === 1 ? 'line' : 'lines'}.`)
  }, [answer, announce])
}

const HEIGHT = 40

interface DayBarsProps {
  /** Oldest day first. */
  volume: readonly DayVolume[]
  account: AccountLink
  form: SearchForm
}

/** Attempts a day: delivered below, failed on top. A day leads to its deliveries, with the other filters as they are. */
function DayBars({ volume, account, form }: DayBarsProps) {
  const sum = (of: 'delivered' | 'failed') => volume.reduce((total, day) => total + day[of], 0)
  const [delivered, failed] = [sum('delivered'), sum('failed')]
  if (delivered + failed === 0) return null
  const most = Math.max(...volume.map((day) => day.delivered + day.failed))
  const asked = volume.find(({ date }) => date === dayAsked(form))
  // The rows below are fewer, because the attempts of a day are counted without filters.
  const whose = asksNothing({ ...form, from: '', until: '' }) ? '' : ', whole account'
  return (
    <figure className="min-w-0">
      <nav aria-label="Days">
        {/* Drawn backwards, so that a narrow screen begins with today. */}
        <ol className="relative flex flex-row-reverse overflow-x-auto border-line border-b">
          {volume.toReversed().map((day) => {
            const says = sentenceOf(day)
            return day.delivered + day.failed === 0 ? (
              <li key={day.date} aria-hidden className="min-w-6 flex-1" />
            ) : (
              <li key={day.date} className="min-w-6 flex-1">
                <Link
                  to={searchAddress(account, { ...form, ...wholeDay(day.date) })}
                  preventScrollReset
                  title={says}
                  aria-current={day === asked ? 'true' : undefined}
                  className="-outline-offset-2 flex h-11 items-end px-0.5 hover:bg-sunken aria-[current]:ring-2 aria-[current]:ring-accent aria-[current]:ring-inset forced-colors:aria-[current]:border-2"
                >
                  <Bar day={day} most={most} />
                  <VisuallyHidden>{says}</VisuallyHidden>
                </Link>
              </li>
            )
          })}
        </ol>
      </nav>
      <figcaption className="mt-1 text-dense text-ink-soft">
        {asked === undefined ? (
          `Last ${volume.length} days${whose}: ${counted({ delivered, failed })} ${failed === 1 ? 'attempt' : 'attempts'}`
        ) : (
          <>
            {sentenceOf(asked, whose)}. Later attempts are listed under the day of their event.{' '}
            <Link
              to={searchAddress(account, { ...form, from: '', until: '' })}
              preventScrollReset
              className="-my-2.5 ml-2 inline-flex min-h-11 items-center font-medium text-accent underline"
            >
              All days
            </Link>
          </>
        )}
      </figcaption>
    </figure>
  )
}

function sentenceOf(day: DayVolume, whose = ''): string {
  return `${dayText(Date.parse(day.date), 'UTC')}${whose}: ${counted(day)}`
}

function counted({ delivered, failed }: Pick<DayVolume, 'delivered' | 'failed'>): string {
  return `${delivered.toLocaleString('en-AU')} delivered, ${failed.toLocaleString('en-AU')} failed`
}

function Bar({ day: { delivered, failed }, most }: { day: DayVolume; most: number }) {
  const tall = (count: number) => (count === 0 ? 0 : Math.max(2, (count / most) * HEIGHT))
  const [good, bad] = [tall(delivered), tall(failed)]
  return (
    <svg aria-hidden="true" viewBox={`0 0 1 ${HEIGHT}`} preserveAspectRatio="none" className="h-10 w-full">
      <rect y={HEIGHT - good} width="1" height={good} className="fill-working" />
      <rect y={HEIGHT - good - bad} width="1" height={bad} className="fill-failing" />
    </svg>
  )
}
