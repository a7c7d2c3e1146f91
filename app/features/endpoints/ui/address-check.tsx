import { clsx } from 'clsx'
import { Check, CircleDashed, type LucideIcon, SearchCheck, TriangleAlert, X } from 'lucide-react'
import type { CheckStep, StepVerdict } from '#app/domain/endpoints/endpoint-check.ts'
import { toneStyles } from '#app/ui/badge.tsx'
import { Time, usePresent } from '#app/ui/time/time.tsx'
import { VisuallyHidden } from '#app/ui/visually-hidden.tsx'
import { checkSummary, isCheckShown, pathOf, troubledSteps } from '../controls/endpoint-check.ts'
import { calledOf, type EndpointView } from '../endpoint-view.ts'
import { useCardNews } from './account-news.tsx'
import { CardButton } from './card-button.tsx'
import type { ManagerAccount } from './manager-address.ts'

/** Checks the address without sending an event. */
export function CheckAddressButton({ webhook, account }: { webhook: EndpointView; account: ManagerAccount }) {
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
export function CheckResult({ card }: { card: EndpointView['id'] }) {
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
