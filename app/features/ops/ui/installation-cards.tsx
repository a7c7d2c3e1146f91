import { CircleCheck, Hourglass, type LucideIcon, OctagonAlert, ShieldCheck } from 'lucide-react'
import type { KeptKind } from '#app/domain/kept-until.ts'
import type { RunOfBackup } from '#app/domain/operations.ts'
import { sizeText } from '#app/domain/size-text.ts'
import { grouped } from '#app/domain/time/moments.ts'
import { StatusPill, type Tone } from '#app/ui/badge.tsx'
import { ButtonLink } from '#app/ui/button.tsx'
import { ClosedSection } from '#app/ui/card.tsx'
import { EmptyState } from '#app/ui/empty-state.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { Fact, Facts } from '#app/ui/page/facts.tsx'
import { Time } from '#app/ui/time/time.tsx'
import { durationText } from '#app/ui/time/time-text.ts'
import { NO_BACKUPS } from '../doctor-facts.ts'
import type { AuditView, BackupsView, MachineView } from '../operator-view.ts'
import { Part } from './part.tsx'

/** Counts of the last day's refusals and of acts that interest an operator. `all` = the page that lists them. */
export function RefusedCard({ audit, all }: { audit: AuditView; all: string }) {
  return (
    <Part id="refused" title="Refused and changed, last 24 hours">
      {audit.lines.length === 0 ? (
        <EmptyState icon={ShieldCheck} title="Nothing was refused">
          <p>You will see refused requests, new keys and removed data here.</p>
        </EmptyState>
      ) : (
        <ul aria-labelledby="refused-title" className="grid">
          {audit.lines.map(({ words, refused, count, latestAt }) => (
            <li
              key={`${words} ${refused}`}
              className="flex flex-wrap items-baseline justify-between gap-x-4 border-line border-t py-2 text-label first:border-t-0"
            >
              <span className="min-w-0">{words}</span>
              <span className="text-dense text-ink-soft tabular-nums">
                {audit.atLeast ? 'at least ' : null}
                {count === 1 ? 'once' : `${grouped(count)} times`}, last <Time at={latestAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
      <ButtonLink to={all} variant="quiet" className="-ml-4 mt-2 print:hidden">
        Who did what, all accounts
      </ButtonLink>
    </Part>
  )
}

const PAYMENTS: Record<MachineView['payments'], string> = {
  stripe: 'Stripe',
  sandbox: 'Sandbox, no charges',
  off: 'Off, no limits',
}

/** Of several instances, it shows the one that answers. */
export function MachineCard({ machine, alone }: { machine: MachineView; alone: boolean }) {
  return (
    <Part id="machine" title={alone ? 'This installation' : 'This instance'}>
      <Facts>
        <Fact name="Fieldhook">{machine.version}</Fact>
        <Fact name="Started">
          <Time at={machine.startedAt} />
        </Fact>
        <Fact name="Platform">{machine.platform === 'sandbox' ? 'Sandbox: a pretend ServiceM8' : 'ServiceM8'}</Fact>
        <Fact name="Card payments">{PAYMENTS[machine.payments]}</Fact>
        <Fact name="Mail server for notices">{machine.mailServer ? 'Set' : 'None: ServiceM8 sends them'}</Fact>
        <Fact name="Notices without an e-mail, last 24 hours">{grouped(machine.untoldNotices)}</Fact>
        <Fact name="Schema">{machine.schema} migrations</Fact>
        <Fact name="Runs on">
          Node {machine.node.replace(/^v/, '')}, {machine.database}
        </Fact>
        <Fact name="Memory in use">{sizeText(machine.memoryBytes)}</Fact>
      </Facts>
    </Part>
  )
}

/** Uses the same numbers as the jobs. */
export function KeptCard({ kept }: { kept: KeptKind[] }) {
  return (
    <div className="lg:col-span-2">
      <ClosedSection id="kept" title="Data retention">
        <dl className="grid gap-x-6 gap-y-3 sm:grid-cols-2 lg:grid-cols-3">
          {kept.map(({ id, what, long }) => (
            <div key={id} className="grid min-w-0 content-start gap-0.5">
              <dt className="text-label font-medium">{what}</dt>
              <dd className="text-label text-ink-soft">{long}</dd>
            </div>
          ))}
        </dl>
      </ClosedSection>
    </div>
  )
}

const OUTCOMES: Record<RunOfBackup['outcome'], { tone: Tone; icon: LucideIcon; words: string }> = {
  done: { tone: 'working', icon: CircleCheck, words: 'Done' },
  running: { tone: 'held', icon: Hourglass, words: 'Running' },
  failed: { tone: 'failing', icon: OctagonAlert, words: 'Failed' },
}

/** The backups, and the nightly drills that test their restore. */
export function BackupsCard({ backups, sandbox }: { backups: BackupsView; sandbox: boolean }) {
  const { setUp, runs } = backups
  return (
    <Part id="backups" title="Backups and drills">
      {setUp === 'server' ? (
        <p className="text-label">The database server makes the backups (docs/operating.md, section 6).</p>
      ) : setUp === 'copy' ? (
        <p className="text-label">A held copy makes no backups.</p>
      ) : setUp ? (
        <LastMade backups={backups} />
      ) : (
        <Notice tone={sandbox ? 'accent' : 'attention'}>
          <p>{NO_BACKUPS}</p>
          {sandbox ? <p>The sandbox needs none.</p> : null}
        </Notice>
      )}
      {runs.length === 0 ? null : (
        <ul aria-labelledby="backups-title" className="mt-2 grid">
          {runs.map((run) => (
            <Run key={run.id} run={run} />
          ))}
        </ul>
      )}
    </Part>
  )
}

function LastMade({ backups: { lastBackupAt, lastDrillAt } }: { backups: BackupsView }) {
  return (
    <p className="text-label">
      {lastBackupAt === null ? (
        'No backup yet. The first comes within the hour.'
      ) : (
        <>
          Last backup <Time at={lastBackupAt} />, due every hour.
        </>
      )}{' '}
      {lastDrillAt === null ? (
        'No test restore yet; one is due every night.'
      ) : (
        <>
          Last test restore <Time at={lastDrillAt} />.
        </>
      )}
    </p>
  )
}

function Run({ run }: { run: RunOfBackup }) {
  const { tone, icon, words } = OUTCOMES[run.outcome]
  const took = run.endedAt === null ? null : durationText(run.endedAt - run.startedAt)
  return (
    <li className="grid gap-1 border-line border-t py-2.5 first:border-t-0">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <p className="text-label">
          {run.kind === 'backup' ? 'Backup' : 'Drill'}, <Time at={run.startedAt} as="clock" />
        </p>
        <StatusPill tone={tone} icon={icon}>
          {words}
        </StatusPill>
      </div>
      {run.outcome === 'done' ? (
        <p className="text-dense text-ink-soft">
          {sizeText(run.databaseBytes)}
          {run.storedBytes > 0 ? `, stored as ${sizeText(run.storedBytes)}` : null}
          {took === null ? null : `, in ${took}`}
        </p>
      ) : null}
      {run.message === '' ? null : <p className="wrap-anywhere text-dense text-ink-soft">{run.message}</p>}
    </li>
  )
}
