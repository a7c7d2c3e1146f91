import { Form, useLocation, useNavigation } from '@remix-run/react'
import { History, MessageCircle, PartyPopper, Play, Search, SearchX, Send, Square, Trash2 } from 'lucide-react'
import { useEffect, useRef } from 'react'
import type { AutomationAccount } from '#app/domain/automations/automation-address.ts'
import { historyQuery, RUNS_PATH, runsAddress } from '#app/domain/automations/history-address.ts'
import { RUN_STATUSES } from '#app/domain/automations/run-record.ts'
import { plural } from '#app/domain/time/moments.ts'
import { useAnnounce } from '#app/ui/announcer.tsx'
import { Button, ButtonLink } from '#app/ui/button.tsx'
import { Card } from '#app/ui/card.tsx'
import { MoreFilters } from '#app/ui/disclosure.tsx'
import { EmptyState } from '#app/ui/empty-state.tsx'
import { useFilledAfresh } from '#app/ui/form/filled-afresh.ts'
import { PostButton } from '#app/ui/form/post-button.tsx'
import { useSearchKey } from '#app/ui/form/search-key.ts'
import { SelectField } from '#app/ui/form/select.tsx'
import { TextField } from '#app/ui/form/text-input.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { ReconnectLink } from '#app/ui/reconnect-notice.tsx'
import { Time, usePresent } from '#app/ui/time/time.tsx'
import type { AnswerView, ListeningNote } from '../../listening/answers.ts'
import {
  asksNothingOfHistory,
  type HistoryData,
  type HistoryField,
  type HistoryForm,
  historyFormOf,
  STATUS_LABELS,
} from '../history-form.ts'
import { type RunLine, runsByDay } from '../run-list-view.ts'
import { HistoryFrame, type HistoryFrameProps } from './history-frame.tsx'
import { RunList } from './run-list.tsx'

export interface HistoryPageProps extends HistoryFrameProps, HistoryData {}

/** All runs, newest first. The address holds the whole search, so it can be bookmarked. */
export function HistoryPage(props: HistoryPageProps) {
  const { account, form, errors, lines, held, answers, moreAnswers, listening } = props
  useFoundAnnounced(props)
  return (
    <HistoryFrame {...props} title="Run history" place={asksWhatNeedsYou(form) ? 'needs_you' : 'runs'}>
      <div className="grid gap-5">
        <AnswersCard answers={answers} more={moreAnswers} />
        <ListeningLine note={listening} accountUUID={account.accountUUID} />
        <RunFilter {...props} />
        {errors.before ? (
          <Notice tone="failing" title="This page of the history does not exist">
            <p>The link is incomplete. Press Find for the newest.</p>
          </Notice>
        ) : null}
        {held > 0 ? <HeldOfRule form={form} held={held} account={account} /> : null}
        {lines === null ? null : <FoundRuns {...props} lines={lines} />}
      </div>
    </HistoryFrame>
  )
}

/** Announces the place and the number of runs when another search, tab or page is drawn in place. */
function useFoundAnnounced({ form, lines, next, isOlder }: HistoryPageProps): void {
  const announce = useAnnounce()
  const asked = JSON.stringify([form, new URLSearchParams(useLocation().search).get('before')])
  const place = isOlder ? 'Older runs. ' : asksNothingOfHistory(form) ? 'All runs. ' : ''
  const needsYou = asksWhatNeedsYou(form)
  const nothing = nothingOf(form, isOlder).title
  const last = useRef(asked)
  useEffect(() => {
    if (lines === null || last.current === asked) return
    last.current = asked
    const more = next === null ? '' : ', and older ones'
    const runs = needsYou ? plural(lines.length, 'run needs you', 'runs need you') : plural(lines.length, 'run')
    announce(lines.length === 0 ? `${nothing}.` : `${place}${runs}${more}.`)
  }, [lines, next, nothing, place, needsYou, asked, announce])
}

export function asksWhatNeedsYou({ status }: HistoryForm): boolean {
  return status === 'needs_you'
}

