import { ChevronRight, CornerDownRight } from 'lucide-react'
import { type ComponentProps, lazy, memo, Suspense, useEffect, useState } from 'react'
import { grouped, plural } from '#app/domain/time/moments.ts'
import { hours } from '#app/lib/duration.ts'
import { Time, usePresent, useZone } from '#app/ui/time/time.tsx'
import { clockTime } from '#app/ui/time/time-text.ts'
import { type EndpointView, titleOf } from '../endpoint-view.ts'
import { type FormResult, resultFor } from '../form-result.ts'
import { receiverOf } from '../receiver.ts'
import { cardId, type ManagerStep } from './manager-address.ts'
import { ReceiverMark } from './receiver-mark.tsx'
import { StatusDot } from './status-pills.tsx'

const loadDetails = () => import('./webhook-details.tsx')

// The server has them loaded and draws them; a browser loads them after the rows.
const loaded = import.meta.env.SSR ? await loadDetails() : null
const WebhookDetails = loaded?.WebhookDetails ?? lazy(async () => ({ default: (await loadDetails()).WebhookDetails }))
export const TroubleRows = loaded?.TroubleRows ?? lazy(async () => ({ default: (await loadDetails()).TroubleRows }))

/** Kept while only the row changes: what the server drew stays when the row is opened before the scripts are here. */
const Details = memo(function Details(props: ComponentProps<typeof WebhookDetails>) {
  return (
    <Suspense fallback={null}>
      <WebhookDetails {...props} />
    </Suspense>
  )
})

const NOTHING: ManagerStep = { step: 'none' }

export interface WebhookCardProps extends Omit<ComponentProps<typeof WebhookDetails>, 'notSaved' | 'notDeleted'> {
  result: FormResult | undefined
  /** The only one of the account is open from the start. */
  alone: boolean
}

/** A row of the list; pressed, it shows everything about the webhook in place. */
export function WebhookCard({ webhook, step, result, alone, ...rest }: WebhookCardProps) {
  const id = cardId(webhook.id)
  const mine: ManagerStep = step.step !== 'none' && step.webhookId === webhook.id ? step : NOTHING
  const notSaved = resultFor(result, 'update', webhook.id)
  const notDeleted = resultFor(result, 'delete', webhook.id)
  const wanted = mine.step !== 'none' || notDeleted !== null
  const [open, setOpen] = useState(alone || wanted)
  useEffect(() => {
    if (wanted) setOpen(true)
  }, [wanted])
  return (
    <article id={id} aria-labelledby={`${id}-title`} className="scroll-mt-4">
      <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)} className="group/row">
        <RowSummary webhook={webhook} />
        <Details webhook={webhook} step={mine} notSaved={notSaved} notDeleted={notDeleted} {...rest} />
      </details>
    </article>
  )
}

/** One line on a desk, two on a phone: how it is, what it sends, where to, and its last day. */
function RowSummary({ webhook }: { webhook: EndpointView }) {
  const { status, fields, lastEventAt, pending } = webhook
  return (
    <summary className="grid min-h-11 sm:h-11 cursor-pointer list-none grid-cols-[minmax(0,1fr)_auto_1rem] items-center gap-x-3 rounded-card px-4 py-0.5 text-dense text-ink-soft hover:bg-sunken sm:grid-cols-[8.5rem_minmax(0,1fr)_minmax(0,1.6fr)_6rem_1rem]">
      <StatusDot status={status} />
      <h3
        id={`${cardId(webhook.id)}-title`}
        tabIndex={-1}
        className="min-w-0 truncate font-semibold text-body text-ink max-sm:col-start-1 max-sm:row-start-1"
      >
        {webhook.kind === 'extra' ? (
          <CornerDownRight aria-hidden className="mr-1 inline size-4 align-[-0.15em] text-ink-soft" />
        ) : null}
        {titleOf(webhook)}
      </h3>
      <span className="min-w-0 max-sm:col-start-1 max-sm:row-start-2 max-sm:flex max-sm:gap-x-1">
        <AddressLine address={webhook.callbackUrl} />
        {/* What waits comes first: the end is what a narrow line cuts. On a phone the rest is the address's room. */}
        <span className="block shrink-0 truncate">
          {pending > 0 ? `${grouped(pending)} waiting` : null}
          <span className="max-sm:hidden">
            {pending > 0 ? ' · ' : ''}
            {webhook.kind === 'extra' ? `${webhook.label}, ` : ''}
            {fields.length === 0 ? 'all fields' : plural(fields.length, 'field')}
            {lastEventAt === null ? '' : ' · '}
            {lastEventAt === null ? null : <Time at={lastEventAt} />}
          </span>
        </span>
      </span>
      <DayBars attempts={webhook.hours} firstHour={webhook.firstHour} />
      <ChevronRight
        aria-hidden
        className="size-4 transition-transform group-open/row:rotate-90 max-sm:col-start-3 max-sm:row-start-1 motion-reduce:transition-none"
      />
    </summary>
  )
}

