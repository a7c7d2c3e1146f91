import { ChevronRight, CornerDownRight, Pencil } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { plural } from '#app/domain/time/moments.ts'
import { chatSentence } from '#app/features/events/chat/chat-message.ts'
import { DEFAULT_LOG_FILTER } from '#app/features/events/log-view.ts'
import { hours } from '#app/lib/duration.ts'
import { AddressButton } from '#app/ui/address-button.tsx'
import { Disclosure } from '#app/ui/disclosure.tsx'
import { CopyField } from '#app/ui/form/copy-field.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { Time, usePresent, useZone } from '#app/ui/time/time.tsx'
import { clockTime } from '#app/ui/time/time-text.ts'
import type { ReplayPanelData } from '../controls/replay-text.ts'
import { calledOf, type EndpointView, titleOf } from '../endpoint-view.ts'
import { receiverOf } from '../receiver.ts'
import { DeleteQuestion, DeleteWebhook } from './delete-webhook.tsx'
import { EditForm, useSavedEdit } from './form/endpoint-form.tsx'
import { type FormResult, resultFor } from './form/form-result.ts'
import type { LogAnswer } from './log/log-filter.ts'
import { LogPanel } from './log/log-panel.tsx'
import { cardId, type ManagerAccount, type ManagerStep, managerQuery, managerSearch } from './manager-address.ts'
import { CardNotice } from './notices.tsx'
import { PollingFacts } from './polling-facts.tsx'
import { ReceiverMark } from './receiver-mark.tsx'
import { ReplayLine } from './replay-line.tsx'
import { ReplayPanel } from './replay-panel.tsx'
import { StatusDot, sentenceBeside } from './status-pills.tsx'
import { UpstreamSide } from './upstream-side.tsx'
import { MoreControls, TroubleControls, WebhookControls } from './webhook-controls.tsx'

interface WebhookCardProps {
  /** A webhook or a forwarding rule; a rule's address supports everything a webhook's does. */
  webhook: EndpointView
  account: ManagerAccount
  step: ManagerStep
  /** Entries of the log, when the page's URL opens this webhook's panel. */
  log: LogAnswer | null
  /** "Send everything since …", when the page's URL opens it for a webhook. */
  replay: ReplayPanelData | null
  /** URL of the resource that serves a log; see `LogPanel`. */
  logSource: string
  result: FormResult | undefined
  /** The only one of the account is open from the start. */
  alone: boolean
}

