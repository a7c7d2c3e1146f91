import { Form } from '@remix-run/react'
import { clsx } from 'clsx'
import {
  Check,
  CircleDashed,
  History,
  KeyRound,
  type LucideIcon,
  Pause,
  Play,
  RotateCcw,
  SearchCheck,
  Send,
  TriangleAlert,
  X,
} from 'lucide-react'
import { useEffect, useRef } from 'react'
import type { CheckStep, StepVerdict } from '#app/domain/endpoints/endpoint-check.ts'
import { ownerNote } from '#app/domain/people.ts'
import { grouped } from '#app/domain/time/moments.ts'
import { AddressButton } from '#app/ui/address-button.tsx'
import { toneStyles } from '#app/ui/badge.tsx'
import { Button } from '#app/ui/button.tsx'
import { Disclosure } from '#app/ui/disclosure.tsx'
import { Checkbox } from '#app/ui/form/checkbox.tsx'
import { CopyField } from '#app/ui/form/copy-field.tsx'
import { useIsSending } from '#app/ui/form/sent-values.tsx'
import { OwnerOnly } from '#app/ui/owner-only.tsx'
import { ResultLine } from '#app/ui/result-line.tsx'
import { Time, usePresent } from '#app/ui/time/time.tsx'
import { VisuallyHidden } from '#app/ui/visually-hidden.tsx'
import { resultPlace } from '../controls/control-text.ts'
import { checkSummary, isCheckShown, pathOf, troubledSteps } from '../controls/endpoint-check.ts'
import { calledOf, type EndpointView, MISSED_COUNTED } from '../endpoint-view.ts'
import { receiverOf } from '../receiver.ts'
import { useCardNews } from './account-news.tsx'
import { CardButton, CardFields, type CardProps } from './card-button.tsx'
import { cardId, managerQuery } from './manager-address.ts'
import { useOwnerRights } from './owner-rights.tsx'
import { CompareButton } from './upstream-side.tsx'

/** The one-click remedies for a webhook in trouble; renders nothing for a healthy one. */
export function TroubleControls({
  webhook,
  account,
  place,
}: CardProps & { /** Where the result appears. */ place?: string }) {
  const values = { intent: 'start_again', id: String(webhook.id), ...(place && { place }) }
  const sending = useIsSending(values)
  const { state, missed } = webhook
  if (webhook.callbackUrl === '') return null
  if (state === 'stopped' || state === 'failing') {
    return (
      <Form
        method="post"
        preventScrollReset
        className={clsx(
          'flex flex-wrap items-center gap-x-4 gap-y-1',
          !place && 'rounded-control bg-sunken px-3.5 py-2.5',
        )}
      >
        <CardFields account={account} values={values} />
        <Button
          type="submit"
          variant="primary"
          icon={Play}
          pending={sending}
          pendingLabel="Starting…"
          aria-label={`Start again: ${calledOf(webhook)}`}
        >
          Start again
        </Button>
        {missed === null || missed === 0 ? null : (
          <Checkbox name="missed" value="yes" defaultChecked>
            and send everything since it stopped ({missed} {missed === 1 ? 'event' : 'events'})
          </Checkbox>
        )}
      </Form>
    )
  }
  // The engine retries by itself, but a user who just fixed the address does not want to wait, unless it asked us to.
  if (state === 'active' && webhook.status === 'failing' && webhook.pending > 0 && !webhook.asked) {
    return (
      <div>
        <CardButton
          intent="start_again"
          webhookId={webhook.id}
          values={values}
          account={account}
          icon={RotateCcw}
          pendingLabel="Starting…"
          aria-label={`Try again now: ${calledOf(webhook)}`}
        >
          Try again now
        </CardButton>
      </div>
    )
  }
  return missed ? <GivenUp webhook={webhook} account={account} count={missed} /> : null
}

/** Nothing is left to retry. */
function GivenUp({ count, ...card }: CardProps & { count: number }) {
  const events = count < MISSED_COUNTED ? grouped(count) : `${MISSED_COUNTED} or more`
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-label">
      <ReplayButton {...card} />
      <p>{count === 1 ? 'One event was given up or stopped.' : `${events} events were given up or stopped.`}</p>
    </div>
  )
}

