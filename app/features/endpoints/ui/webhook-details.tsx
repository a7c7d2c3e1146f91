import { useRevalidator } from '@remix-run/react'
import { Ban, CircleAlert, CircleCheck, History, Pencil } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Replay } from '#app/domain/deliveries/stored-delivery.ts'
import { plural } from '#app/domain/time/moments.ts'
import { chatSentence } from '#app/features/events/chat/chat-message.ts'
import { DEFAULT_LOG_FILTER } from '#app/features/events/log-view.ts'
import { AddressButton } from '#app/ui/address-button.tsx'
import { useAnnounce } from '#app/ui/announcer.tsx'
import { toneStyles } from '#app/ui/badge.tsx'
import { Disclosure } from '#app/ui/disclosure.tsx'
import { CopyField } from '#app/ui/form/copy-field.tsx'
import { useUnreached } from '#app/ui/form/unreached.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { ResultLine } from '#app/ui/result-line.tsx'
import { Time } from '#app/ui/time/time.tsx'
import { HEALTH_PLACE } from '../controls/control-text.ts'
import { type ReplayPanelData, replaySentence } from '../controls/replay-text.ts'
import { calledOf, type EndpointLine, type EndpointView, titleOf } from '../endpoint-view.ts'
import type { FormResult } from '../form-result.ts'
import { receiverOf } from '../receiver.ts'
import { CardButton, type CardProps } from './card-button.tsx'
import { DeleteQuestion, DeleteWebhook } from './delete-webhook.tsx'
import { EditForm } from './form/endpoint-fields.tsx'
import { useSavedEdit } from './form/endpoint-form.tsx'
import { useLiveReplay } from './live-replay.tsx'
import type { LogAnswer } from './log/log-filter.ts'
import { LogPanel } from './log/log-panel.tsx'
import {
  cardId,
  type ManagerAccount,
  type ManagerStep,
  managerQuery,
  managerSearch,
  REPLAY_SOURCE,
} from './manager-address.ts'
import { CardNotice } from './notices.tsx'
import { PollingFacts } from './polling-facts.tsx'
import { ReceiverMark } from './receiver-mark.tsx'
import { ReplayPanel } from './replay-panel.tsx'
import { linkLook, ShowCard, sentenceBeside } from './status-pills.tsx'
import { UpstreamSide } from './upstream-side.tsx'
import { MoreControls, TroubleControls, WebhookControls } from './webhook-controls.tsx'

interface WebhookDetailsProps {
  /** A webhook or a forwarding rule; a rule's address supports everything a webhook's does. */
  webhook: EndpointView
  account: ManagerAccount
  /** What the page's URL opens of this webhook. */
  step: ManagerStep
  /** Entries of the log, when the page's URL opens this webhook's panel. */
  log: LogAnswer | null
  /** "Send everything since …", when the page's URL opens it for a webhook. */
  replay: ReplayPanelData | null
  /** Path of the resource that answers a `LogAnswer` for `?accountUUID=…&webhook=<id>` plus the log filter. */
  logSource: string
  /** Refusals of this webhook's forms. */
  notSaved: FormResult | null
  notDeleted: FormResult | null
}

const NOT_DELETED = { webhook: 'The webhook was not deleted', extra: 'The rule was not deleted' } as const

/** Everything about a webhook, behind its row. */
export function WebhookDetails(props: WebhookDetailsProps) {
  const { webhook, account, step, log, replay, logSource, notSaved, notDeleted } = props
  const id = cardId(webhook.id)
  const editing = step.step === 'edit'
  const lost = useUnreached()
  useSavedEdit(webhook.id, account, notSaved)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3 border-line border-t px-4 pt-3 sm:px-5">
      <p className="wrap-anywhere text-label">{sentenceBeside(webhook.status, webhook.statusMessage)}</p>
      {notDeleted ? (
        <Notice tone="failing" {...(!lost && { title: NOT_DELETED[webhook.kind] })}>
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
          <MoreControls webhook={webhook} account={account} secretOpen={step.step === 'secret'} />
        </>
      )}
      {step.step === 'replay' && replay?.webhookId === webhook.id && webhook.callbackUrl !== '' ? (
        <ReplayPanel webhook={webhook} account={account} data={replay} />
      ) : null}
      {step.step === 'confirmDelete' ? <DeleteQuestion webhook={webhook} account={account} /> : null}
      <div className="-mx-4 sm:-mx-5 border-line border-t px-4 py-1 sm:px-5">
        <LogPanel
          id={`${id}-log`}
          subject={titleOf(webhook)}
          source={`${logSource}${managerSearch(account)}&webhook=${webhook.id}`}
          opened={step.step === 'log' ? log : null}
          filter={step.step === 'log' ? step.filter : DEFAULT_LOG_FILTER}
          anchor={id}
          openQuery={{ ...managerQuery(account), log: String(webhook.id) }}
          closedQuery={managerQuery(account)}
          owner={{ account, webhookId: webhook.id, fields: webhook.callbackUrl === '' ? [] : webhook.fields }}
          actions={editing ? null : <EditAndDelete webhook={webhook} account={account} />}
        />
      </div>
    </div>
  )
}

