import { SearchX } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { type AccountPage, type LinkAccount, managerAddress, searchAddress } from '#app/domain/delivery-address.ts'
import { useAnnounce } from '#app/ui/announcer.tsx'
import { ButtonLink } from '#app/ui/button.tsx'
import { Card } from '#app/ui/card.tsx'
import { EmptyState } from '#app/ui/empty-state.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PageHeader } from '#app/ui/page/page-header.tsx'
import { AccountTimeProvider, Time } from '#app/ui/time/time.tsx'
import {
  asksNothing,
  type DayVolume,
  limitSentence,
  SEARCH_STATUSES,
  type SearchAnswer,
  type SearchChoices,
  type SearchForm,
  STATUS_TEXTS,
  type StatusCounts,
} from '../search-view.ts'
import { Chips } from './chips.tsx'
import { DayBars } from './day-bars.tsx'
import { SearchFields } from './search-form.tsx'
import { SearchHits, Troubles } from './search-hits.tsx'

export interface SearchPageProps extends AccountPage {
  /** As typed. */
  form: SearchForm
  choices: SearchChoices
  /** The fields that cannot be parsed, with their errors. */
  errors: Record<string, string[]>
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
  const account: LinkAccount = { accountUUID, admin }
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

type StatusChipsProps = { account: LinkAccount; form: SearchForm; statuses: StatusCounts }

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

interface ResultProps {
  account: LinkAccount
  form: SearchForm
  before: string
  answer: SearchAnswer
  logEnds: string
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
      <Troubles hits={hits} />
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
          No delivery for “{form.id}”{onlyId(form) ? '' : ' with these filters'}. Check the spelling, or paste an id.
        </p>
      )}
    </EmptyState>
  )
}

function onlyId(form: SearchForm): boolean {
  return asksNothing({ ...form, id: '' })
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
