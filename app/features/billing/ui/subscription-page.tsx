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
import { useToast } from '#app/ui/toast/toast.tsx'
import { refusal, type SubscriptionAnswer } from '../payment-answer.ts'
import { PLAN_TEXTS, type PlanView } from '../plan-view.ts'
import { dashboardAddress } from '../subscription-address.ts'
import { PaymentCard } from './payment-card.tsx'
import type { PaymentsOfPage } from './payment-provider.tsx'
import { PricingCard, StatusCard, UsageCard } from './plan-cards.tsx'

export interface SubscriptionPageProps {
  /** The account as the URL names it; part of every link. */
  accountUUID: string
  accountName: string
  /** The account's IANA zone. */
  timezone: string
  /** The page was requested with the admin flag: links keep it. */
  admin: boolean
  /** The server's time. */
  now: Millis
  /** Null when loading failed. */
  plan: PlanView | null
  payments: PaymentsOfPage
  rights: OwnerRights
  /** The result of the button that was just pressed, otherwise null. */
  answer: SubscriptionAnswer | null
}

/** Shows the account's plan, its usage, what happens next, and the one action to take. */
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

/** Reloads when the user returns from another tab, e.g. after paying there. Never while a card is being entered. */
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
        <p>Your webhooks and automations keep working. Nothing was charged.</p>
        <ReloadLink variant="quiet" className="-ml-4">
          Try again
        </ReloadLink>
      </Notice>
    </CardSection>
  )
}