interface TroubleRowsProps {
  webhooks: readonly EndpointView[]
  /** Webhooks and rules in trouble besides these. */
  more: readonly EndpointLine[]
  account: ManagerAccount
}

/** What is wrong with each webhook, the button that helps, and the way to its card; below, the result of a press. */
export function TroubleRows({ webhooks, more, account }: TroubleRowsProps) {
  return (
    <>
      {webhooks.length === 0 ? null : (
        <ul aria-label="Needs attention" className="grid gap-2">
          {webhooks.map((webhook) => (
            <li key={webhook.id} className="flex flex-wrap items-center justify-end gap-x-4">
              <p className="min-w-0 flex-1 basis-64 wrap-anywhere py-2.5 text-label">
                <strong className="font-semibold">{titleOf(webhook)}</strong> – {webhook.statusMessage}
              </p>
              <TroubleControls webhook={webhook} account={account} place={HEALTH_PLACE} />
              <ShowCard card={webhook} account={account} />
            </li>
          ))}
        </ul>
      )}
      {webhooks.length === 0 || more[0] === undefined ? null : (
        <a href={`#${more[0].kind === 'extra' ? 'rules' : 'webhooks'}-title`} className={linkLook}>
          And {more.length} more.
        </a>
      )}
      <ResultLine at={HEALTH_PLACE} />
    </>
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

function EditAndDelete({ webhook, account }: CardProps) {
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
        <span className="tabular-nums">{webhook.pending === 0 ? 'Nothing' : plural(webhook.pending, 'event')}</span>
      </Fact>
      <Fact label="Next retry">
        {webhook.nextAttemptAt === null ? '–' : <Time at={webhook.nextAttemptAt} as="next" />}
      </Fact>
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

/** One replay of a webhook: its progress with a button to cancel, or its result. */
function ReplayLine({ webhook, account, replay: known }: CardProps & { replay: Replay }) {
  const announce = useAnnounce()
  const { revalidate } = useRevalidator()
  const source = `${REPLAY_SOURCE}${managerSearch(account)}&webhook=${webhook.id}&replay=${known.id}`
  const replay = useLiveReplay(known, source, (ended) => {
    announce(`Sending again to ${titleOf(webhook)}: ${replaySentence(ended)}`)
    // The end of the replay changes the card's status and the number of waiting deliveries.
    revalidate()
  })
  const running = replay.state === 'running'
  const { icon: Icon, tone, word } = lookOf(replay)
  const done = replay.delivered + replay.undelivered
  return (
    // biome-ignore lint/a11y/useSemanticElements: a section is a chapter, and wants a heading.
    <div
      role="region"
      aria-label={`Sending again to ${titleOf(webhook)}`}
      className={`grid gap-2 rounded-control px-3.5 py-3 text-label ${toneStyles[tone]}`}
    >
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <p className="flex min-w-0 items-start gap-2.5">
          <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
          <span className="wrap-anywhere">
            <strong className="font-semibold">
              {word}
              {replay.endedAt === null ? null : (
                <>
                  {' '}
                  <Time at={replay.endedAt} />
                </>
              )}
              :
            </strong>{' '}
            <span className="tabular-nums">{replaySentence(replay)}</span>
          </span>
        </p>
        {running ? (
          <CardButton
            intent="cancel_replay"
            webhookId={webhook.id}
            account={account}
            values={{ replay: String(replay.id) }}
            pendingLabel="Cancelling…"
            aria-label={`Cancel sending again to ${titleOf(webhook)}`}
          >
            Cancel
          </CardButton>
        ) : null}
      </div>
      {running ? (
        <progress
          max={Math.max(1, replay.total)}
          value={done}
          aria-label={`${done} of ${replay.total} events`}
          className="h-2 w-full accent-accent"
        />
      ) : null}
      {running && webhook.state === 'paused' ? <p>Paused: it continues when you resume.</p> : null}
      {running && webhook.status === 'held' ? <p>On hold: it continues when sending does.</p> : null}
    </div>
  )
}

function lookOf(replay: Replay) {
  if (replay.state === 'running') return { icon: History, tone: 'accent', word: 'Sending again' } as const
  if (replay.state === 'cancelled') return { icon: Ban, tone: 'neutral', word: 'Sending again cancelled' } as const
  return replay.undelivered > 0
    ? ({ icon: CircleAlert, tone: 'attention', word: 'Sent again' } as const)
    : ({ icon: CircleCheck, tone: 'working', word: 'Sent again' } as const)
}
