// What the pages about runs share: the buttons, and what a person without a session reads.
import type { ActionFunctionArgs } from '@remix-run/node'
import { CREDENTIAL_MESSAGES } from '#app/features/accounts/credential.ts'
import { actOnRun } from '#app/features/automations/act-on-run.server.ts'
import { runAddress } from '#app/features/automations/history-address.ts'
import { readForm } from '#app/http/guards.server.ts'
import { findOwnAccount, redirectWith } from './own-account.server.ts'

/** Does what was pressed and throws the way to the page that shows it: the one it was pressed on, or a run begun anew. */
export async function pressRunButton({ request, context }: Pick<ActionFunctionArgs, 'request' | 'context'>) {
  const { pathname, search } = new URL(request.url)
  const found = await findOwnAccount({ request, context })
  if (found.outcome !== 'ready') {
    throw redirectWith({ request, context }, `${pathname}${search}`, {
      kind: 'error',
      title: CREDENTIAL_MESSAGES.none,
      description: 'Nothing was done. Please sign in again.',
    })
  }
  const acted = await actOnRun(context.app, found.account.uuid, await readForm(request))
  const account = { accountUUID: found.accountId, admin: found.admin }
  const to = acted.runId === null ? `${pathname}${search}` : runAddress(account, acted.runId)
  throw redirectWith({ request, context }, to, acted.flash)
}
