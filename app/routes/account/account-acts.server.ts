// Handles the buttons of the page "Account and security".
import { type ActionFunctionArgs, data } from '@remix-run/node'
import { ACCOUNT_FLASHES, INTENT_NEEDS, NOT_ERASED, readAccountIntent } from '#app/features/accounts/account-form.ts'
import { endEverySession, endOpenSession } from '#app/features/accounts/open-sessions.server.ts'
import { readForm } from '#app/http/guards.server.ts'
import { requireRateOf } from '#app/http/rate-limit.server.ts'
import { findSession } from '#app/http/session.server.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { eraseWithSubscription } from '../erase-account.server.ts'
import { redirectWith, refuseOwnerAct, requireOwnAccount } from '../pages/own-account.server.ts'

/** Throws the redirect to the page with the result. Returns only if nothing was done: the question shows again. */
export async function pressAccountButton({ request, context }: ActionFunctionArgs) {
  const { app } = context
  const url = new URL(request.url)
  url.searchParams.delete('step')
  const here = `${url.pathname}${url.search}`
  const found = await requireOwnAccount({ request, context }, undefined, here)
  const { uuid } = found.account
  const act = readAccountIntent(await readForm(request, 4096))
  if (!act) throw redirectWith({ context }, here, ACCOUNT_FLASHES.unknown)
  const needs = INTENT_NEEDS[act.intent]
  const refused = needs && (await refuseOwnerAct({ request, context }, found, needs))
  if (refused) throw redirectWith({ context }, here, refused)
  switch (act.intent) {
    case 'end_session': {
      const ended = await endOpenSession(app, [uuid], act.id, await findSession(app, request))
      throw redirectWith({ context }, here, ended ? ACCOUNT_FLASHES.sessionEnded : ACCOUNT_FLASHES.sessionGone)
    }
    case 'end_all':
      await endEverySession(app, uuid)
      throw redirectWith({ context }, here, ACCOUNT_FLASHES.allEnded)
    case 'role': {
      const changed = await app.store.accounts.changeRole(uuid, act.staffUuid, act.role)
      const flash = {
        unknown: 'personGone',
        last_owner: 'lastOwner',
        same: 'roleChanged',
        changed: 'roleChanged',
      } as const
      throw redirectWith({ context }, here, ACCOUNT_FLASHES[flash[changed]])
    }
    case 'erase': {
      requireRateOf(app, 'erase', uuid)
      const erasing = await eraseWithSubscription(app, uuid, act.name)
      if (erasing.outcome !== 'begun') {
        return data({ name: act.name, message: NOT_ERASED[erasing.outcome] }, { status: 400 })
      }
      throw redirectWith({ context }, '/', ACCOUNT_FLASHES.erasing)
    }
    default:
      return assertNever(act)
  }
}
