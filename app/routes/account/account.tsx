import { data, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { movedAccountAddress } from '#app/domain/account-address.ts'
import { loadAccountPage } from '#app/features/accounts/account-page.server.ts'
import { AccountPage } from '#app/features/accounts/ui/account-page.tsx'
import { newestAuditLine } from '#app/features/audit/audit-page.server.ts'
import { unstoredPageHeaders } from '#app/http/page-caching.ts'
import { findSession } from '#app/http/session.server.ts'
import { OwnPage, titled } from '../own-page.tsx'
import { accountFrame, findOwnAccount, gateFor } from '../pages/own-account.server.ts'
import { pressAccountButton } from './account-acts.server.ts'
import { namedPeople } from './account-data.server.ts'

export const meta = titled('Account and security')

// Sign-in locations must not be cached on disk.
export const headers = unstoredPageHeaders

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
  return <OwnPage page={page}>{(shown) => <AccountPage {...shown} />}</OwnPage>
}
