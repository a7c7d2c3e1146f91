import { ArrowLeftRight, ChevronRight, DoorOpen, KeyRound, type LucideIcon, ShieldCheck, Webhook } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { iso } from '#app/lib/clock.ts'
import { ScrollRegion } from '#app/ui/scroll-region.tsx'
import { useZone } from '#app/ui/time/time.tsx'
import { exactTime } from '#app/ui/time/time-text.ts'
import type { ActivityItem, ApiItem, ShownData, WebhookItem } from '../activity-view.ts'
import { fieldsShown } from '../fields-shown.ts'
import { RowLine, type RowLineProps } from './row-line.tsx'

interface ActivityEntriesProps {
  items: readonly ActivityItem[]
  /** Part of the URL of the calls that return everything. */
  accountUUID: string
}

/** Newest first, one line each. */
export function ActivityEntries({ items, accountUUID }: ActivityEntriesProps) {
  const query = new URLSearchParams({ accountUUID })
  return (
    <ol aria-labelledby="activity-title" className="rounded-card border border-line bg-surface shadow-rest">
      {items.map((item) => (
        <li key={item.key} className="border-line border-t first:border-t-0">
          {item.kind === 'webhook' ? (
            <WebhookEntry item={item} whole={`/api/webhook-activity?${query}`} />
          ) : (
            <ApiEntry item={item} whole={`/api/api-activity?${query}`} />
          )}
        </li>
      ))}
    </ol>
  )
}

/** One row; opens to everything that is known, without scripts. */
function Entry({ line, children }: { line: RowLineProps; children: ReactNode }) {
  return (
    <details className="group/entry">
      <summary className="flex cursor-pointer list-none items-center gap-2 px-3 hover:bg-sunken sm:px-4">
        <RowLine {...line} />
        <ChevronRight aria-hidden className="size-4 shrink-0 text-ink-soft group-open/entry:rotate-90" />
      </summary>
      <div className="px-3 pb-3 sm:px-4">{children}</div>
    </details>
  )
}

function WebhookEntry({ item, whole }: { item: WebhookItem; whole: string }) {
  const changed = item.changedFields.length === 0 ? '–' : item.changedFields.join(', ')
  const shown = fieldsShown(item.changedFields)
  return (
    <Entry
      line={{
        icon: Webhook,
        tone: 'accent',
        kind: 'Webhook',
        at: item.at,
        what: item.recordName,
        detail: shown,
        end: null,
      }}
    >
      <Facts>
        <Fact name="Changed fields">{changed}</Fact>
        <Fact name="Received">
          <ExactTime at={item.at} />
        </Fact>
        <Fact name="Object type">{item.objectType}</Fact>
        <Fact name="Record id">{item.objectUuid}</Fact>
      </Facts>
      <Data name="Raw data" data={item.data} nothing="No longer kept." whole={whole} />
    </Entry>
  )
}

const KIND_ICONS: Record<string, LucideIcon> = {
  'Challenge Response': ShieldCheck,
  'Sign-in': KeyRound,
  Opening: DoorOpen,
  Webhook,
}

function ApiEntry({ item, whole }: { item: ApiItem; whole: string }) {
  const isFine = item.status.tone === 'normal'
  const status = <span className={isFine ? 'text-ink-soft' : 'font-semibold text-failing'}>{item.status.words}</span>
  const icon = KIND_ICONS[item.label] ?? ArrowLeftRight
  const tone = isFine ? 'neutral' : 'failing'
  return (
    <Entry line={{ icon, tone, at: item.at, what: `${item.method} ${item.endpoint}`, detail: item.label, end: status }}>
      <Facts>
        <Fact name="Duration">{item.durationMs === null ? '–' : `${item.durationMs} ms`}</Fact>
        <Fact name="Remote IP">{item.remoteIp ?? '–'}</Fact>
        <Fact name="Recorded">
          <ExactTime at={item.at} />
        </Fact>
        {item.userAgent === null ? null : <Fact name="User agent">{item.userAgent}</Fact>}
      </Facts>
      <Data name="Request data" data={item.request} nothing="The request had no body." whole={whole} />
      <Data name="Response data" data={item.response} nothing="The response had no body." whole={whole} />
    </Entry>
  )
}

export function ExactTime({ at }: { at: number }) {
  const zone = useZone()
  return <time dateTime={iso(at)}>{exactTime(at, zone)}</time>
}

function Facts({ children }: { children: ReactNode }) {
  return <dl className="flex min-w-0 flex-wrap gap-x-4 gap-y-0.5 text-dense tabular-nums">{children}</dl>
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0 wrap-anywhere">
      <dt className="inline text-ink-soft">{name}: </dt>
      <dd className="inline">{children}</dd>
    </div>
  )
}

interface DataProps {
  name: string
  data: ShownData | null
  /** The text when there is no data. */
  nothing: string
  /** Where to find the full data when it is cut here. */
  whole: string
}

/** Untrusted text, rendered as text. */
function Data({ name, data, nothing, whole }: DataProps) {
  const id = useId()
  if (data === null) {
    return (
      <p className="mt-2 text-dense">
        <span className="text-ink-soft">{name}: </span>
        {nothing}
      </p>
    )
  }
  return (
    <div className="mt-2 grid gap-1">
      <p id={id} className="text-dense text-ink-soft">
        {name}
      </p>
      <ScrollRegion labelledBy={id} className="max-h-96 overflow-auto rounded-control bg-sunken p-3">
        <pre className="whitespace-pre-wrap break-all font-mono text-dense">{data.text}</pre>
      </ScrollRegion>
      {data.cutFrom === null ? null : (
        <p className="text-dense text-ink-soft">
          The beginning of {data.cutFrom} characters.{' '}
          <a href={whole} className="inline-flex min-h-11 items-center font-medium text-accent underline">
            All of it, as JSON
          </a>
        </p>
      )}
    </div>
  )
}