/** A row of the list; pressed, it shows everything about the webhook in place. */
export function WebhookCard({ webhook, account, step, log, replay, logSource, result, alone }: WebhookCardProps) {
  const id = cardId(webhook.id)
  const mine: ManagerStep = step.step !== 'none' && step.webhookId === webhook.id ? step : { step: 'none' }
  const editing = mine.step === 'edit'
  const notSaved = resultFor(result, 'update', webhook.id)
  useSavedEdit(webhook.id, account, notSaved)
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
        <div className="grid gap-3 border-line border-t px-4 pt-3 sm:px-5">
          <p className="wrap-anywhere text-label">{sentenceBeside(webhook.status, webhook.statusMessage)}</p>
          {notDeleted ? (
            <Notice tone="failing" title={`The ${webhook.kind === 'extra' ? 'rule' : 'webhook'} was not deleted`}>
              {notDeleted.formError}
            </Notice>
          ) : null}
          <CardNotice webhook={webhook} account={account} />
          {editing ? null : (
            <>
              <UpstreamSide webhook={webhook} account={account} />
              <TroubleControls webhook={webhook} account={account} />
              <WebhookControls webhook={webhook} account={account} />
            </>
          )}
          {webhook.replays.map((one) => (
            <ReplayLine key={one.id} webhook={webhook} account={account} replay={one} />
          ))}
          {editing ? (
            <EditForm endpoint={webhook} account={account} refused={notSaved} />
          ) : (
            <>
              <Facts webhook={webhook} />
              <EventSource webhook={webhook} />
              <MoreControls webhook={webhook} account={account} secretOpen={mine.step === 'secret'} />
            </>
          )}
          {mine.step === 'replay' && replay?.webhookId === webhook.id && webhook.callbackUrl !== '' ? (
            <ReplayPanel webhook={webhook} account={account} data={replay} />
          ) : null}
          {mine.step === 'confirmDelete' ? <DeleteQuestion webhook={webhook} account={account} /> : null}
          <div className="-mx-4 sm:-mx-5 -mb-2 border-line border-t px-4 pt-2 sm:px-5">
            <LogPanel
              id={`${id}-log`}
              subject={titleOf(webhook)}
              source={`${logSource}${managerSearch(account)}&webhook=${webhook.id}`}
              opened={mine.step === 'log' ? log : null}
              filter={mine.step === 'log' ? mine.filter : DEFAULT_LOG_FILTER}
              anchor={id}
              openQuery={{ ...managerQuery(account), log: String(webhook.id) }}
              closedQuery={managerQuery(account)}
              owner={{ account, webhookId: webhook.id }}
              actions={editing ? null : <EditAndDelete webhook={webhook} account={account} />}
            />
          </div>
        </div>
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
        <span className="block shrink-0 truncate">
          <span className="max-sm:hidden">
            {webhook.kind === 'extra' ? `${webhook.label}, ` : ''}
            {fields.length === 0 ? 'all fields' : plural(fields.length, 'field')}
            {lastEventAt === null ? '' : ' · '}
          </span>
          {lastEventAt === null ? null : <Time at={lastEventAt} />}
          {pending > 0 ? `, ${pending} waiting` : ''}
        </span>
      </span>
      <DayBars attempts={webhook.hours} />
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

/** The attempts of the last 24 hours, one bar each. */
function DayBars({ attempts }: { attempts: EndpointView['hours'] }) {
  const most = Math.max(1, ...attempts.map(({ delivered, failed }) => delivered + failed))
  const total = (part: 'delivered' | 'failed') => attempts.reduce((sum, hour) => sum + hour[part], 0)
  const scaled = (count: number) => (count === 0 ? 0 : Math.max(2, (count / most) * HIGH))
  const [delivered, failed] = [total('delivered'), total('failed')]
  const [now, zone] = [usePresent(), useZone()]
  const startOf = (index: number) => (Math.floor(now / hours(1)) + 1 + index - attempts.length) * hours(1)
  return (
    <svg
      viewBox={`0 0 ${24 * BAR} ${HIGH}`}
      role="img"
      className="h-5 w-24 max-sm:col-span-2 max-sm:col-start-2 max-sm:row-start-2 max-sm:justify-self-end"
    >
      <title>{`Last day: ${delivered} delivered, ${failed} failed`}</title>
      <path d={`M0 ${HIGH - 0.5}H${24 * BAR}`} className="stroke-line" />
      {attempts.map((hour, index) => {
        const [up, down] = [scaled(hour.delivered), scaled(hour.failed)]
        const x = index * BAR
        return up + down === 0 ? null : (
          <g key={x}>
            <title>{`${clockTime(startOf(index), now, zone)}: ${hour.delivered} delivered, ${hour.failed} failed`}</title>
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

/** The source of the events: our own address at the platform, or our polling. */
function EventSource({ webhook }: { webhook: EndpointView }) {
  if (webhook.polling) return <PollingFacts objectType={webhook.objectType} polling={webhook.polling} />
  if (webhook.kind === 'extra') return null
  return (
    <CopyField
      id={`${cardId(webhook.id)}-forwarding`}
      label="Forwarding URL"
      value={webhook.forwardingUrl}
      tip="ServiceM8 sends its events to this address. We registered it for you."
    />
  )
}

function EditAndDelete({ webhook, account }: { webhook: EndpointView; account: ManagerAccount }) {
  return (
    <>
      <AddressButton
        query={managerQuery(account, { step: 'edit', webhookId: webhook.id })}
        anchor={cardId(webhook.id)}
        variant="quiet"
        icon={Pencil}
        aria-label={`Edit ${calledOf(webhook)}`}
      >
        <span className="max-sm:sr-only">Edit</span>
      </AddressButton>
      <DeleteWebhook webhook={webhook} account={account} />
    </>
  )
}

function Facts({ webhook }: { webhook: EndpointView }) {
  const rule = webhook.kind === 'extra'
  return (
    <dl className="grid grid-cols-2 gap-x-4 gap-y-3 text-label sm:grid-cols-4">
      {rule ? (
        <Fact label="Object" wide>
          {webhook.label}
        </Fact>
      ) : null}
      <Fact label={rule ? 'Forwards to' : 'Callback URL'} wide>
        {webhook.callbackUrl ? (
          <>
            <ReceiverName address={webhook.callbackUrl} />
            <span title={webhook.callbackUrl} className="line-clamp-3 break-all font-mono text-dense">
              {webhook.callbackUrl}
            </span>
          </>
        ) : (
          <span className="text-ink-soft">None: events are only shown here</span>
        )}
        <span className="text-dense text-ink-soft">{chatSentence(webhook.callbackUrl)}</span>
      </Fact>
      <Fact label={rule ? 'Field filter' : 'Monitored fields'} wide>
        <FieldList fields={webhook.fields} />
      </Fact>
      <Fact label="Set to">{webhook.active ? 'Active' : 'Inactive'}</Fact>
      <Fact label="Last event">{webhook.lastEventAt === null ? '–' : <Time at={webhook.lastEventAt} />}</Fact>
      <Fact label="Waiting">
        <span className="tabular-nums">
          {webhook.pending === 0 ? 'Nothing' : `${webhook.pending} ${webhook.pending === 1 ? 'event' : 'events'}`}
        </span>
      </Fact>
      <Fact label="Next retry">{webhook.nextAttemptAt === null ? '–' : <Time at={webhook.nextAttemptAt} />}</Fact>
    </dl>
  )
}

function ReceiverName({ address }: { address: string }) {
  const receiver = receiverOf(address)
  if (receiver === null) return null
  return (
    <span className="flex items-center font-medium">
      <ReceiverMark kind={receiver.kind} />
      {receiver.name}
    </span>
  )
}

function Fact({ label, wide = false, children }: { label: string; wide?: boolean; children: ReactNode }) {
  return (
    <div className={wide ? 'col-span-full min-w-0' : 'min-w-0'}>
      <dt className="text-dense text-ink-soft">{label}</dt>
      <dd className="min-w-0">{children}</dd>
    </div>
  )
}

/** More names than this are collapsed. */
const SHOWN_FIELDS = 6

function FieldList({ fields }: { fields: readonly string[] }) {
  if (fields.length === 0) return <>All fields</>
  if (fields.length <= SHOWN_FIELDS) return <FieldChips fields={fields} />
  return (
    <>
      <FieldChips fields={fields.slice(0, SHOWN_FIELDS)} />
      <Disclosure dense summary={`${fields.length - SHOWN_FIELDS} more fields`}>
        <FieldChips fields={fields.slice(SHOWN_FIELDS)} />
      </Disclosure>
    </>
  )
}

function FieldChips({ fields }: { fields: readonly string[] }) {
  return (
    <ul className="flex flex-wrap gap-1.5 py-0.5">
      {fields.map((field) => (
        <li key={field} className="max-w-full break-all rounded-control bg-sunken px-2 py-0.5 font-mono text-dense">
          {field}
        </li>
      ))}
    </ul>
  )
}
