import { CircleCheck, CircleSlash, CircleX, Clock } from 'lucide-react'
import { timingParts } from '#app/domain/deliveries/attempt-timing.ts'
import { StatusPill } from '#app/ui/badge.tsx'
import { CardSection } from '#app/ui/card.tsx'
import { Disclosure } from '#app/ui/disclosure.tsx'
import { EmptyState } from '#app/ui/empty-state.tsx'
import { Time } from '#app/ui/time/time.tsx'
import { TimeSplit } from '#app/ui/time/time-split.tsx'
import { durationText } from '#app/ui/time/time-text.ts'
import type { AttemptView, DeliveryView } from '../delivery-detail.ts'

/** Lists every attempt, newest first: its result, the time of each phase, and the answer. */
export function DeliveryAttempts({ delivery }: { delivery: DeliveryView }) {
  const { attempts, attemptsMade } = delivery
  const listed = attempts.filter((attempt) => attempt.sent).length
  const dashes = attempts.some(({ timing }) => timing !== null && Object.values(timing).includes(null))
  return (
    <CardSection id="attempts" title="Attempts">
      {attempts.length === 0 ? (
        <EmptyState icon={Clock} title="Not tried so far">
          <p>Every attempt is listed here with what the address answered and how long it took.</p>
        </EmptyState>
      ) : (
        <>
          <ol className="grid gap-4 divide-y divide-line">
            {attempts.map((attempt, index) => (
              <li key={`${attempt.number}-${attempt.at}`} className="grid gap-2 [&:not(:first-child)]:pt-4">
                <Attempt attempt={attempt} open={index === 0} />
              </li>
            ))}
          </ol>
          <div className="mt-4 grid gap-1 text-dense text-ink-soft">
            {listed < attemptsMade ? <p>{`The latest ${listed} of ${attemptsMade} attempts.`}</p> : null}
            {dashes ? (
              <p>– means there was nothing to measure: no such step, an open connection, or it did not get that far.</p>
            ) : null}
          </div>
        </>
      )}
    </CardSection>
  )
}

function Attempt({ attempt, open }: { attempt: AttemptView; open: boolean }) {
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
      {timing === null ? null : <TimeSplit parts={timingParts(timing)} />}
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
