import { Link, useRevalidator } from '@remix-run/react'
import { RefreshCw } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { automationQuery } from '#app/domain/automations/automation-address.ts'
import { runAddress, whyAddress } from '#app/domain/automations/history-address.ts'
import { seconds } from '#app/lib/duration.ts'
import { AddressButton } from '#app/ui/address-button.tsx'
import { toneStyles } from '#app/ui/badge.tsx'
import { CardSection } from '#app/ui/card.tsx'
import { Time, usePresent } from '#app/ui/time/time.tsx'
import type { RunView } from '../run-detail-view.ts'
import { CustomerCard, type MetCustomerView } from './customer-card.tsx'
import { MatchedRecords } from './executed-parts.tsx'
import { HistoryFrame, type HistoryFrameProps } from './history-frame.tsx'
import { RunControls } from './run-controls.tsx'
import { runMark } from './run-pills.tsx'
import { RunSteps } from './run-steps.tsx'

interface RunPageProps extends HistoryFrameProps {
  run: RunView
  /** Customers of the run; empty = unknown, or too many. */
  customers?: readonly MetCustomerView[]
}

/** One run: its customers, its events, and the available actions. */
export function RunPage({ run, customers = [], ...frame }: RunPageProps) {
  const { account } = frame
  const { line, steps, offers } = run
  useRecheck(run.isLive)
  return (
    <HistoryFrame
      {...frame}
      title={line.customer === '' ? line.job : `${line.job} · ${line.customer}`}
      place={null}
      summary={<Standing run={run} />}
    >
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_20rem] lg:gap-6">
        <div className="grid min-w-0 gap-5">
          <RunSteps runId={line.id} steps={steps} failedAgain={offers.failedAgain} />
        </div>
        <div className="grid min-w-0 gap-5">
          <CardSection
            id="controls"
            title="What you can do"
            action={
              <AddressButton query={automationQuery(account)} variant="quiet" icon={RefreshCw}>
                Refresh
              </AddressButton>
            }
          >
            <RunControls runId={line.id} offers={offers} />
          </CardSection>
          <CustomerCard customers={customers} account={account} />
          <About run={run} account={account} />
        </div>
      </div>
    </HistoryFrame>
  )
}

function Standing({ run: { line } }: { run: RunView }) {
  const { tone, icon: Icon, word } = runMark(line.standing)
  const now = usePresent()
  return (
    <div
      className={`flex items-start gap-2.5 rounded-control px-3.5 py-3 ${tone === 'neutral' ? 'bg-surface' : toneStyles[tone]}`}
    >
      <Icon aria-hidden className="mt-0.5 size-5 shrink-0" />
      <div className="wrap-anywhere grid min-w-0 gap-1">
        <p>
          <strong className="font-semibold">{word}.</strong> {line.happened}
        </p>
        {line.goesOnAt === null || line.goesOnAt <= now ? null : (
          <p className="text-label">
            It goes on <Time at={line.goesOnAt} />.
          </p>
        )}
      </div>
    </div>
  )
}

function About({ run, account }: Pick<RunPageProps, 'run' | 'account'>) {
  const { line, version, source, groupKey, changes, matched, recordUuids, object, replayOf, startedAt, endedAt } = run
  const [record] = recordUuids
  return (
    <CardSection id="about" title="About this run">
      <dl className="grid gap-3 text-label">
        <Fact name="Automation">
          {line.ruleName} <span className="text-ink-soft">as it was then (version {version})</span>
        </Fact>
        <Fact name="Set off by">{source}</Fact>
        {changes.length === 0 ? null : (
          <Fact name="What changed">
            <ul className="grid gap-0.5">
              {changes.map(({ field, from, to }) => (
                <li key={field}>
                  {field}: {from === null || from === '' ? 'empty' : `"${from}"`} → {to === '' ? 'empty' : `"${to}"`}
                </li>
              ))}
            </ul>
          </Fact>
        )}
        {matched === null ? null : (
          <Fact name="Conditions">
            <MatchedRecords matched={matched} />
          </Fact>
        )}
        {groupKey === null ? null : <Fact name="Group">{groupKey}</Fact>}
        <Fact name="Started">{startedAt === null ? 'Not yet' : <Time at={startedAt} as="clock" />}</Fact>
        {endedAt === null ? null : (
          <Fact name="Ended">
            <Time at={endedAt} as="clock" />
          </Fact>
        )}
        {replayOf === null ? null : (
          <Fact name="Done once more">
            <Link
              to={runAddress(account, replayOf)}
              className="inline-flex min-h-11 items-center text-accent underline underline-offset-4"
            >
              Run {replayOf} was the first
            </Link>
          </Fact>
        )}
        {record === undefined ? null : (
          <Fact name={recordUuids.length > 1 ? 'Records' : 'Record'}>
            <ul className="break-all font-mono text-dense">
              {recordUuids.map((uuid) => (
                <li key={uuid}>{uuid}</li>
              ))}
            </ul>
            {object === 'job' && recordUuids.length === 1 ? (
              <Link
                to={whyAddress(account, record)}
                className="inline-flex min-h-11 items-center text-accent underline underline-offset-4"
              >
                Other automations for this job
              </Link>
            ) : null}
          </Fact>
        )}
        <Fact name="Number of this run">{line.id}</Fact>
      </dl>
    </CardSection>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid gap-0.5">
      <dt className="text-dense text-ink-soft">{name}</dt>
      <dd className="wrap-anywhere">{children}</dd>
    </div>
  )
}

const LOOK_AGAIN_MS = seconds(3)

/** Refreshes the page while the run is in progress. */
function useRecheck(isLive: boolean): void {
  const { revalidate } = useRevalidator()
  const again = useRef(revalidate)
  again.current = revalidate
  useEffect(() => {
    if (!isLive) return
    const timer = setInterval(() => {
      if (!document.hidden) again.current()
    }, LOOK_AGAIN_MS)
    return () => clearInterval(timer)
  }, [isLive])
}