function ReplayButton({ webhook, account }: CardProps) {
  return (
    <AddressButton
      query={managerQuery(account, { step: 'replay', webhookId: webhook.id, form: null })}
      anchor={cardId(webhook.id)}
      icon={History}
      aria-label={`Send everything since … to ${calledOf(webhook)}`}
    >
      Send everything since …
    </AddressButton>
  )
}

/** The frequent buttons of a webhook or rule, with the result of a press right under them. */
export function WebhookControls({ webhook, account }: CardProps) {
  const { id, state } = webhook
  const hasAddress = webhook.callbackUrl !== ''
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <div className="flex flex-wrap gap-2">
        {state === 'paused' || (hasAddress && state === 'active') ? (
          <PauseButton webhook={webhook} account={account} />
        ) : null}
        {hasAddress ? (
          <>
            <CardButton
              intent="test"
              webhookId={id}
              account={account}
              icon={Send}
              pendingLabel="Sending…"
              aria-label={`Send test event to ${calledOf(webhook)}`}
            >
              Send test event
            </CardButton>
            <CheckAddressButton webhook={webhook} account={account} />
          </>
        ) : null}
      </div>
      <TestUnderWay webhook={webhook} />
      <ResultLine at={resultPlace(id)} />
      <CheckResult card={id} />
    </div>
  )
}

/** While a test event runs: a dot on its way to the address. The button says it in words. */
function TestUnderWay({ webhook: { id, callbackUrl } }: Pick<CardProps, 'webhook'>) {
  if (!useIsSending({ intent: 'test', id: String(id) })) return null
  return (
    <p aria-hidden className="flex items-center gap-2 text-dense text-ink-soft">
      Event
      <span className="relative h-2 w-40 overflow-hidden">
        <span className="absolute inset-x-0 top-1/2 border-line-strong border-t" />
        <span className="underway absolute inset-y-0 left-0 w-1/4">
          <span className="absolute inset-y-0 right-0 w-2 rounded-pill bg-accent" />
        </span>
      </span>
      <span className="min-w-0 truncate">
        {receiverOf(callbackUrl)?.name ?? (URL.canParse(callbackUrl) ? new URL(callbackUrl).host : callbackUrl)}
      </span>
    </p>
  )
}

interface MoreControlsProps extends CardProps {
  /** The secret was just rotated: show it and move the focus there. */
  secretOpen: boolean
}

/** The rarer buttons, collapsed. */
export function MoreControls({ webhook, account, secretOpen }: MoreControlsProps) {
  const { silence } = useCardNews(webhook.id)
  const { callbackUrl, state } = webhook
  const sends = callbackUrl !== '' && state !== 'stopped' && state !== 'failing'
  return (
    <Disclosure summary="More" {...(secretOpen ? { open: true } : {})}>
      <div className="grid gap-2 border-line border-l-2 pl-4">
        {sends ? (
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <ReplayButton webhook={webhook} account={account} />
            <p className="text-dense text-ink-soft">See how many before sending.</p>
          </div>
        ) : null}
        {webhook.status === 'unsubscribed' || silence || webhook.polling ? null : (
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <CompareButton webhook={webhook} account={account} />
            <p className="text-dense text-ink-soft">Repairs the connection. It also runs daily.</p>
          </div>
        )}
        <SigningSecret webhook={webhook} account={account} open={secretOpen} />
      </div>
    </Disclosure>
  )
}

const PAUSE = { intent: 'pause', variant: 'secondary', icon: Pause, label: 'Pause', pendingLabel: 'Pausing…' } as const
const RESUME = { intent: 'resume', variant: 'primary', icon: Play, label: 'Resume', pendingLabel: 'Resuming…' } as const

function PauseButton({ webhook, account }: CardProps) {
  const { icon: Icon, label, ...press } = webhook.state === 'paused' ? RESUME : PAUSE
  return (
    <CardButton
      {...press}
      webhookId={webhook.id}
      account={account}
      icon={Icon}
      aria-label={`${label} ${calledOf(webhook)}`}
    >
      {label}
    </CardButton>
  )
}

