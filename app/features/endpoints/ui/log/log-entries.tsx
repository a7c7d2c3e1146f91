import { CircleCheck, CircleX, Clock } from 'lucide-react'
import { timingParts } from '#app/domain/deliveries/attempt-timing.ts'
import { objectLabel } from '#app/domain/object-catalog.ts'
import { passesFields } from '#app/features/events/fan-out.ts'
import type { ForwardingResultView, LogEntryView } from '#app/features/events/log-view.ts'
import type { Millis } from '#app/lib/clock.ts'
import { StatusPill } from '#app/ui/badge.tsx'
import { Disclosure } from '#app/ui/disclosure.tsx'
import { Time } from '#app/ui/time/time.tsx'
import { TimeSplit } from '#app/ui/time/time-split.tsx'
import { durationText } from '#app/ui/time/time-text.ts'
import { VisuallyHidden } from '#app/ui/visually-hidden.tsx'
import { LogEntryActions, type LogOwner } from './log-entry-actions.tsx'

const NO_FORWARDING = 'No forwarding configured for this webhook'
const OTHER_FIELDS = 'Not forwarded: none of the chosen fields changed.'

interface LogEntriesProps {
  entries: LogEntryView[]
  /** Include the receivers' answers. */
  details: boolean
  owner?: LogOwner
}

/** Lists events, newest first, each with its results. */
export function LogEntries({ entries, details, owner }: LogEntriesProps) {
  return (
    <ol className="divide-y divide-line">
      {entries.map((entry) => (
        <li key={entry.id} className="grid gap-2 px-3 py-3 text-label">
          <LogEntry entry={entry} details={details} fields={owner?.fields ?? []} />
          {owner ? <LogEntryActions entry={entry} owner={owner} /> : null}
        </li>
      ))}
    </ol>
  )
}

interface LogEntryProps {
  entry: LogEntryView
  details: boolean
  fields: readonly string[]
}

function LogEntry({ entry, details, fields }: LogEntryProps) {
  return (
    <>
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5">
        <span title={entry.objectUuid} className="min-w-0 wrap-anywhere font-semibold">
          {entry.test ? `Test: ${entry.recordName}` : entry.recordName}
        </span>
        {entry.recordName === objectLabel(entry.type) && !entry.test ? (
          <span className="order-last w-full min-w-0 break-all font-mono text-dense text-ink-soft sm:order-none sm:w-auto">
            {entry.objectUuid}
          </span>
        ) : null}
        <Time
          at={entry.receivedAt}
          as="clock"
          className="ml-auto whitespace-nowrap text-dense text-ink-soft tabular-nums"
        />
      </div>
      <p className="wrap-anywhere text-dense">
        <span className="text-ink-soft">Changed fields: </span>
        {entry.changedFields.length === 0 ? '–' : entry.changedFields.join(', ')}
      </p>
      <Forwarding entry={entry} details={details} fields={fields} />
    </>
  )
}

function Forwarding({ entry, details, fields }: LogEntryProps) {
  if (entry.deliveries.length === 0) {
    const passes = passesFields(fields.join(','), entry.changedFields)
    return <p className="text-dense text-ink-soft">{passes ? NO_FORWARDING : OTHER_FIELDS}</p>
  }
  const deliveries = byDelivery(entry.forwardingResults)
  return (
    <ul className="grid gap-2">
      {deliveries.map(({ latest, earlier }) => (
        <li key={latest.deliveryId} className="grid gap-1 border-line border-l-2 pl-3">
          <Attempt result={latest} details={details} />
          {earlier.length > 0 ? (
            <Disclosure
              dense
              summary={earlier.length === 1 ? 'One earlier attempt' : `${earlier.length} earlier attempts`}
            >
              <ol className="grid gap-3 pl-1">
                {earlier.map((result) => (
                  <li key={result.attempt} className="grid gap-1">
                    <Attempt result={result} details={details} />
                  </li>
                ))}
              </ol>
            </Disclosure>
          ) : null}
        </li>
      ))}
      {entry.deliveries.map(({ id, url, rule, waits }) =>
        waits ? (
          <li key={id} className="grid gap-1 border-line border-l-2 pl-3 text-dense">
            <span>
              <StatusPill tone="held" icon={Clock}>
                Waiting to be sent
              </StatusPill>
            </span>
            <Place url={url} rule={rule} />
            <NextAttempt at={waits.nextAt} />
          </li>
        ) : null,
      )}
    </ul>
  )
}

/** The destination; for a forwarding rule, the rule's name with its address. */
function Place({ url, rule }: { url: string; rule?: string | undefined }) {
  return (
    <p className="text-dense text-ink-soft">
      {rule === undefined ? null : <span className="wrap-anywhere font-medium text-ink">{rule}: </span>}
      <span className="break-all">{url}</span>
    </p>
  )
}

function NextAttempt({ at }: { at: Millis | null }) {
  if (at === null) return null
  return (
    <p className="text-dense text-ink-soft">
      Next attempt <Time at={at} as="next" />.
    </p>
  )
}

function Attempt({ result, details }: { result: ForwardingResultView; details: boolean }) {
  const ofAttempt = ` of delivery ${result.deliveryId}, attempt ${result.attempt}`
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-dense tabular-nums">
        <StatusPill tone={result.success ? 'working' : 'failing'} icon={result.success ? CircleCheck : CircleX}>
          {result.success ? 'Success' : 'Failed'}
        </StatusPill>
        {result.timing === null ? (
          <span>Not sent</span>
        ) : (
          <>
            <span>{result.statusCode === null ? 'No answer' : `Status ${result.statusCode}`}</span>
            <span title="Response time">{durationText(result.responseTime)}</span>
          </>
        )}
        <span className="text-ink-soft">
          {result.timing === null ? null : `Attempt ${result.attempt}, `}
          <Time at={result.at} as="clock" />
        </span>
      </div>
      {result.timing === null ? null : <TimeSplit parts={timingParts(result.timing)} />}
      <Place url={result.url} rule={result.rule} />
      {result.error ? <p className="wrap-anywhere text-label">{result.error}</p> : null}
      <NextAttempt at={result.nextAttemptAt} />
      {details && result.responseBody ? (
        <Disclosure
          dense
          summary={
            <>
              Response<VisuallyHidden>{ofAttempt}</VisuallyHidden>
            </>
          }
        >
          <pre className="max-h-60 overflow-auto whitespace-pre-wrap break-all rounded-control bg-sunken p-3 font-mono text-dense">
            {result.responseBody}
          </pre>
        </Disclosure>
      ) : null}
    </>
  )
}

/** Groups results by delivery: the latest attempt, and the earlier ones, newest first. */
function byDelivery(results: readonly ForwardingResultView[]) {
  const groups = new Map<number, ForwardingResultView[]>()
  for (const result of results) groups.set(result.deliveryId, [...(groups.get(result.deliveryId) ?? []), result])
  return [...groups.values()].flatMap((group) => {
    const [latest, ...earlier] = [...group].sort((a, b) => b.attempt - a.attempt)
    return latest ? [{ latest, earlier }] : []
  })
}
