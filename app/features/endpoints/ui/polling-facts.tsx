import { Telescope } from 'lucide-react'
import type { ReactNode } from 'react'
import { type PollState, pollingSentence } from '#app/domain/polling.ts'
import { Time } from '#app/ui/time/time.tsx'

/** Replaces our address on the card: the platform posts nothing for this object, so we poll. */
export function PollingFacts({ objectType, polling }: { objectType: string; polling: PollState }) {
  return (
    <div className="grid gap-2 rounded-control bg-sunken px-3.5 py-3 text-label">
      <PollingNote objectType={objectType} />
      <dl className="flex flex-wrap gap-x-8 gap-y-1.5 pl-6.5">
        <Moment label="Last checked">{polling.lastOkAt === null ? 'Not yet' : <Time at={polling.lastOkAt} />}</Moment>
        <Moment label="Next check">
          <Time at={polling.nextAt} as="next" />
        </Moment>
      </dl>
    </div>
  )
}

/** Explains why events of this object arrive a little later than others. */
export function PollingNote({ objectType }: { objectType: string }) {
  return (
    <p className="flex items-start gap-2.5">
      <Telescope aria-hidden className="mt-0.5 size-4 shrink-0 text-ink-soft" />
      <span className="min-w-0">{pollingSentence(objectType)}</span>
    </p>
  )
}

function Moment({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-dense text-ink-soft">{label}</dt>
      <dd>{children}</dd>
    </div>
  )
}
