import { CircleAlert, CircleCheck, CircleDashed, type LucideIcon, OctagonX, SearchCheck } from 'lucide-react'
import { type CheckStep, type StepVerdict, worstStep } from '#app/domain/endpoints/endpoint-check.ts'
import { minutes } from '#app/lib/duration.ts'
import { Disclosure } from '#app/ui/disclosure.tsx'
import { Time, usePresent } from '#app/ui/time/time.tsx'
import { checkSummary, STEP_TITLES } from '../controls/endpoint-check.ts'
import { calledOf, type EndpointView } from '../endpoint-view.ts'
import { useCardNews } from './account-news.tsx'
import { CardButton } from './card-button.tsx'
import type { ManagerAccount } from './manager-address.ts'

interface AddressCheckProps {
  webhook: EndpointView
  account: ManagerAccount
}

/** Checks the address without sending an event. */
export function CheckAddressButton({ webhook, account }: AddressCheckProps) {
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

const MARKS: Record<StepVerdict, { word: string; icon: LucideIcon; colour: string }> = {
  ok: { word: 'OK', icon: CircleCheck, colour: 'text-working' },
  warn: { word: 'Check', icon: CircleAlert, colour: 'text-attention' },
  fail: { word: 'Problem', icon: OctagonX, colour: 'text-failing' },
  skipped: { word: 'Not checked', icon: CircleDashed, colour: 'text-ink-soft' },
}

/** A result this fresh is shown expanded: the user has just requested it. */
const JUST_NOW = minutes(2)

/** Shows the latest check of the address step by step; renders nothing when there was none. */
export function CheckResult({ card }: { card: EndpointView['id'] }) {
  const { check } = useCardNews(card)
  const now = usePresent()
  if (!check) return null
  const verdict = worstStep(check.steps)?.verdict ?? 'ok'
  const { icon: Icon, colour } = MARKS[verdict]
  return (
    <div className="rounded-control border border-line px-3.5 py-2">
      <p className="flex items-start gap-2.5 pt-1 text-label">
        <Icon aria-hidden className={`mt-0.5 size-4 shrink-0 ${colour}`} />
        <span className="min-w-0 wrap-anywhere">
          <strong className="font-semibold">
            Address checked <Time at={check.at} />:
          </strong>{' '}
          {checkSummary(check.steps)}
        </span>
      </p>
      <Disclosure
        summary="All steps"
        dense
        {...(now - check.at < JUST_NOW || verdict === 'fail' ? { open: true } : {})}
      >
        <ol className="grid gap-2 text-label">
          {check.steps.map((step) => (
            <Step key={step.name} step={step} />
          ))}
        </ol>
        <p className="pt-2 text-dense text-ink-soft">
          A check sends no event and counts as no delivery. “Send test event” shows how one is taken.
        </p>
      </Disclosure>
    </div>
  )
}

function Step({ step }: { step: CheckStep }) {
  const { word, icon: Icon, colour } = MARKS[step.verdict]
  return (
    <li className="flex items-start gap-2.5">
      <Icon aria-hidden className={`mt-0.5 size-4 shrink-0 ${colour}`} />
      <div className="min-w-0 wrap-anywhere">
        <p>
          <strong className="font-semibold">{STEP_TITLES[step.name]}</strong>{' '}
          <span className={`text-dense ${colour}`}>{word}</span>
        </p>
        <p>{step.sentence}</p>
        {step.fix === null ? null : <p className="text-ink-soft">{step.fix}</p>}
      </div>
    </li>
  )
}
