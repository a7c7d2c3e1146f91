import { Link } from '@remix-run/react'
import { RefreshCw, RotateCcw, Send, Trash2, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { automationAddress, automationQuery } from '#app/domain/automations/automation-address.ts'
import { runAddress, whyAddress } from '#app/domain/automations/history-address.ts'
import { AddressButton } from '#app/ui/address-button.tsx'
import { toneStyles } from '#app/ui/badge.tsx'
import { cardStyles } from '#app/ui/card.tsx'
import { Disclosure } from '#app/ui/disclosure.tsx'
import { PostButton } from '#app/ui/form/post-button.tsx'
import { Fact } from '#app/ui/page/facts.tsx'
import { Time, usePresent } from '#app/ui/time/time.tsx'
import type { MetCustomer } from '../../settings/mute.ts'
import type { RunOffers, RunView } from '../run-detail-view.ts'
import { Customers } from './customer-card.tsx'
import { HistoryFrame, type HistoryFrameProps } from './history-frame.tsx'
import { StartedLater } from './run-list.tsx'
import { RunPill, runMark } from './run-pills.tsx'
import { RunSteps } from './run-steps.tsx'
import { useRecheck } from './use-recheck.tsx'

interface RunPageProps extends HistoryFrameProps {
  run: RunView
  /** Customers of the run; empty = unknown, or too many. */
  customers?: readonly MetCustomer[]
}

/** One run: what happened, step by step, its customers, and what a person can do. */
export function RunPage({ run, customers = [], ...frame }: RunPageProps) {
  const { account } = frame
  const { line, steps, offers } = run
  useRecheck(run.isLive)
  return (
    <HistoryFrame {...frame} title={run.title} place={null} summary={<Standing run={run} />}>
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_20rem] lg:gap-6">
        <RunSteps run={run} />
        <section aria-label="This run" className={`${cardStyles} grid min-w-0 gap-4 p-4 sm:p-5`}>
          {customers.length === 0 ? null : (
            <div>
              <h2 className="mb-2 font-semibold text-title">{customers.length === 1 ? 'Customer' : 'Customers'}</h2>
              <Customers customers={customers} account={account} />
            </div>
          )}
          <RunControls runId={line.id} offers={offers} retryAtStep={steps.some((step) => step.mark === 'failed')} />
          {run.endedAt === null ? (
            <div className="-ml-4">
              <AddressButton query={automationQuery(account)} variant="quiet" icon={RefreshCw}>
                Refresh
              </AddressButton>
            </div>
          ) : null}
          <Technical run={run} account={account} />
        </section>
      </div>
    </HistoryFrame>
  )
}

/** One line under the title; a box when something needs a person, or did not go well. */
function Standing({ run: { line, changes } }: { run: RunView }) {
  const { tone, icon: Icon, word } = runMark(line.standing)
  const now = usePresent()
  const because = changes[0] ?? line.because
  return (
    <div className="grid gap-2">
      <p className="wrap-anywhere flex flex-wrap items-center gap-x-2 gap-y-1 text-label text-ink-soft">
        <RunPill standing={line.standing} />
        <span>
          <span className="font-medium text-ink">{line.ruleName}</span> ·{' '}
          <Time at={line.at} as="clock" className="tabular-nums" />
          <StartedLater at={line.startedAt} />
          {because === '' ? null : ` · ${because}`}
        </span>
      </p>
      {line.standing === 'success' ? null : (
        <div
          className={`wrap-anywhere flex items-start gap-2.5 rounded-control px-3.5 py-3 ${tone === 'neutral' ? 'bg-surface' : toneStyles[tone]}`}
        >
          <Icon aria-hidden className="mt-0.5 size-5 shrink-0" />
          <p className="min-w-0">
            <strong className="font-semibold">{word}.</strong> {line.happened}
            {line.goesOnAt === null || line.goesOnAt <= now ? null : (
              <>
                {' '}
                Continues <Time at={line.goesOnAt} />.
              </>
            )}
          </p>
        </div>
      )}
    </div>
  )
}