function FoundRuns({ account, form, lines, next, isOlder, timezone }: HistoryPageProps & { lines: RunLine[] }) {
  const now = usePresent()
  const isCut = next !== null || isOlder
  return (
    <section aria-labelledby="runs-title" className="grid gap-3">
      <div>
        <h2 id="runs-title" className="font-semibold text-title">
          {asksWhatNeedsYou(form) ? 'What needs you' : 'Runs'}
        </h2>
        {lines.length === 0 ? null : (
          <p className="text-dense text-ink-soft">{isOlder ? 'Older ones, newest first.' : 'Newest first.'}</p>
        )}
      </div>
      {lines.length > 0 ? (
        runsByDay(lines, now, timezone, isCut).map(({ day, counts, lines: ofDay }, index) => (
          <div key={day} className="grid gap-2">
            <h3 id={`runs-day-${index}`} className="flex items-baseline gap-2 font-semibold text-label">
              {day} <span className="font-normal text-dense text-ink-soft">{counts}</span>
            </h3>
            <RunList lines={ofDay} account={account} labelledBy={`runs-title runs-day-${index}`} />
          </div>
        ))
      ) : (
        <Card>
          <Nothing form={form} isOlder={isOlder} account={account} />
        </Card>
      )}
      {isCut ? (
        <nav aria-label="Pages of the history" className="flex flex-wrap gap-2">
          {isOlder ? <ButtonLink to={runsAddress(account, { ...form })}>Newest</ButtonLink> : null}
          {next === null ? null : (
            <ButtonLink to={runsAddress(account, { ...form, before: String(next) })}>Older</ButtonLink>
          )}
        </nav>
      ) : null}
    </section>
  )
}

/** Handles many held runs at once, after a flood or "ask me first". */
function HeldOfRule({ form, held, account }: Pick<HistoryPageProps, 'form' | 'held' | 'account'>) {
  const runs = plural(held, 'run of this automation waits', 'runs of this automation wait')
  const { rule } = form
  // The buttons take all of them: above a search that shows a few, they would seem to take those.
  const status = asksWhatNeedsYou(form) || form.status === 'held' ? '' : form.status
  if (!asksNothingOfHistory({ ...form, rule: '', status }))
    return (
      <Card className="flex flex-wrap items-center justify-between gap-2 p-4">
        <p className="text-label">{runs} in all.</p>
        <ButtonLink to={runsAddress(account, { rule, status: 'needs_you' })}>Show all that wait</ButtonLink>
      </Card>
    )
  return (
    <Card className="grid gap-3 p-4">
      <p className="text-label">{runs} for you.</p>
      <div className="flex flex-wrap gap-2">
        <PostButton wraps values={{ act: 'release_all', rule }} variant="primary" icon={Send}>
          Send all
        </PostButton>
        <PostButton wraps values={{ act: 'discard_all', rule }} variant="danger-quiet" icon={Trash2}>
          Discard all
        </PostButton>
      </div>
    </Card>
  )
}

/** Why the list is empty. */
function nothingOf(form: HistoryForm, isOlder: boolean) {
  if (isOlder) return { icon: History, title: 'No older runs', text: 'You have seen all of them.' }
  if (asksNothingOfHistory(form)) {
    return { icon: History, title: 'Nothing has run yet', text: 'Every run of an automation appears here.' }
  }
  if (asksWhatNeedsYou(form) && asksNothingOfHistory({ ...form, status: '' })) {
    return { icon: PartyPopper, title: 'Nothing needs you', text: 'Runs that wait for your decision appear here.' }
  }
  return { icon: SearchX, title: 'No run fits', text: 'Try fewer filters, or a longer time.' }
}

function Nothing({ form, isOlder, account }: { form: HistoryForm; isOlder: boolean; account: AutomationAccount }) {
  const { icon, title, text } = nothingOf(form, isOlder)
  const all = icon === SearchX ? <ButtonLink to={runsAddress(account)}>Show all runs</ButtonLink> : null
  return (
    <EmptyState icon={icon} title={title} action={all}>
      <p>{text}</p>
    </EmptyState>
  )
}

const MORE: readonly HistoryField[] = ['rule', 'status', 'from', 'until', 'record']

