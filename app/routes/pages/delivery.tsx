import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { Gate } from '#app/features/accounts/ui/gate.tsx'
import { findPlanNotice } from '#app/features/billing/plan.server.ts'
import { PlanNoticeLine } from '#app/features/billing/ui/plan-notice-line.tsx'
import { deliveryAddress } from '#app/features/events/delivery-address.ts'
import { loadDelivery } from '#app/features/events/delivery-detail.server.ts'
import { SENT_AGAIN_FROM_DETAIL } from '#app/features/events/search-view.ts'
import { DeliveryPage } from '#app/features/events/ui/delivery-page.tsx'
import { parseWebhookId } from '#app/features/webhooks/webhook.ts'
import { findOwnAccount, gateFor, pressSendAgain, redirectWith } from './own-account.server.ts'

export const meta: MetaFunction<typeof loader> = ({ data: page }) => [
  {
    title:
      page === undefined
        ? '404 Page Not Found · Fieldhook'
        : page.view === 'gate'
          ? 'Connect to ServiceM8 · Fieldhook'
          : `Delivery ${page.delivery.id} · Fieldhook`,
  },
]

/** `/deliveries/:id?accountUUID=`: the 404 page for what is not there as for what is somebody else's. */
export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const { app } = context
  const found = await findOwnAccount({ request, context })
  if (found.outcome !== 'ready') return gateFor(found, request)
  const { account, accountId, admin } = found
  const id = parseWebhookId(params.id ?? '')
  const delivery = id === null ? null : await loadDelivery(app, account.uuid, id)
  if (delivery === null) throw new Response(null, { status: 404, statusText: 'Not Found' })
  return {
    view: 'delivery' as const,
    accountUUID: accountId,
    accountName: account.name,
    timezone: account.timezone,
    admin,
    planNotice: await findPlanNotice(app, account.uuid),
    now: app.clock.now(),
    delivery,
  }
}

/** "Send again" leads to the new delivery: that is the one to watch. */
export async function action({ request, context }: ActionFunctionArgs) {
  const { found, deliveryId, refusal } = await pressSendAgain({ request, context })
  const { pathname, search } = new URL(request.url)
  const account = { accountUUID: found.accountId, admin: found.admin }
  const to = deliveryId === null ? `${pathname}${search}` : deliveryAddress(account, deliveryId)
  throw redirectWith({ request, context }, to, refusal ?? SENT_AGAIN_FROM_DETAIL)
}

export default function Delivery() {
  const page = useLoaderData<typeof loader>()
  if (page.view === 'gate') return <Gate state={page.state} accountUUID={page.accountUUID} token={page.token} />
  return (
    <>
      <PlanNoticeLine notice={page.planNotice} accountUUID={page.accountUUID} admin={page.admin} />
      <DeliveryPage key={page.delivery.id} {...page} />
    </>
  )
}