/** For support: the numbers and ids of the run. */
function Technical({ run, account }: Pick<RunPageProps, 'run' | 'account'>) {
  const { line, version, groupKey, recordUuids, object, replayOf, startedAt, endedAt } = run
  const [record] = recordUuids
  const link = 'inline-flex min-h-11 items-center text-accent text-label underline underline-offset-4'
  return (
    <div>
      <p>
        <Link to={`${automationAddress(account, { step: 'edit', ruleId: line.ruleId })}#rule-form`} className={link}>
          Edit the automation
        </Link>
      </p>
      {replayOf === null ? null : (
        <p>
          <Link to={runAddress(account, replayOf)} className={link}>
            Repeats run {replayOf}
          </Link>
        </p>
      )}
      {record !== undefined && object === 'job' && recordUuids.length === 1 ? (
        <p>
          <Link to={whyAddress(account, record)} className={link}>
            Other automations on this job
          </Link>
        </p>
      ) : null}
      <Disclosure dense summary="Technical">
        <dl className="grid gap-2 text-dense">
          <Fact name="Run">{line.id}</Fact>
          <Fact name="Automation">
            {line.ruleName}, version {version}
          </Fact>
          <Fact name="Started">{startedAt === null ? 'Not yet' : <Time at={startedAt} as="clock" />}</Fact>
          {endedAt === null ? null : (
            <Fact name="Finished">
              <Time at={endedAt} as="clock" />
            </Fact>
          )}
          {groupKey === null ? null : <Fact name="Group">{groupKey}</Fact>}
          {record === undefined ? null : (
            <Fact name={recordUuids.length > 1 ? 'Record ids' : 'Record id'}>
              <ul className="break-all font-mono">
                {recordUuids.map((uuid) => (
                  <li key={uuid}>{uuid}</li>
                ))}
              </ul>
            </Fact>
          )}
        </dl>
      </Disclosure>
    </div>
  )
}

interface RunControlsProps {
  runId: number
  offers: RunOffers
  /** The failed step has its own button. */
  retryAtStep: boolean
}

/** Each button says what it will do; one that resends has to be opened first. */
function RunControls({ runId, offers, retryAtStep }: RunControlsProps) {
  const { failedAgain, allAgain, today, release, discard, cancel } = offers
  const run = String(runId)
  if (Object.values(offers).every((offer) => offer === null)) return null
  return (
    <div className="grid gap-4">
      <Offer says={release}>
        <PostButton wraps values={{ act: 'release', run }} variant="primary" icon={Send}>
          Send it
        </PostButton>
      </Offer>
      <Offer says={discard}>
        <PostButton wraps values={{ act: 'discard', run }} variant="danger-quiet" icon={Trash2}>
          Discard
        </PostButton>
      </Offer>
      <Offer says={retryAtStep ? null : failedAgain}>
        <PostButton wraps values={{ act: 'failed_again', run }} variant="primary" icon={RotateCcw}>
          Run failed steps again
        </PostButton>
      </Offer>
      <Offer says={cancel}>
        <PostButton wraps values={{ act: 'cancel', run }} variant="danger-quiet" icon={X}>
          Cancel this run
        </PostButton>
      </Offer>
      {allAgain === null ? null : (
        <Disclosure summary="Run again…">
          <Offer says={allAgain}>
            <PostButton wraps values={{ act: 'all_again', run }} icon={RotateCcw}>
              Run all again
            </PostButton>
          </Offer>
        </Disclosure>
      )}
      {today === null ? null : (
        <Disclosure summary="Run again as it is today…">
          <Offer says={today}>
            <PostButton wraps values={{ act: 'today', run }} icon={RotateCcw}>
              Run as it is today
            </PostButton>
          </Offer>
        </Disclosure>
      )}
    </div>
  )
}

/** Nothing where `says` is null. */
function Offer({ says, children }: { says: string | null; children: ReactNode }) {
  if (says === null) return null
  return (
    <div className="grid justify-items-start gap-1.5">
      <p className="wrap-anywhere text-label">{says}</p>
      {children}
    </div>
  )
}
