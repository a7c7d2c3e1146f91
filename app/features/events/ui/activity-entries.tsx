import {
  ArrowLeftRight,
  CircleCheck,
  CircleX,
  DoorOpen,
  KeyRound,
  type LucideIcon,
  ShieldCheck,
  Webhook,
} from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { iso } from '#app/lib/clock.ts'
import { Badge, StatusPill } from '#app/ui/badge.tsx'
import { Disclosure } from '#app/ui/disclosure.tsx'
import { ScrollRegion } from '#app/ui/scroll-region.tsx'
import { Time, useZone } from '#app/ui/time/time.tsx'
import { exactTime } from '#app/ui/time/time-text.ts'
import type { ActivityItem, ApiItem, ShownData, WebhookItem } from '../activity-view.ts'

interface ActivityEntriesProps {
  items: readonly ActivityItem[]
  /** Part of the URL of the calls that return everything. */
  accountUUID: string
}

/** Newest first: rows on a wide screen, cards on a phone. */
export function ActivityEntries({ items, accountUUID }: ActivityEntriesProps) {
  const query = new URLSearchParams({ accountUUID })
  return (
    <ol
      aria-labelledby="activity-title"
      className="grid gap-3 sm:block sm:rounded-card sm:border sm:border-line sm:bg-surface sm:shadow-rest"
    >
      {items.map((item) => (
        <li
          key={item.key}
          className="grid gap-x-4 gap-y-1.5 rounded-card border border-line bg-surface px-4 pt-3 pb-1 shadow-rest sm:grid-cols-[11rem_minmax(0,1fr)] sm:rounded-none sm:border-x-0 sm:border-b-0 sm:bg-transparent sm:shadow-none sm:first:border-t-0"
        >
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

function WebhookEntry({ item, whole }: { item: WebhookItem; whole: string }) {
  return (
    <>
      <Head kind="Webhook" icon={Webhook} at={item.at} />
      <div className="grid min-w-0 gap-1">
        <p className="flex flex-wrap items-baseline gap-x-3 text-label">
          <span className="wrap-anywhere font-semibold">{item.objectLabel}</span>
          <span className="break-all font-mono text-dense text-ink-soft">{item.objectUuid}</span>
        </p>
        <Facts>
          <Fact name="Changed fields">{item.changedFields.length === 0 ? '–' : item.changedFields.join(', ')}</Fact>
        </Facts>
        <Disclosure dense summary="Raw data">
          <Facts>
            <Fact name="Received">
              <ExactTime at={item.at} />
            </Fact>
            <Fact name="Object type">{item.objectType}</Fact>
          </Facts>
          <Data name="Raw data" data={item.data} nothing="No longer kept." whole={whole} />
        </Disclosure>
      </div>
    </>
  )
}

const KIND_ICONS: Record<string, LucideIcon> = {
  'Challenge Response': ShieldCheck,
  'Sign-in': KeyRound,
  Opening: DoorOpen,
  Webhook,
}

function ApiEntry({ item, whole }: { item: ApiItem; whole: string }) {
  return (
    <>
      <Head kind={item.label} icon={KIND_ICONS[item.label] ?? ArrowLeftRight} at={item.at} />
      <div className="grid min-w-0 gap-1">
        <p className="break-all font-mono text-dense">
          <span className="font-semibold">{item.method}</span> {item.endpoint}
        </p>
        <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
          <StatusPill
            tone={item.status.tone === 'normal' ? 'working' : 'failing'}
            icon={item.status.tone === 'normal' ? CircleCheck : CircleX}
          >
            {item.status.words}
          </StatusPill>
          <Facts>
            <Fact name="Duration">{item.durationMs === null ? '–' : `${item.durationMs} ms`}</Fact>
            <Fact name="Remote IP">{item.remoteIp ?? '–'}</Fact>
          </Facts>
        </div>
        <Disclosure dense summary="Request and response">
          <Facts>
            <Fact name="Recorded">
              <ExactTime at={item.at} />
            </Fact>
            {item.userAgent === null ? null : <Fact name="User agent">{item.userAgent}</Fact>}
          </Facts>
          <Data name="Request data" data={item.request} nothing="Nothing was sent along." whole={whole} />
          <Data name="Response data" data={item.response} nothing="Nothing came back." whole={whole} />
        </Disclosure>
      </div>
    </>
  )
}

/** The kind and the time: side by side on a phone, stacked in a row. */
function Head({ kind, icon, at }: { kind: string; icon: LucideIcon; at: number }) {
  return (
    <div className="flex min-w-0 flex-wrap items-center justify-between gap-x-3 gap-y-1 sm:flex-col sm:items-start sm:justify-start">
      <Badge icon={icon} tone={kind === 'Webhook' ? 'accent' : 'neutral'}>
        {kind}
      </Badge>
      <Time at={at} className="whitespace-nowrap text-dense text-ink-soft tabular-nums" />
    </div>
  )
}

function ExactTime({ at }: { at: number }) {
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
