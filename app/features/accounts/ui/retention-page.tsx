import { type KeptId, type KeptKind, MOST_COUNTED } from '#app/domain/kept-until.ts'
import { grouped } from '#app/domain/time/moments.ts'
import type { Millis } from '#app/lib/clock.ts'
import { CardSection } from '#app/ui/card.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { Time } from '#app/ui/time/time.tsx'
import { type AccountFrameProps, AccountPartFrame } from './account-frame.tsx'

interface Counted {
  count: number
  oldestAt: Millis | null
}

export interface RetentionPageProps extends AccountFrameProps {
  kinds: KeptKind[]
  /** How much of each counted kind the account has. */
  counts: Partial<Record<KeptId, Counted>>
  /** Why retention is shorter for now; null when it is not. */
  shortage: string | null
}

/** Shows what is stored, how long, why, and how much: the account's own numbers. */
export function RetentionPage({ kinds, counts, shortage, ...frame }: RetentionPageProps) {
  return (
    <AccountPartFrame {...frame} title="Data retention">
      {shortage === null ? null : (
        <Notice tone="attention" className="mb-4">
          <p>{shortage}</p>
        </Notice>
      )}
      <CardSection id="kept" title="How long we keep data">
        <dl className="grid gap-x-8 gap-y-4 sm:grid-cols-2 lg:grid-cols-3">
          {kinds.map(({ id, what, long, why }) => (
            <div key={id} className="grid min-w-0 content-start gap-0.5">
              <dt className="text-label font-medium">{what}</dt>
              <dd className="text-label">{long}</dd>
              {why === '' && counts[id] === undefined ? null : (
                <dd className="text-dense text-ink-soft">
                  {why} <Yours counted={counts[id]} />
                </dd>
              )}
            </div>
          ))}
        </dl>
      </CardSection>
    </AccountPartFrame>
  )
}

function Yours({ counted }: { counted: Counted | undefined }) {
  if (counted === undefined) return null
  if (counted.count === 0 || counted.oldestAt === null) return 'You have none.'
  const count = counted.count > MOST_COUNTED ? `more than ${grouped(MOST_COUNTED)}` : grouped(counted.count)
  return (
    <>
      You have {count}, the oldest from <Time at={counted.oldestAt} as="clock" />.
    </>
  )
}
