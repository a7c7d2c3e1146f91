import { CircleCheck, Hourglass, type LucideIcon, OctagonAlert } from 'lucide-react'
import type { RunOfBackup } from '#app/domain/operations.ts'
import { sizeText } from '#app/domain/size-text.ts'
import { StatusPill, type Tone } from '#app/ui/badge.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { Time } from '#app/ui/time/time.tsx'
import { durationText } from '#app/ui/time/time-text.ts'
import { NO_BACKUPS } from '../backups.ts'
import type { BackupsView } from '../operator-view.ts'
import { Part } from './part.tsx'

const OUTCOMES: Record<RunOfBackup['outcome'], { tone: Tone; icon: LucideIcon; words: string }> = {
  done: { tone: 'working', icon: CircleCheck, words: 'Done' },
  running: { tone: 'held', icon: Hourglass, words: 'Running' },
  failed: { tone: 'failing', icon: OctagonAlert, words: 'Failed' },
}

/** The backups, and the nightly drills that test their restore. */
export function BackupsCard({ backups, sandbox }: { backups: BackupsView; sandbox: boolean }) {
  const { setUp, lastBackupAt, lastDrillAt, runs } = backups
  return (
    <Part id="backups" title="Backups and drills">
      {setUp ? (
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
