import type { ActionFunctionArgs, HeadersFunction, LoaderFunctionArgs, MetaFunction } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { ASKS } from '#app/features/ops/operator-address.ts'
import { loadOperatorPage } from '#app/features/ops/operator-page.server.ts'
import { OperatorPage } from '#app/features/ops/ui/operator-page.tsx'
import { requireOperator } from '#app/http/operator.server.ts'
import { pressOperatorButton } from './operator-acts.server.ts'

export const meta: MetaFunction<typeof loader> = ({ data: page }) => [
  { title: page ? 'Operator · Fieldhook' : 'Fieldhook: something is missing' },
]

// How everybody fares is for nobody's disk.
export const headers: HeadersFunction = () => ({ 'Cache-Control': 'no-store' })

/** `/operator?accountUUID=&admin=yes`: `page` is that of the list of accounts, `sign_out` opens the question for one. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const { app } = context
  const { accountUuid, accountId } = await requireOperator({ request, context })
  const account = await app.store.accounts.findAccount(accountUuid)
  const { searchParams } = new URL(request.url)
  return {
    accountUUID: accountId,
    admin: true,
    accountName: account?.name ?? '',
    timezone: account?.timezone ?? 'UTC',
    asked: searchParams.get(ASKS),
    view: await loadOperatorPage(app, searchParams.get('page')),
  }
}

export function action({ request, context }: ActionFunctionArgs): Promise<never> {
  return pressOperatorButton({ request, context })
}

export default function Operator() {
  return <OperatorPage {...useLoaderData<typeof loader>()} />
}