function SigningSecret({ webhook, account, open }: CardProps & { open: boolean }) {
  const box = useRef<HTMLDivElement>(null)
  const rights = useOwnerRights()
  useEffect(() => {
    if (open) box.current?.querySelector<HTMLInputElement>('input[readonly]')?.focus()
  }, [open, webhook.signingSecret])
  return (
    <Disclosure summary="Signing secret" {...(open ? { open: true } : {})}>
      <div ref={box} className="grid gap-3">
        <CopyField
          id={`${cardId(webhook.id)}-secret`}
          label="Signing secret"
          value={webhook.signingSecret}
          hint="Proves that an event comes from here. Treat it like a password."
        />
        {webhook.previousSecretUntil === null ? null : (
          <p className="text-label">
            The secret before this one stays valid until <Time at={webhook.previousSecretUntil} as="clock" />. Events
            are signed with both.
          </p>
        )}
        <div className="grid gap-1">
          <div>
            <OwnerOnly
              accountUUID={account.accountUUID}
              note={ownerNote(rights, 'make a new signing secret')}
              held={rights.refusal === 'fresh'}
            >
              {(held) => (
                <CardButton
                  {...held}
                  intent="rotate_secret"
                  webhookId={webhook.id}
                  account={account}
                  icon={KeyRound}
                  pendingLabel="Making a new one…"
                  aria-label={`New signing secret for ${calledOf(webhook)}`}
                >
                  New signing secret
                </CardButton>
              )}
            </OwnerOnly>
          </div>
          <p className="text-dense text-ink-soft">
            {webhook.previousSecretUntil === null
              ? 'The old one stays valid for 24 hours.'
              : 'Making another ends the previous one at once.'}
          </p>
          <ResultLine at={resultPlace(webhook.id, 'secret')} />
        </div>
      </div>
    </Disclosure>
  )
}

/** Checks the address without sending an event. */
function CheckAddressButton({ webhook, account }: CardProps) {
  return (
    <CardButton
      intent="check_address"
      webhookId={webhook.id}
      account={account}
      icon={SearchCheck}
      pendingLabel="Checking…"
      aria-label={`Check this address: ${calledOf(webhook)}`}
    >
      Check this address
    </CardButton>
  )
}

const MARKS: Record<StepVerdict, { word: string; icon: LucideIcon; look: string }> = {
  ok: { word: 'OK', icon: Check, look: toneStyles.working },
  warn: { word: 'Check', icon: TriangleAlert, look: toneStyles.attention },
  fail: { word: 'Problem', icon: X, look: toneStyles.failing },
  skipped: { word: 'Not checked', icon: CircleDashed, look: 'bg-sunken text-ink-soft' },
}

/** The latest check of the address as one path. Only what is broken explains itself. */
function CheckResult({ card }: { card: EndpointView['id'] }) {
  const { check } = useCardNews(card)
  const now = usePresent()
  if (!check || !isCheckShown(check, now)) return null
  const [worst, ...more] = troubledSteps(check.steps)
  return (
    <div className="grid gap-2 rounded-control border border-line px-3.5 py-3 text-label">
      <p className="wrap-anywhere">
        <strong className="font-semibold">
          Address checked <Time at={check.at} />:
        </strong>{' '}
        {checkSummary(check.steps)} {worst?.fix}
      </p>
      <ol className="flex max-w-md">
        {pathOf(check.steps).map(({ title, step }) => (
          <PathStep key={title} title={title} step={step} />
        ))}
      </ol>
      {more.map((step) => (
        <p key={step.name} className="wrap-anywhere">
          {step.sentence} <span className="text-ink-soft">{step.fix}</span>
        </p>
      ))}
    </div>
  )
}

/** A dot with its name; a line leads to it from the one before. */
function PathStep({ title, step }: { title: string; step: CheckStep }) {
  const { word, icon: Icon, look } = MARKS[step.verdict]
  return (
    <li title={step.sentence} className="group/dot relative grid min-w-0 flex-1 justify-items-center gap-1 text-dense">
      <span
        aria-hidden
        className={clsx(
          'absolute top-3 right-[calc(50%+0.75rem)] left-[calc(-50%+0.75rem)] border-t group-first/dot:hidden',
          step.verdict === 'skipped' ? 'border-line border-dashed' : 'border-line-strong',
        )}
      />
      <span className={clsx('relative grid size-6 place-items-center rounded-pill', look)}>
        <Icon aria-hidden className="size-3.5" strokeWidth={2.5} />
      </span>
      <span className="max-w-full truncate">
        {title}
        <VisuallyHidden> {word}</VisuallyHidden>
      </span>
    </li>
  )
}
