import { data, type HeadersFunction, type LoaderFunctionArgs, type MetaFunction, redirect } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { movedAccountAddress } from '#app/domain/account-address.ts'
import { loadAccountPage } from '#app/features/accounts/account-page.server.ts'
import { AccountPage } from '#app/features/accounts/ui/account-page.tsx'
import { Gate } from '#app/features/accounts/ui/gate.tsx'
import { newestAuditLine } from '#app/features/audit/audit-page.server.ts'
import { PlanNoticeLine } from '#app/features/billing/ui/plan-notice-line.tsx'
import { findSession } from '#app/http/session.server.ts'
import { accountFrame, findOwnAccount, gateFor } from '../pages/own-account.server.ts'
import { pressAccountButton } from './account-acts.server.ts'
import { namedPeople } from './account-data.server.ts'

export const meta: MetaFunction<typeof loader> = ({ data: page }) => [
  { title: page?.view === 'gate' ? 'Connect to ServiceM8 · Fieldhook' : 'Account and security · Fieldhook' },
]

// Sign-in locations must not be cached on disk.
export const headers: HeadersFunction = () => ({ 'Cache-Control': 'no-store' })

/** `/account?accountUUID=`. Older addresses of its parts lead to their pages. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const { app } = context
  const found = await findOwnAccount({ request, context })
  if (found.outcome !== 'ready') return data(gateFor(found, request))
  const moved = movedAccountAddress(
    { accountUUID: found.accountId, admin: found.admin },
    new URL(request.url).searchParams,
  )
  if (moved !== null) throw redirect(moved)
  const { uuid } = found.account
  const { people, names } = await namedPeople(app, found)
  return data({
    view: 'account' as const,
    ...(await accountFrame(app, found)),
    people,
    newest: await newestAuditLine(app, found.account, names),
    ...(await loadAccountPage(app, uuid, await findSession(app, request))),
  })
}

export const action = pressAccountButton

export default function Account() {
  const page = useLoaderData<typeof loader>()
  if (page.view === 'gate') return <Gate state={page.state} accountUUID={page.accountUUID} token={page.token} />
  return (
    <>
      <PlanNoticeLine notice={page.planNotice} {...page.account} />
      <AccountPage {...page} />
    </>
  )
}