/** A GET form: the search is in the address, with or without scripts. */
function RunFilter({ account, form, errors, rules }: HistoryPageProps) {
  const { state, location } = useNavigation()
  const searching = state === 'loading' && location?.pathname === RUNS_PATH
  const { turn, onSubmit } = useFilledAfresh(form, historyFormOf)
  const box = useSearchKey()
  const isUnknownRule = form.rule !== '' && !rules.some((rule) => String(rule.id) === form.rule)
  const fieldOf = (name: HistoryField) => ({
    id: `runs-${name}`,
    name,
    defaultValue: form[name],
    errors: errors[name],
  })
  return (
    <Form
      key={turn}
      onSubmit={onSubmit}
      method="get"
      action={RUNS_PATH}
      role="search"
      aria-label="Runs"
      className="grid gap-1"
    >
      {Object.entries(historyQuery(account)).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={String(value)} />
      ))}
      <div className="grid items-start gap-2 sm:grid-cols-[minmax(0,1fr)_auto]">
        <TextField
          {...fieldOf('text')}
          label="Search"
          ref={box}
          aria-keyshortcuts="/"
          type="search"
          autoComplete="off"
          placeholder="Job number, customer, words sent…"
        />
        <div className="flex flex-wrap gap-2 sm:pt-[1.625rem]">
          <Button type="submit" variant="primary" icon={Search} pending={searching} pendingLabel="Looking…">
            Find
          </Button>
          {asksNothingOfHistory(form) ? null : <ButtonLink to={runsAddress(account)}>Clear</ButtonLink>}
        </div>
      </div>
      <MoreFilters
        open={MORE.some(
          (name) => (form[name] !== '' && !(name === 'status' && form.status === 'needs_you')) || errors[name],
        )}
      >
        <div className="grid items-start gap-4 rounded-card border border-line bg-surface p-4 sm:grid-cols-2 lg:grid-cols-4">
          <SelectField
            {...fieldOf('rule')}
            label="Automation"
            none="Any"
            options={rules.map(({ id, name }) => [id, name])}
          >
            {isUnknownRule ? <option value={form.rule}>A deleted automation</option> : null}
          </SelectField>
          <SelectField
            {...fieldOf('status')}
            label="Status"
            none="Any"
            options={[...RUN_STATUSES].reverse().map((status) => [status, STATUS_LABELS[status]])}
          />
          <TextField {...fieldOf('from')} label="From day" type="date" />
          <TextField {...fieldOf('until')} label="Until day" type="date" />
          <div className="sm:col-span-2">
            <TextField
              {...fieldOf('record')}
              label="Record id"
              hint="Of a job or another record."
              code
              autoComplete="off"
              spellCheck={false}
            />
          </div>
        </div>
      </MoreFilters>
    </Form>
  )
}

// What customers answered and nobody has decided about, and what cannot be read.
function AnswersCard({ answers, more }: { answers: readonly AnswerView[]; more: boolean }) {
  if (answers.length === 0) return null
  return (
    <Card className="grid gap-3 p-4">
      <div>
        <h2 id="answers-title" className="font-semibold text-title">
          Customers answered
        </h2>
        <p className="text-label text-ink-soft">Automatic messages to them wait for you.</p>
      </div>
      <ul aria-labelledby="answers-title" className="grid gap-4">
        {answers.map((answer) => (
          <li key={answer.id} className="grid gap-2 border-line border-t pt-3 first:border-t-0 first:pt-0">
            <OneAnswer answer={answer} />
          </li>
        ))}
      </ul>
      {more ? <p className="text-label">Decide these first: older answers follow.</p> : null}
    </Card>
  )
}

function OneAnswer({ answer }: { answer: AnswerView }) {
  const { id, customer, job, channel, words, writtenAt } = answer
  const about = customer === '' ? job : `${job} · ${customer}`
  return (
    <>
      <p className="wrap-anywhere flex flex-wrap items-center gap-x-2 text-label">
        <MessageCircle aria-hidden className="size-4 shrink-0 text-ink-soft" />
        <span className="font-semibold">{about}</span>
        <span className="text-ink-soft">
          {channel === 'sms' ? 'by text' : 'by e-mail'}, <Time at={writtenAt} />
        </span>
      </p>
      <blockquote className="wrap-anywhere max-w-xl justify-self-start whitespace-pre-wrap rounded-card rounded-tr-none bg-sunken px-3.5 py-2.5 text-label">
        {words}
      </blockquote>
      <div className="flex flex-wrap gap-2">
        <PostButton
          wraps
          values={{ act: 'answer_go_on', answer: String(id) }}
          icon={Play}
          aria-label={`Go on: ${about}`}
        >
          Go on
        </PostButton>
        <PostButton
          wraps
          values={{ act: 'answer_stop', answer: String(id) }}
          icon={Square}
          aria-label={`Stop: ${about}`}
        >
          Stop
        </PostButton>
      </div>
    </>
  )
}

export function ListeningLine({ note, accountUUID }: { note: ListeningNote; accountUUID: string }) {
  switch (note) {
    case null:
      return null
    case 'refused':
      return (
        <div className="flex flex-wrap items-center gap-x-2 text-label text-ink-soft">
          <p>Reconnect to see receipts and answers.</p>
          <ReconnectLink accountUUID={accountUUID} />
        </div>
      )
    case 'no_answers':
      return (
        <Notice tone="accent" title="Answers cannot be read here">
          <p className="mb-2">ServiceM8 has shown us no customer answer yet. Ask customers to ring you.</p>
          <PostButton wraps values={{ act: 'listening_read' }}>
            Got it
          </PostButton>
        </Notice>
      )
  }
}
