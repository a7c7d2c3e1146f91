import { CircleCheck, CirclePause, CircleSlash, type LucideIcon, OctagonAlert } from 'lucide-react'
import { grouped } from '#app/domain/count-text.ts'
import type { LoopState } from '#app/domain/process-signs.ts'
import { sizeText } from '#app/domain/size-text.ts'
import { spanText } from '#app/domain/time/moments.ts'
import { StatusPill, type Tone } from '#app/ui/badge.tsx'
import { Time } from '#app/ui/time/time.tsx'
import { type DeliveringView, LOOP_TEXTS } from '../operator-view.ts'
import { Fact, Facts } from './facts.tsx'
import { Part } from './part.tsx'

const LOOPS: Record<LoopState, { tone: Tone; icon: LucideIcon }> = {
  turning: { tone: 'working', icon: CircleCheck },
  held: { tone: 'held', icon: CirclePause },
  ending: { tone: 'held', icon: CircleSlash },
  elsewhere: { tone: 'attention', icon: CircleSlash },
  silent: { tone: 'failing', icon: OctagonAlert },
}

/** The key figure, and pending deliveries. */
export function DeliveringCard({ delivering }: { delivering: DeliveringView }) {
  const { oldestDueAgeMs, waiting, waitingBytes, held, backingOff, loopDelayMs } = delivering
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
