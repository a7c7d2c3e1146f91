import type { Mute } from '#app/domain/automations/receipt.ts'
import { Time } from '#app/ui/time/time.tsx'
import { SOMEBODY } from '../settings-text.ts'

/** Who muted it, when, and for how long. */
export function MutedSince({ mute: { createdAt, by, until } }: { mute: Pick<Mute, 'createdAt' | 'by' | 'until'> }) {
  return (
    <p className="wrap-anywhere text-dense text-ink-soft">
      {by ?? SOMEBODY} stopped this <Time at={createdAt} />
      {until === null ? null : (
        <>
          , until <Time at={until} as="clock" />
        </>
      )}
      .
    </p>
  )
}
