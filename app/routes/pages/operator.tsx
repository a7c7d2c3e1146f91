import { type ActionFunctionArgs, type LoaderFunctionArgs, type MetaFunction, redirect } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { endSessionsOfAccount } from '#app/features/accounts/open-sessions.server.ts'
import { ASKS, endedFlash, NOT_ENDED, readEndSessions } from '#app/features/ops/operator-address.ts'
import { loadOperatorPage } from '#app/features/ops/operator-page.server.ts'
import { OperatorPage } from '#app/features/ops/ui/operator-page.tsx'
import { setFlash } from '#app/http/flash.server.ts'
import { readForm } from '#app/http/guards.server.ts'
import { requireOperator } from '#app/http/operator.server.ts'
import { unstoredPageHeaders } from '#app/http/page-caching.ts'

export const meta: MetaFunction = () => [{ title: 'Operator · Fieldhook' }]

// Data about all accounts must not be cached on disk.
export const headers = unstoredPageHeaders

/** `/operator?accountUUID=&admin=yes`: `page` of the list of accounts; `sign_out` opens the question for one. */
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

/** The page's one button: signs everyone out of an account. The page then says what was done. */
export async function action({ request, context }: ActionFunctionArgs): Promise<never> {
  const { app } = context
  await requireOperator({ request, context })
  const url = new URL(request.url)
  url.searchParams.delete(ASKS)
  const wanted = readEndSessions(await readForm(request, 4096))
  const account = wanted === null ? null : await app.store.accounts.findAccount(wanted)
  const flash = account === null ? NOT_ENDED : endedFlash(account.name, await endSessionsOfAccount(app, account.uuid))
  throw redirect(`${url.pathname}${url.search}`, { status: 303, headers: { 'Set-Cookie': setFlash(app, flash) } })
}

export default function Operator() {
  return <OperatorPage {...useLoaderData<typeof loader>()} />
}
