import { CircleCheck, CircleSlash, CircleX, Clock } from 'lucide-react'
import { timingParts } from '#app/domain/deliveries/attempt-timing.ts'
import type { Millis } from '#app/lib/clock.ts'
import { hours, minutes } from '#app/lib/duration.ts'
import { StatusPill } from '#app/ui/badge.tsx'
import { CardSection } from '#app/ui/card.tsx'
import { Disclosure } from '#app/ui/disclosure.tsx'
import { EmptyState } from '#app/ui/empty-state.tsx'
import { Time, usePresent, useZone } from '#app/ui/time/time.tsx'
import { TimeSplit, totalOf } from '#app/ui/time/time-split.tsx'
import { clockTime, durationText } from '#app/ui/time/time-text.ts'
import type { AttemptView, DeliveryView } from '../delivery-detail.ts'

/** Lists every attempt, newest first: its result, the time of each phase, and the answer. */
export function DeliveryAttempts({ delivery }: { delivery: DeliveryView }) {
  const { attempts, attemptsMade } = delivery
  const listed = attempts.filter((attempt) => attempt.sent).length
  // One scale for all bars: the slowest attempt fills it.
  const scale = Math.max(0, ...attempts.map(({ timing }) => (timing === null ? 0 : totalOf(timingParts(timing)))))
  const dashes = attempts.some(({ timing }) => timing !== null && Object.values(timing).includes(null))
  return (
    <CardSection id="attempts" title="Attempts">
      {attempts.length === 0 ? (
        <EmptyState icon={Clock} title="Not tried so far">
          <p>Every attempt appears here, with its answer and its time.</p>
        </EmptyState>
      ) : (
        <>
          <AttemptTrack delivery={delivery} />
          <ol className="grid gap-4 divide-y divide-line">
            {attempts.map((attempt, index) => (
              <li key={`${attempt.number}-${attempt.at}`} className="grid gap-2 [&:not(:first-child)]:pt-4">
                <Attempt attempt={attempt} scale={scale} open={index === 0} />
              </li>
            ))}
          </ol>
          <div className="mt-4 grid gap-1 text-dense text-ink-soft">
            {listed < attemptsMade ? <p>{`The latest ${listed} of ${attemptsMade} attempts.`}</p> : null}
            {dashes ? <p>– nothing to measure, for example on a reused connection.</p> : null}
          </div>
        </>
      )}
    </CardSection>
  )
}

function Attempt({ attempt, scale, open }: { attempt: AttemptView; scale: number; open: boolean }) {
  const { number, at, sent, sentence, statusCode, durationMs, timing, url, peerIp, responseBody } = attempt
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-dense tabular-nums">
        <AttemptPill attempt={attempt} />
        {sent ? (
          <>
            <span className="font-semibold">Attempt {number}</span>
            <span>{statusCode === null ? 'No answer' : `Status ${statusCode}`}</span>
            <span title="Whole duration">{durationText(durationMs)}</span>
          </>
        ) : null}
        <Time at={at} as="clock" className="ml-auto whitespace-nowrap text-ink-soft" />
      </div>
      <p className="wrap-anywhere text-label">{sentence}</p>
      {timing === null ? null : <TimeSplit parts={timingParts(timing)} scale={scale} />}
      {sent ? (
        <p className="break-all text-dense text-ink-soft">
          {url}
          {peerIp === null ? null : (
            <span className="whitespace-nowrap">
              {' → '}
              <span className="font-mono">{peerIp}</span>
            </span>
          )}
        </p>
      ) : null}
      {responseBody === null || responseBody === '' ? null : (
        <Disclosure dense summary="Response" open={open}>
          <pre className="max-h-60 overflow-auto whitespace-pre-wrap break-all rounded-control bg-sunken p-3 font-mono text-dense">
            {responseBody}
          </pre>
        </Disclosure>
      )}
    </>
  )
}

function AttemptPill({ attempt: { sent, delivered } }: { attempt: AttemptView }) {
  if (!sent) {
    return (
      <StatusPill tone="neutral" icon={CircleSlash}>
        Not sent
      </StatusPill>
    )
  }
  return (
    <StatusPill tone={delivered ? 'working' : 'failing'} icon={delivered ? CircleCheck : CircleX}>
      {delivered ? 'Success' : 'Failed'}
    </StatusPill>
  )
}

/** How long a delivery is tried. */
const WHOLE = hours(72)
const TICKS: readonly [Millis, string][] = [
  [minutes(1), '1 min'],
  [hours(1), '1 h'],
  [hours(24), '1 day'],
]

/** From 4 to 96 percent. Retries grow apart, so the scale does too: the first minutes get as much room as the last days. */
function placeOf(after: Millis): number {
  const share = Math.log1p(Math.max(0, after) / minutes(1)) / Math.log1p(WHOLE / minutes(1))
  return Math.round((4 + 92 * Math.min(1, share)) * 10) / 10
}

/** Every attempt on a track of 72 hours, with the next one and the end. Nothing for a delivery that went out at once. */
function AttemptTrack({ delivery }: { delivery: DeliveryView }) {
  const { attempts, waiting, createdAt } = delivery
  const now = usePresent()
  const zone = useZone()
  const sent = attempts.filter((attempt) => attempt.sent)
  if (sent.length === 0 || (sent.length < 2 && waiting === null)) return null
  const failed = sent.filter((attempt) => !attempt.delivered).length
  const nextAt = waiting?.nextAt ?? null
  const says = [
    `${sent.length} ${sent.length === 1 ? 'attempt' : 'attempts'}, ${failed} failed`,
    nextAt === null ? '' : `next ${clockTime(nextAt, now, zone)}`,
    waiting === null ? '' : `gives up ${clockTime(waiting.until, now, zone)}`,
  ].filter(Boolean)
  const at = (after: Millis) => `${placeOf(after)}%`
  return (
    <figure className="mb-4 grid gap-1">
      <svg role="img" aria-label={says.join('; ')} className="h-12 w-full overflow-visible text-ink-soft">
        <line x1="4%" x2="96%" y1="14" y2="14" className="stroke-2 stroke-line" />
        {TICKS.map(([after, words]) => (
          <g key={words}>
            <line x1={at(after)} x2={at(after)} y1="8" y2="20" className="stroke-line-strong" />
            <text x={at(after)} y="38" textAnchor="middle" className="fill-ink-soft text-dense">
              {words}
            </text>
          </g>
        ))}
        <text x="100%" y="38" textAnchor="end" className="fill-ink-soft text-dense">
          72 h
        </text>
        {nextAt === null ? null : (
          <circle cx={at(nextAt - createdAt)} cy="14" r="7" className="fill-surface stroke-2 stroke-accent" />
        )}
        {sent.map((attempt) => (
          <g key={`${attempt.number}-${attempt.at}`}>
            <circle
              cx={at(attempt.at - createdAt)}
              cy="14"
              r="8"
              className={`stroke-2 stroke-surface ${attempt.delivered ? 'fill-working' : 'fill-failing'}`}
            />
            <text
              x={at(attempt.at - createdAt)}
              y="18"
              textAnchor="middle"
              className="fill-surface font-bold text-dense"
            >
              {attempt.delivered ? '✓' : '×'}
            </text>
          </g>
        ))}
      </svg>
      <figcaption aria-hidden className="text-dense text-ink-soft">
        {says.join(' · ')}
      </figcaption>
    </figure>
  )
}
