import { useRevalidator } from '@remix-run/react'
import { ArrowLeft } from 'lucide-react'
import { useEffect } from 'react'
import type { OwnerRights } from '#app/domain/people.ts'
import type { Millis } from '#app/lib/clock.ts'
import { ButtonLink, ReloadLink } from '#app/ui/button.tsx'
import { CardSection } from '#app/ui/card.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PageHeader } from '#app/ui/page/page-header.tsx'
import { AccountTimeProvider } from '#app/ui/time/time.tsx'
import { useToast } from '#app/ui/toast.tsx'
import { refusal, type SubscriptionAnswer } from '../payment-answer.ts'
import { PLAN_TEXTS, type PlanView } from '../plan-view.ts'
import { dashboardAddress } from '../subscription-address.ts'
import { PaymentCard } from './payment-card.tsx'
import type { PaymentsOfPage } from './payment-provider.tsx'
import { PricingCard, StatusCard, UsageCard } from './plan-cards.tsx'

export interface SubscriptionPageProps {
  /** The account as the address names it; stands in every link. */
  accountUUID: string
  accountName: string
  /** IANA zone of the account. */
  timezone: string
  /** The page was asked for with the flag of an admin: links keep it. */
  admin: boolean
  /** The server's moment. */
  now: Millis
  /** Null = it could not be loaded. */
  plan: PlanView | null
  payments: PaymentsOfPage
  rights: OwnerRights
  /** What came of the button that was just pressed, else null. */
  answer: SubscriptionAnswer | null
}

/** What the account has, what it used, what happens next, and the one thing to do about it. */
export function SubscriptionPage({ accountUUID, accountName, timezone, admin, now, ...rest }: SubscriptionPageProps) {
  const { plan, payments, rights, answer } = rest
  const account = { accountUUID, admin }
  const toast = useToast()
  const said = answer?.toast ?? null
  useEffect(() => {
    if (said) toast(said)
  }, [said, toast])
  const missing = plan === null
  useEffect(() => {
    if (missing) toast(refusal(PLAN_TEXTS.errorText).toast)
  }, [missing, toast])
  useFreshOnReturn(answer?.kind === 'quote')
  return (
    <AccountTimeProvider now={now} zone={timezone}>
      <PageHeader
        title="Subscription"
        overline={accountName}
        actions={
          <ButtonLink to={dashboardAddress(account)} icon={ArrowLeft}>
            Back to Dashboard
          </ButtonLink>
        }
      />
      {plan === null ? (
        <Missing />
      ) : (
        // On a phone the one button comes before what was used; there the columns fall away and the order counts.
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

/** Whoever paid or changed something in another tab finds it here on coming back. A card being entered is left alone. */
function useFreshOnReturn(occupied: boolean): void {
  const { revalidate } = useRevalidator()
  useEffect(() => {
    if (occupied) return
    const check = () => {
      if (document.visibilityState === 'visible') revalidate()
    }
    document.addEventListener('visibilitychange', check)
    return () => document.removeEventListener('visibilitychange', check)
  }, [occupied, revalidate])
}

function Missing() {
  return (
    <CardSection id="missing" title={PLAN_TEXTS.errorTitle}>
      <Notice tone="failing" title={PLAN_TEXTS.errorText}>
        <p>Your webhooks and automations are not touched by this, and nothing was charged.</p>
        <ReloadLink variant="quiet" className="-ml-4">
          Try again
        </ReloadLink>
      </Notice>
    </CardSection>
  )
}
