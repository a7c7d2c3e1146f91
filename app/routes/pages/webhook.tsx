import { data, type LoaderFunctionArgs, type MetaFunction, redirect } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { managerAddress } from '#app/domain/delivery-address.ts'
import { parseEndpointKey, refOf } from '#app/domain/endpoint-key.ts'
import { Gate } from '#app/features/accounts/ui/gate.tsx'
import { goneWebhook } from '#app/features/events/gone-text.ts'
import { GonePage } from '#app/ui/page/error-page.tsx'
import { findOwnAccount, gateFor } from './own-account.server.ts'

export const meta: MetaFunction<typeof loader> = ({ data: page }) => [
  { title: `${page?.view === 'gone' ? page.gone.title : 'Connect to ServiceM8'} · Fieldhook` },
]

/** `/webhooks/:id?accountUUID=` (or `rule-3`): redirects to its card on the manager, or says that it is gone. */
export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const found = await findOwnAccount({ request, context })
  if (found.outcome !== 'ready') return gateFor(found, request)
  const account = { accountUUID: found.accountId, admin: found.admin }
  const key = parseEndpointKey(params.id ?? '')
  const record = key === null ? null : await context.app.store.endpoints.findEndpoint(found.account.uuid, refOf(key))
  if (record !== null) throw redirect(managerAddress(account, key))
  return data({ view: 'gone' as const, ...account, gone: goneWebhook(account) }, { status: 404 })
}

export default function Webhook() {
  const page = useLoaderData<typeof loader>()
  if (page.view === 'gate') return <Gate {...page} />
  return <GonePage {...page.gone} />
}
