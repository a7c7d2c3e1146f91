import { Pencil } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { DEFAULT_LOG_FILTER } from '#app/features/events/log-view.ts'
import { AddressButton } from '#app/ui/address-button.tsx'
import { cardStyles } from '#app/ui/card.tsx'
import { Disclosure } from '#app/ui/disclosure.tsx'
import { CopyField } from '#app/ui/form/copy-field.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { Time } from '#app/ui/time/time.tsx'
import { chatWarning } from '../chat-address.ts'
import type { ReplayPanelData } from '../controls/replay-text.ts'
import { calledOf, type EndpointView, titleOf } from '../endpoint-view.ts'
import { CheckResult } from './address-check.tsx'
import { DeleteQuestion, DeleteWebhook } from './delete-webhook.tsx'
import { EditForm } from './form/endpoint-form.tsx'
import { type FormResult, resultFor } from './form/form-result.ts'
import type { LogAnswer } from './log/log-filter.ts'
import { LogPanel } from './log/log-panel.tsx'
import { cardId, type ManagerAccount, type ManagerStep, managerQuery, managerSearch } from './manager-address.ts'
import { CardNotice } from './notices.tsx'
import { PollingFacts } from './polling-facts.tsx'
import { ReplayLine } from './replay-line.tsx'
import { ReplayPanel } from './replay-panel.tsx'
import { StatusSentence } from './status-pills.tsx'
import { UpstreamSide } from './upstream-side.tsx'
import { TroubleControls, WebhookControls } from './webhook-controls.tsx'

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
}

export function WebhookCard({ webhook, account, step, log, replay, logSource, result }: WebhookCardProps) {
  const id = cardId(webhook.id)
  const mine: ManagerStep = step.step !== 'none' && step.webhookId === webhook.id ? step : { step: 'none' }
  const editing = mine.step === 'edit'
  const { heading, box } = useFocusKept()
  const notDeleted = resultFor(result, 'delete', webhook.id)
  return (
    <article ref={box} id={id} aria-labelledby={`${id}-title`} className={`${cardStyles} grid gap-3 p-4 sm:p-5`}>
      <div className="grid gap-2">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <h3 id={`${id}-title`} ref={heading} tabIndex={-1} className="min-w-0 wrap-anywhere font-semibold text-body">
            {titleOf(webhook)}
          </h3>
          <span className="ml-auto text-dense text-ink-soft">{webhook.active ? 'Active' : 'Inactive'}</span>
        </div>
        <StatusSentence status={webhook.status} sentence={webhook.statusMessage} />
      </div>
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
          <CheckResult card={webhook.id} />
        </>
      )}
      {webhook.replays.map((one) => (
        <ReplayLine key={one.id} webhook={webhook} account={account} replay={one} />
      ))}
      {editing ? (
        <EditForm endpoint={webhook} account={account} refused={resultFor(result, 'update', webhook.id)} />
      ) : (
        <>
          <Facts webhook={webhook} />
          <div className="grid gap-3">
            <EventSource webhook={webhook} />
            <WebhookControls webhook={webhook} account={account} secretOpen={mine.step === 'secret'} />
          </div>
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
    </article>
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
      tip="ServiceM8 sends its events to this address; it was registered there for you."
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

/** Moves the focus to the card's heading when a pressed button disappears. */
function useFocusKept() {
  const box = useRef<HTMLElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const last = useRef<Element | null>(null)
  useEffect(() => {
    const card = box.current
    const keep = (event: FocusEvent) => {
      last.current = event.target instanceof Element ? event.target : null
    }
    const leave = () => {
      // Forget it only if the user moved on; a removed button is no longer connected.
      if (last.current?.isConnected) last.current = null
    }
    card?.addEventListener('focusin', keep)
    card?.addEventListener('focusout', leave)
    return () => {
      card?.removeEventListener('focusin', keep)
      card?.removeEventListener('focusout', leave)
    }
  }, [])
  useEffect(() => {
    if (!last.current || last.current.isConnected) return
    last.current = null
    if ((document.activeElement ?? document.body) === document.body) heading.current?.focus()
  })
  return { box, heading }
}

function Facts({ webhook }: { webhook: EndpointView }) {
  const rule = webhook.kind === 'extra'
  return (
    <dl className="grid grid-cols-3 gap-x-4 gap-y-3 text-label">
      {rule ? (
        <Fact label="Object" wide>
          {webhook.label}
        </Fact>
      ) : null}
      <Fact label={rule ? 'Forwards to' : 'Callback URL'} wide>
        {webhook.callbackUrl ? (
          <span title={webhook.callbackUrl} className="line-clamp-3 break-all font-mono text-dense">
            {webhook.callbackUrl}
          </span>
        ) : (
          <span className="text-ink-soft">None: events are only shown here</span>
        )}
        <ChatWarning address={webhook.callbackUrl} />
      </Fact>
      <Fact label={rule ? 'Field filter' : 'Monitored fields'} wide>
        <FieldList fields={webhook.fields} />
      </Fact>
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

function ChatWarning({ address }: { address: string }) {
  const warning = chatWarning(address)
  return warning === null ? null : <p className="text-attention text-dense">{warning}</p>
}

function Fact({ label, wide = false, children }: { label: string; wide?: boolean; children: ReactNode }) {
  return (
    <div className={wide ? 'col-span-3 min-w-0' : 'min-w-0'}>
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
