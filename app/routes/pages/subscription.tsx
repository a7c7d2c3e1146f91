import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from '@remix-run/node'
import { useActionData, useLoaderData } from '@remix-run/react'
import { accountIdIn } from '#app/domain/account-id.ts'
import { loadOwnerRights } from '#app/features/accounts/people.server.ts'
import { Gate } from '#app/features/accounts/ui/gate.tsx'
import { staffNames } from '#app/features/automations/settings/automation-settings.server.ts'
import { loadSubscription } from '#app/features/billing/plan.server.ts'
import { PLAN_TEXTS, planView } from '#app/features/billing/plan-view.ts'
import { isReturn, returnedPayment, subscriptionAddress } from '#app/features/billing/subscription-address.ts'
import { PaymentReturn } from '#app/features/billing/ui/payment-return.tsx'
import { SubscriptionPage } from '#app/features/billing/ui/subscription-page.tsx'
import { unstoredPageHeaders } from '#app/http/page-caching.ts'
import { titled } from '../own-page.tsx'
import { findOwnAccount, gateFor, type OwnAccount, redirectWith } from './own-account.server.ts'
import { actOnSubscriptionPage, leaveEmptyReturn } from './subscription-acts.server.ts'

export const meta = titled('Subscription')

// Payment pages are never cached, and an answer may contain a payment's secret.
export const headers = unstoredPageHeaders

/** `/subscription?accountUUID=`, plus what the payment provider adds on a return. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const { app } = context
  const query = new URL(request.url).searchParams
  if (accountIdIn(query) === null) {
    throw redirectWith({ context }, '/', {
      kind: 'error',
      title: 'Error',
      description: PLAN_TEXTS.noAccount,
    })
  }
  const found = await findOwnAccount({ request, context })
  if (found.outcome !== 'ready') return data(gateFor(found, request))
  const { account, accountId, admin } = found
  if (isReturn(query)) {
    const paymentId = returnedPayment(query)
    if (paymentId === null) throw leaveEmptyReturn({ request, context }, found)
    return data({ view: 'return' as const, accountUUID: accountId, accountName: account.name, admin, paymentId })
  }
  const { mode, publishableKey } = app.settings.payments
  const plan = await viewOf(context, found)
  const page = {
    view: 'page' as const,
    accountUUID: accountId,
    accountName: account.name,
    timezone: account.timezone,
    admin,
    now: app.clock.now(),
    plan,
    rights: await loadOwnerRights(app, account.uuid, 'pay', found, () => staffNames(app, account.uuid)),
    payments: {
      mode,
      publishableKey,
      // From the configuration, never from the browser's address.
      returnUrl: `${app.settings.origin}${subscriptionAddress({ accountUUID: accountId, admin })}`,
    },
  }
  return data(page, { status: plan === null ? 500 : 200 })
}

/** Null = it could not be loaded: the page says so, and the rest still works. */
async function viewOf({ app }: LoaderFunctionArgs['context'], { account }: OwnAccount) {
  try {
    const facts = await loadSubscription(app, account.uuid)
    return planView(facts, {
      mode: app.settings.payments.mode,
      now: app.clock.now(),
      zone: account.timezone,
      retentionDays: app.settings.retentionDays,
      overageCharged: app.payments?.chargesOverage ?? false,
    })
  } catch (error) {
    app.log.error({ error, accountUuid: account.uuid }, 'subscription.not_loaded')
    return null
  }
}

export async function action({ request, context }: ActionFunctionArgs) {
  const { answer, status } = await actOnSubscriptionPage({ request, context })
  return data(answer, { status })
}

export default function Subscription() {
  const page = useLoaderData<typeof loader>()
  const answer = useActionData<typeof action>()
  if (page.view === 'gate') return <Gate {...page} />
  if (page.view === 'return') return <PaymentReturn {...page} />
  return <SubscriptionPage key={page.accountUUID} {...page} answer={answer ?? null} />
}
