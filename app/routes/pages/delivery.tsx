import { type ActionFunctionArgs, data, type LoaderFunctionArgs, type SerializeFrom } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { deliveryAddress } from '#app/domain/delivery-address.ts'
import { eventsKept } from '#app/domain/kept-until.ts'
import { spanText } from '#app/domain/time/moments.ts'
import { parseWebhookId } from '#app/features/endpoints/endpoint.ts'
import { loadDelivery } from '#app/features/events/delivery-detail.server.ts'
import { goneDelivery } from '#app/features/events/gone-text.ts'
import { namesForPage } from '#app/features/events/record-names.server.ts'
import { deliveryTitle, notSentAgainFlash, SENT_AGAIN_HERE, unlessHeld } from '#app/features/events/search-view.ts'
import { DeliveryPage } from '#app/features/events/ui/delivery-page.tsx'
import { GonePage } from '#app/ui/page/error-page.tsx'
import { GATE_TITLE, OwnPage, titled } from '../own-page.tsx'
import { addressOf, findOwnAccount, gateFor, pageFrame, pressSendAgain, redirectWith } from './own-account.server.ts'

export const meta = titled((page?: SerializeFrom<typeof loader>) => {
  if (page?.view === 'gone') return page.gone.title
  return page?.view === 'delivery' ? deliveryTitle(page.delivery) : GATE_TITLE
})

/** `/deliveries/:id?accountUUID=`: one page for ids that expired, never existed, or belong to another account. */
export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const { app } = context
  const found = await findOwnAccount({ request, context })
  if (found.outcome !== 'ready') return gateFor(found, request)
  const { account, accountId, admin } = found
  const id = parseWebhookId(params.id ?? '')
  const delivery = id === null ? null : await loadDelivery(app, account.uuid, id, namesForPage(app))
  if (delivery === null) {
    const shown = { accountUUID: accountId, admin }
    const gone = goneDelivery(shown, spanText(eventsKept(app.settings.retentionDays)))
    return data({ view: 'gone' as const, ...shown, gone }, { status: 404 })
  }
  return {
    view: 'delivery' as const,
    ...(await pageFrame(app, found)),
    delivery,
    beside: await app.store.events.deliveriesBeside(account.uuid, { seq: delivery.event.seq, deliveryId: delivery.id }),
  }
}

/** "Send again" redirects to the new delivery, which is the one to watch. */
export async function action({ request, context }: ActionFunctionArgs) {
  const { found, sent, why, hold } = await pressSendAgain({ request, context })
  const account = { accountUUID: found.accountId, admin: found.admin }
  const [again] = sent
  if (again === undefined) throw redirectWith({ context }, addressOf(request), notSentAgainFlash(why))
  throw redirectWith({ context }, deliveryAddress(account, again), unlessHeld(SENT_AGAIN_HERE, hold))
}

export default function Delivery() {
  const page = useLoaderData<typeof loader>()
  if (page.view === 'gone') return <GonePage {...page.gone} />
  return <OwnPage page={page}>{(shown) => <DeliveryPage key={shown.delivery.id} {...shown} />}</OwnPage>
}
