import { useRevalidator } from '@remix-run/react'
import { CircleAlert, CircleCheck, CirclePause, CircleSlash, type LucideIcon, OctagonAlert } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { accountAddress } from '#app/domain/account-address.ts'
import type { LoopState } from '#app/domain/process-signs.ts'
import { sizeText } from '#app/domain/size-text.ts'
import { dayText, grouped, spanText } from '#app/domain/time/moments.ts'
import { days, seconds } from '#app/lib/duration.ts'
import { useAnnounce } from '#app/ui/announcer.tsx'
import { askOwnServer } from '#app/ui/ask-own-server.tsx'
import { StatusPill, type Tone, toneStyles } from '#app/ui/badge.tsx'
import { ReloadLink } from '#app/ui/button.tsx'
import { Curve } from '#app/ui/chart/curve.tsx'
import { EmptyState } from '#app/ui/empty-state.tsx'
import { Meter } from '#app/ui/meter.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { Fact, Facts } from '#app/ui/page/facts.tsx'
import { PageHeader } from '#app/ui/page/page-header.tsx'
import { PauseButton } from '#app/ui/page/pause-button.tsx'
import { AccountTimeProvider, Time, useZone } from '#app/ui/time/time.tsx'
import { QUARTERS } from '../day-curves.ts'
import { addressesText, groupText } from '../failure-class.ts'
import {
  type DeliveringView,
  LOOP_TEXTS,
  type OperatorFacts,
  type OperatorView,
  type SpaceView,
} from '../operator-view.ts'
import { AccountsCard } from './accounts-card.tsx'
import { BackupsCard, KeptCard, MachineCard, RefusedCard } from './installation-cards.tsx'
import { Part } from './part.tsx'

export const OPERATOR_REFRESH_MS = seconds(10)

interface OperatorPageProps {
  /** The operator's own account, as named in the address. */
  accountUUID: string
  accountName: string
  /** IANA zone of that account. */
  timezone: string
  /** The account that the page asks about signing everyone out of; else null. */
  asked: string | null
  view: OperatorView
}

/** "Is everything fine?": the answer first, then the evidence. */
export function OperatorPage({ accountUUID, accountName, timezone, asked, view }: OperatorPageProps) {
  const [paused, setPaused] = useState(false)
  const alone = view.delivering.instances === null
  const stale = useLiveOperator(accountUUID, paused)
  return (
    <AccountTimeProvider now={view.now} zone={timezone}>
      <PageHeader
        title="Operator"
        overline={accountName}
        back={{ to: `/?${new URLSearchParams({ accountUUID, admin: 'yes' })}`, words: 'Back to webhooks' }}
        summary={<Verdict view={view} />}
      />
      {stale === null ? null : <NotFresh why={stale} since={view.now} paused={paused} />}
      {view.held ? <Held /> : null}
      <div className="grid items-start gap-5 lg:grid-cols-2 lg:gap-6">
        <DayCard curves={view.curves} space={view.space} now={view.now} alone={alone} />
        <DeliveringCard delivering={view.delivering} />
        <SpaceCard space={view.space} />
        <AccountsCard accounts={view.accounts} accountUUID={accountUUID} asked={asked} />
        <FailingCard failing={view.failing} />
        <BackupsCard backups={view.backups} sandbox={view.machine.platform === 'sandbox'} />
        <RefusedCard
          audit={view.audit}
          all={accountAddress({ accountUUID, admin: true }, 'activity', { log: 'all' })}
        />
        <MachineCard machine={view.machine} alone={alone} />
        <KeptCard kept={view.kept} />
      </div>
      <div className="needs-script mt-5 flex flex-wrap items-center gap-x-4 text-dense text-ink-soft print:hidden">
        <p>{paused ? 'Paused.' : 'Refreshed every 10 seconds.'}</p>
        <PauseButton paused={paused} onPaused={setPaused} />
      </div>
      <p className="without-script mt-5 print:hidden">
        <ReloadLink>Refresh</ReloadLink>
      </p>
    </AccountTimeProvider>
  )
}

const LOOKS: Record<OperatorView['verdict']['tone'], LucideIcon> = {
  working: CircleCheck,
  attention: CircleAlert,
  failing: OctagonAlert,
}

