import { ArrowLeft, CircleAlert, CircleCheck, type LucideIcon, OctagonAlert } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { accountAddress } from '#app/domain/account-address.ts'
import { useAnnounce } from '#app/ui/announcer.tsx'
import { toneStyles } from '#app/ui/badge.tsx'
import { ButtonLink, ReloadLink } from '#app/ui/button.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PageHeader } from '#app/ui/page/page-header.tsx'
import { AccountTimeProvider, Time } from '#app/ui/time/time.tsx'
import type { OperatorView } from '../operator-view.ts'
import { AccountsCard } from './accounts-card.tsx'
import { BackupsCard } from './backups-card.tsx'
import { DayCard } from './day-card.tsx'
import { DeliveringCard } from './delivering-card.tsx'
import { FailingCard } from './failing-card.tsx'
import { KeptCard, MachineCard, RefusedCard } from './installation-cards.tsx'
import { type Stale, useLiveOperator } from './live-operator.tsx'
import { SpaceCard } from './space-card.tsx'

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
  const stale = useLiveOperator(accountUUID)
  return (
    <AccountTimeProvider now={view.now} zone={timezone}>
      <PageHeader
        title="Operator"
        overline={accountName}
        actions={
          <ButtonLink
            to={`/?${new URLSearchParams({ accountUUID, admin: 'yes' })}`}
            className="print:hidden"
            icon={ArrowLeft}
          >
            Back to webhooks
          </ButtonLink>
        }
        summary={<Verdict view={view} />}
      />
      {stale === null ? null : <NotFresh why={stale} since={view.now} />}
      {view.held ? <Held /> : null}
      <div className="grid items-start gap-5 lg:grid-cols-2 lg:gap-6">
        <DayCard curves={view.curves} space={view.space} now={view.now} />
        <DeliveringCard delivering={view.delivering} />
        <SpaceCard space={view.space} />
        <AccountsCard accounts={view.accounts} accountUUID={accountUUID} asked={asked} />
        <FailingCard failing={view.failing} />
        <BackupsCard backups={view.backups} sandbox={view.machine.platform === 'sandbox'} />
        <RefusedCard
          audit={view.audit}
          all={accountAddress({ accountUUID, admin: true }, 'activity', { log: 'all' })}
        />
        <MachineCard machine={view.machine} />
        <KeptCard kept={view.kept} />
      </div>
      <p className="needs-script mt-5 text-dense text-ink-soft print:hidden">Refreshed every 10 seconds.</p>
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
        . In the container: <code>node scripts/release.mjs</code>. If HOLD=yes is set, remove it and restart.
      </p>
    </Notice>
  )
}

function NotFresh({ why, since }: { why: Stale; since: number }) {
  return (
    <Notice
      tone="failing"
      title={why === 'signed_out' ? 'You are no longer signed in' : 'Fieldhook does not answer'}
      className="mb-5"
    >
      <p>
        This page is from <Time at={since} as="clock" />.{' '}
        {why === 'signed_out' ? 'Sign in again to refresh it.' : 'Trying again every 10 seconds.'}
      </p>
    </Notice>
  )
}
