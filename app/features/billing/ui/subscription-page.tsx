import { Check, CircleAlert, CircleCheck, CircleDot, Hourglass, type LucideIcon, OctagonAlert } from 'lucide-react'
import { useEffect } from 'react'
import type { AccountPage } from '#app/domain/delivery-address.ts'
import { grouped } from '#app/domain/time/moments.ts'
import { useFreshWhenSeen } from '#app/ui/after-return.ts'
import { StatusPill } from '#app/ui/badge.tsx'
import { ReloadLink } from '#app/ui/button.tsx'
import { CardSection } from '#app/ui/card.tsx'
import { Curve } from '#app/ui/chart/curve.tsx'
import { Meter } from '#app/ui/meter.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PageHeader } from '#app/ui/page/page-header.tsx'
import { AccountTimeProvider } from '#app/ui/time/time.tsx'
import { useAnswerToast, useToast } from '#app/ui/toast/toast.tsx'
import { refusal } from '../payment-answer.ts'
import { PLAN_TEXTS, type PlanView, type UsageView } from '../plan-view.ts'
import { dashboardAddress } from '../subscription-address.ts'
import { PaymentCard, type PaymentCardProps } from './payment-card.tsx'

export interface SubscriptionPageProps extends AccountPage, Omit<PaymentCardProps, 'account' | 'plan'> {
  /** Null when loading failed. */
  plan: PlanView | null
}

/** Shows the account's plan, its usage, what happens next, and the one action to take. */
export function SubscriptionPage({ accountUUID, accountName, timezone, admin, now, ...rest }: SubscriptionPageProps) {
  const { plan, payments, rights, answer } = rest
  const account = { accountUUID, admin }
  const toast = useToast()
  useAnswerToast(answer?.toast)
  const missing = plan === null
  useEffect(() => {
    if (missing) toast(refusal(PLAN_TEXTS.errorText).toast)
  }, [missing, toast])
  // For example after paying in another tab. Never while a card is being entered.
  useFreshWhenSeen(answer?.kind !== 'quote')
  return (
    <AccountTimeProvider now={now} zone={timezone}>
      <PageHeader
        title="Subscription"
        overline={accountName}
        back={{ to: dashboardAddress(account), words: 'Back to Dashboard' }}
      />
      {plan === null ? (
        <Missing />
      ) : (
        // On a phone the button comes before the usage: the columns collapse and the order counts.
        <div className="grid grid-cols-1 gap-5 lg:grid-cols-2 lg:gap-6">
          <div className="contents min-w-0 content-start gap-6 lg:grid">
            <StatusCard plan={plan} />
            <div className="max-lg:order-1">
              <UsageCard usage={plan.usage} />
            </div>
          </div>
          <div className="contents min-w-0 content-start gap-6 lg:grid">
            <PaymentCard rights={rights} account={account} plan={plan} payments={payments} answer={answer} />
            <div className="max-lg:order-1">
              <PricingCard />
            </div>
          </div>
        </div>
      )}
    </AccountTimeProvider>
  )
}

function Missing() {
  return (
    <CardSection id="missing" title={PLAN_TEXTS.errorTitle}>
      <Notice tone="failing" title={PLAN_TEXTS.errorText}>
        <p>Your webhooks and automations keep working. Nothing was charged.</p>
        <ReloadLink variant="quiet" className="-ml-4">
          Try again
        </ReloadLink>
      </Notice>
    </CardSection>
  )
}

const ICONS: Record<PlanView['tone'], LucideIcon> = {
  working: CircleCheck,
  attention: CircleAlert,
  failing: OctagonAlert,
  held: Hourglass,
  accent: CircleDot,
}

/** Shows the account's plan, and what happens next and when. */
function StatusCard({ plan }: { plan: PlanView }) {
  const { progress } = plan
  return (
    <CardSection
      id="status"
      title="Status"
      action={
        <StatusPill tone={plan.tone} icon={ICONS[plan.tone]}>
          {plan.word}
        </StatusPill>
      }
    >
      <div className="grid gap-4">
        <div className="grid gap-1.5">
          <p className="font-semibold">{plan.sentence}</p>
          {plan.next.map((sentence) => (
            <p key={sentence} className="text-label text-ink-soft">
              {sentence}
            </p>
          ))}
        </div>
        {progress === null ? null : (
          <Meter label={progress.label} value={progress.done} most={progress.of} words={progress.words} />
        )}
        {plan.providerWord === null ? null : (
          <p className="text-dense text-ink-soft">
            Status at the payment provider: <code className="font-mono">{plan.providerWord}</code>
          </p>
        )}
      </div>
    </CardSection>
  )
}

/** Shows how much of the included operations was used. */
function UsageCard({ usage }: { usage: UsageView }) {
  const counters = [
    ['API calls', usage.apiCalls],
    ['Webhooks received', usage.webhooksReceived],
    ['Webhooks forwarded', usage.webhooksForwarded],
  ] as const
  return (
    <CardSection id="usage" title="Usage">
      <div className="grid gap-4">
        <Meter
          label="Operations used"
          value={usage.total}
          most={usage.included}
          words={usage.words}
          tone={usage.over ? 'attention' : 'accent'}
        />
        {usage.curve === null ? null : (
          <Curve
            sentence={usage.curve.sentence}
            values={usage.curve.sums}
            places={usage.curve.days}
            limit={usage.included}
            expected={usage.curve.expected}
          />
        )}
        <dl className="grid gap-2 min-[22.5rem]:grid-cols-3 min-[22.5rem]:gap-3">
          {counters.map(([name, count]) => (
            <div
              key={name}
              className="flex min-w-0 items-baseline justify-between rounded-control bg-sunken px-3 py-2.5 min-[22.5rem]:flex-col-reverse min-[22.5rem]:items-start min-[22.5rem]:justify-end"
            >
              <dt className="text-dense text-ink-soft">{name}</dt>
              <dd className="font-semibold text-title tabular-nums">{grouped(count)}</dd>
            </div>
          ))}
        </dl>
        {usage.over ? (
          <Notice tone="attention" title={usage.over.note}>
            <p>{usage.over.meaning}</p>
          </Notice>
        ) : null}
        <p className="text-dense text-ink-soft">
          {usage.period}. API calls and webhook operations count together. Opening pages, previews and tests are free.
        </p>
      </div>
    </CardSection>
  )
}

const INCLUDED = [
  '14-day free trial',
  '1,000 API calls included',
  '1,000 webhook operations included',
  'Both count together: 1,000 operations a month',
  'Unlimited webhook endpoints',
  'Additional usage at £0.005 per 1,000 operations',
]

/** Shows the price. */
function PricingCard() {
  return (
    <CardSection id="pricing" title="Pricing">
      <p className="mb-3">
        <span className="font-semibold text-display tabular-nums">£5</span>{' '}
        <span className="text-ink-soft">per month, VAT included</span>
      </p>
      <ul className="grid gap-2">
        {INCLUDED.map((words) => (
          <li key={words} className="flex items-start gap-2.5 text-label">
            <Check aria-hidden className="mt-0.5 size-4 shrink-0 text-working" />
            {words}
          </li>
        ))}
      </ul>
    </CardSection>
  )
}