function Verdict({ view }: { view: OperatorView }) {
  const { verdict, troubles } = view
  const Icon = LOOKS[verdict.tone]
  useVerdictAnnounced(verdict.sentence, verdict.tone)
  return (
    <div className={`grid gap-2 rounded-card px-4 py-3.5 ${toneStyles[verdict.tone]}`}>
      <p className="flex items-start gap-2.5 font-semibold">
        <Icon aria-hidden className="mt-0.5 size-5 shrink-0" />
        <span className="min-w-0 wrap-anywhere">{verdict.sentence}</span>
      </p>
      {troubles.length > 1 ? (
        <ul className="ml-5 grid list-disc gap-1 pl-2.5 text-label">
          {troubles.map(({ sentence }) => (
            <li key={sentence} className="wrap-anywhere">
              {sentence}
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  )
}

/** Announces a changed answer, not every refresh. */
function useVerdictAnnounced(sentence: string, tone: string): void {
  const announce = useAnnounce()
  const last = useRef(tone)
  useEffect(() => {
    if (last.current === tone) return
    last.current = tone
    announce(sentence)
  }, [announce, sentence, tone])
}

/** How to release a restored copy. */
function Held() {
  return (
    <Notice tone="attention" title="This copy is on hold" className="mb-5">
      <p>
        Check it first: <code>npm run release</code> shows what waits. Release it: <code>npm run release -- --yes</code>
        . In the container: <code>node scripts/release.mjs</code>. If HOLD=yes is set, remove it and apply that.
      </p>
    </Notice>
  )
}

function NotFresh({ why, since, paused }: { why: Stale; since: number; paused: boolean }) {
  const again = paused ? null : 'Trying again every 10 seconds.'
  return (
    <Notice
      tone="failing"
      title={why === 'signed_out' ? 'You are no longer signed in' : 'Fieldhook does not answer'}
      className="mb-5"
    >
      <p>
        This page is from <Time at={since} as="clock" />.{' '}
        {why === 'signed_out' ? 'Sign in again to refresh it.' : again}
      </p>
    </Notice>
  )
}

/** Events, the oldest due delivery and the database over the last 24 hours. */
function DayCard({ curves, space, now, alone }: Pick<OperatorFacts, 'curves' | 'space' | 'now'> & { alone: boolean }) {
  const zone = useZone()
  const { usedBytes, budgetBytes, outlook } = space
  const full = outlook.daysLeft === null ? '' : `, full about ${dayText(now + days(outlook.daysLeft), zone)}`
  return (
    <Part id="day" title={alone ? curves.title : `This instance: ${curves.title}`} className="lg:col-span-2">
      <div className="grid gap-4 sm:grid-cols-3 sm:gap-6">
        <Curve {...curves.events} places={QUARTERS} />
        <Curve {...curves.overdue} places={QUARTERS} />
        <Curve
          sentence={`Database: ${sizeText(usedBytes)} of ${sizeText(budgetBytes)}${full}.`}
          values={curves.size}
          places={QUARTERS}
        />
      </div>
    </Part>
  )
}

/** Failing endpoints per account, since when and how; no addresses. */
function FailingCard({ failing }: { failing: OperatorFacts['failing'] }) {
  const { groups, addresses, accounts, more } = failing
  return (
    <Part id="failing" title="Failing addresses">
      {groups.length === 0 ? (
        <EmptyState icon={CircleCheck} title="No failing addresses">
          <p>You will see accounts with failing receivers here.</p>
        </EmptyState>
      ) : (
        <>
          <p className="text-label text-ink-soft">
            {addressesText(addresses)} of {accounts === 1 ? 'one account' : `${accounts} accounts`}. Their owners see
            how to mend it.
          </p>
          <ul aria-labelledby="failing-title" className="mt-2 grid">
            {groups.map((group) => (
              <li key={group.accountUuid} className="grid gap-0.5 border-line border-t py-2.5 first:border-t-0">
                <p className="wrap-anywhere text-label font-medium">{group.accountName || 'Without a name'}</p>
                <p className="text-dense text-ink-soft">
                  {groupText(group)}, since <Time at={group.since} as="clock" />
                  {group.switchedOff > 0 ? `; ${group.switchedOff} switched off after 72 hours` : null}
                </p>
              </li>
            ))}
          </ul>
          {more ? (
            <p className="mt-2 text-dense text-ink-soft">There are more. Those that fail longest are listed.</p>
          ) : null}
        </>
      )}
    </Part>
  )
}

/** How full the database is, what uses the space, and the forecast. */
function SpaceCard({ space }: { space: SpaceView }) {
  const { usedBytes, budgetBytes, outlook, kinds } = space
  return (
    <Part id="space" title="Space">
      <Meter
        label="Database"
        value={usedBytes}
        most={budgetBytes}
        words={`${sizeText(usedBytes)} of ${sizeText(budgetBytes)}`}
        tone={space.level === 'enough' ? 'accent' : 'attention'}
      />
      <p className="mt-3 text-label">{space.sentence}</p>
      <p className="mt-1 text-label text-ink-soft">{outlook.sentence}</p>
      <Facts className="mt-4">
        <Fact name={space.walBytes === null ? 'On the server' : 'File'}>
          {sizeText(space.fileBytes)}, {sizeText(space.freeBytes)} free
        </Fact>
        {space.walBytes === null ? null : <Fact name="Write-ahead log">{sizeText(space.walBytes)}</Fact>}
        {space.diskFreeBytes === null ? null : <Fact name="Free on the disk">{sizeText(space.diskFreeBytes)}</Fact>}
        <Fact name="Accounts over their share">{space.overShare === null ? 'None' : grouped(space.overShare)}</Fact>
      </Facts>
      <h3 className="mt-4 border-line border-t pt-4 text-label font-medium">Largest parts</h3>
      <ul className="mt-2 grid gap-1.5">
        {kinds.map(({ words, bytes, rows, estimated }) => (
          <li key={words} className="grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-4 text-label">
            <span className="text-ink-soft">
              {words}
              {rows === null ? null : ` (${estimated ? 'about ' : ''}${grouped(rows)})`}
            </span>
            <span className="tabular-nums">about {sizeText(bytes)}</span>
          </li>
        ))}
      </ul>
    </Part>
  )
}

const LOOPS: Record<LoopState, { tone: Tone; icon: LucideIcon }> = {
  turning: { tone: 'working', icon: CircleCheck },
  held: { tone: 'held', icon: CirclePause },
  ending: { tone: 'held', icon: CircleSlash },
  elsewhere: { tone: 'attention', icon: CircleSlash },
  silent: { tone: 'failing', icon: OctagonAlert },
}

/** The key figure, and pending deliveries. */
function DeliveringCard({ delivering }: { delivering: DeliveringView }) {
  const { oldestDueAgeMs, waiting, waitingBytes, held, backingOff, instances, loopDelayMs } = delivering
  return (
    <Part
      id="delivering"
      title="Deliveries"
      action={
        <StatusPill {...(delivering.ready ? LOOPS.turning : LOOPS.silent)}>
          {delivering.ready ? 'Ready' : 'Not ready'}
        </StatusPill>
      }
    >
      <p className="text-label">
        {oldestDueAgeMs < 1_000 ? (
          'Nothing is overdue.'
        ) : (
          <>
            The oldest due delivery waits for <strong>{spanText(oldestDueAgeMs)}</strong>.
          </>
        )}
      </p>
      <Facts className="mt-4">
        <Fact name="Waiting">
          {grouped(waiting)}
          {waiting > 0 ? ` (${sizeText(waitingBytes)})` : null}
        </Fact>
        <Fact name="In flight">{grouped(delivering.inFlight)}</Fact>
        <Fact name="On hold">{grouped(held)}</Fact>
        <Fact name="Retrying">{grouped(backingOff)}</Fact>
        {instances?.members ? <Fact name="Instances">{instances.members}</Fact> : null}
      </Facts>
      <ul className="mt-4 grid gap-2 border-line border-t pt-4">
        {delivering.loops.map(({ name, state, inFlight, lastBeatAt }) => (
          <li key={name} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
            <span className="text-label">
              {name}
              <span className="text-dense text-ink-soft">
                {inFlight > 0 ? ` · ${grouped(inFlight)} at work` : null}
                {lastBeatAt !== null && state === 'silent' ? (
                  <>
                    {' · last seen '}
                    <Time at={lastBeatAt} />
                  </>
                ) : null}
              </span>
            </span>
            <StatusPill {...LOOPS[state]}>{LOOP_TEXTS[state]}</StatusPill>
          </li>
        ))}
      </ul>
      <p className="mt-3 text-dense text-ink-soft">
        Start delay p99: {loopDelayMs === null ? '–' : `${Math.max(1, Math.round(loopDelayMs))} ms`}
      </p>
    </Part>
  )
}

type Stale = 'signed_out' | 'no_answer'

/**
 * Refreshes the page while it is visible and not paused, with a small request first: a failed reload would replace it
 * just when it is needed. Returns why the shown data is stale; null = it is fresh.
 */
function useLiveOperator(accountUUID: string, paused: boolean): Stale | null {
  const { revalidate } = useRevalidator()
  const again = useRef(revalidate)
  again.current = revalidate
  const [stale, setStale] = useState<Stale | null>(null)
  const over = paused || stale === 'signed_out'
  useEffect(() => {
    if (over) return
    let ended = false
    async function check() {
      if (document.hidden) return
      const found = await ask(accountUUID)
      if (ended) return
      setStale(found)
      if (found === null) again.current()
    }
    const timer = setInterval(() => void check(), OPERATOR_REFRESH_MS)
    return () => {
      ended = true
      clearInterval(timer)
    }
  }, [accountUUID, over])
  return stale
}

async function ask(accountUUID: string): Promise<Stale | null> {
  try {
    const answer = await askOwnServer(`/api/sessions?${new URLSearchParams({ accountUUID })}`)
    if (answer.ok) return null
    return answer.status === 401 || answer.status === 404 ? 'signed_out' : 'no_answer'
  } catch {
    return 'no_answer'
  }
}
