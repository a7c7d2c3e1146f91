// The one button of the operator's page: everybody is signed out of an account.
import { type ActionFunctionArgs, redirect } from '@remix-run/node'
import { endSessionsOfAccount } from '#app/features/accounts/open-sessions.server.ts'
import { ASKS, endedFlash, NOT_ENDED, readEndSessions } from '#app/features/ops/operator-address.ts'
import { setFlash } from '#app/http/flash.server.ts'
import { readForm } from '#app/http/guards.server.ts'
import { requireOperator } from '#app/http/operator.server.ts'

/** Throws the way back to the page, which says what was done. */
export async function pressOperatorButton({
  request,
  context,
}: Pick<ActionFunctionArgs, 'request' | 'context'>): Promise<never> {
  const { app } = context
  await requireOperator({ request, context })
  const url = new URL(request.url)
  url.searchParams.delete(ASKS)
  const wanted = readEndSessions(await readForm(request, 4096))
  const account = wanted === null ? null : await app.store.accounts.findAccount(wanted)
  const flash = account === null ? NOT_ENDED : endedFlash(account.name, await endSessionsOfAccount(app, account.uuid))
  throw redirect(`${url.pathname}${url.search}`, { status: 303, headers: { 'Set-Cookie': setFlash(app, flash) } })
}