/** A well-known receiver by its name, any other by its host; the rest of the address in grey. */
function AddressLine({ address }: { address: string }) {
  const [host, path] = addressParts(address)
  const receiver = receiverOf(address)
  return (
    <span className="block min-w-0 truncate" title={address}>
      {receiver ? <ReceiverMark kind={receiver.kind} /> : null}
      {host === '' ? 'No address' : <strong className="font-semibold text-ink">{receiver?.name ?? host}</strong>}
      {receiver ? <span className="max-sm:hidden"> {host}</span> : path}
    </span>
  )
}

/** Host, and the rest; a text that is no address is all rest. */
function addressParts(address: string): [host: string, rest: string] {
  const [, host = '', rest = address] = /^[a-z]+:\/\/([^/?#]+)(.*)$/i.exec(address) ?? []
  return [host, rest === '/' ? '' : rest]
}

const BAR = 4
const HIGH = 20

/** The attempts of the last 24 hours, one bar each: the hours before the page was read, however long it stays open. */
function DayBars({ attempts, firstHour }: { attempts: EndpointView['hours']; firstHour: number }) {
  const most = Math.max(1, ...attempts.map(({ delivered, failed }) => delivered + failed))
  const total = (part: 'delivered' | 'failed') => attempts.reduce((sum, hour) => sum + hour[part], 0)
  const scaled = (count: number) => (count === 0 ? 0 : Math.max(2, (count / most) * HIGH))
  const [delivered, failed] = [total('delivered'), total('failed')]
  const [now, zone] = [usePresent(), useZone()]
  return (
    <svg
      viewBox={`0 0 ${24 * BAR} ${HIGH}`}
      role="img"
      className="h-5 w-24 max-sm:col-span-2 max-sm:col-start-2 max-sm:row-start-2 max-sm:justify-self-end"
    >
      <title>{`Last day: ${grouped(delivered)} delivered, ${grouped(failed)} failed`}</title>
      <path d={`M0 ${HIGH - 0.5}H${24 * BAR}`} className="stroke-line" />
      {attempts.map((hour, index) => {
        const [up, down] = [scaled(hour.delivered), scaled(hour.failed)]
        const x = index * BAR
        return up + down === 0 ? null : (
          <g key={x}>
            <title>{`${clockTime(firstHour + hours(index), now, zone)}: ${grouped(hour.delivered)} delivered, ${grouped(hour.failed)} failed`}</title>
            <rect x={x} y={0} width={BAR} height={HIGH} className="fill-transparent" />
            {up > 0 ? <rect x={x} y={HIGH - up} width={BAR - 1} height={up} className="fill-working" /> : null}
            {down > 0 ? (
              <rect x={x} y={Math.max(0, HIGH - up - down)} width={BAR - 1} height={down} className="fill-failing" />
            ) : null}
          </g>
        )
      })}
    </svg>
  )
}
