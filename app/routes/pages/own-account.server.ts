// What the pages about deliveries share: whose page it is, the gate for everybody else, and the one button they have.
import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { CREDENTIAL_MESSAGES } from '#app/domain/credential.ts'
import { findPageAccount, type PageAccount } from '#app/features/accounts/page-account.server.ts'
import { parseWebhookId } from '#app/features/endpoints/endpoint.ts'
import { notSentAgainFlash } from '#app/features/events/search-view.ts'
import { setFlash } from '#app/http/flash.server.ts'
import { readForm } from '#app/http/guards.server.ts'
import { logRefusedPage } from '#app/http/refusals.server.ts'
import { findSession } from '#app/http/session.server.ts'
import type { Flash } from '#app/lib/flash.ts'
import { deliveryControls } from '../delivery-controls.server.ts'

type Args = Pick<LoaderFunctionArgs, 'request' | 'context'>

export type OwnAccount = Extract<PageAccount, { outcome: 'ready' }>

/** The account the address names, when this browser has proved it. */
export async function findOwnAccount({ request, context }: Args): Promise<PageAccount> {
  const query = new URL(request.url).searchParams
  const session = await findSession(context.app, request)
  const adminHeader = request.headers.get('x-admin-mode')
  const found = await findPageAccount(context.app, session, { query, adminHeader })
  if (found.outcome !== 'ready') await logRefusedPage({ request, context }, 'gate', session)
  return found
}

/** Who is signed in to the account, as far as the platform said so. */
export async function findStaffUuid({ request, context }: Args, accountUuid: string): Promise<string | null> {
  const session = await findSession(context.app, request)
  return session?.accounts.find((account) => account.accountUuid === accountUuid)?.staffUuid ?? null
}

/** What the sign-in gate is drawn from. */
export function gateFor(found: Exclude<PageAccount, OwnAccount>, request: Request) {
  return {
    view: 'gate' as const,
    state: found.outcome === 'no_account' ? ('no_account' as const) : ('ready' as const),
    accountUUID: found.outcome === 'no_account' ? '' : found.accountId,
    token: new URL(request.url).searchParams.get('token') ?? '',
  }
}

/** "Send again" was pressed: `deliveryId` is the new one, null = it could not be done, as the message says. */
interface Pressed {
  found: OwnAccount
  deliveryId: number | null
  refusal: Flash | null
}

/**
 * Does what the form asks (`delivery` = which one). When the session ended while the page was open, this throws the way
 * back to it, where the gate says so.
 */
export async function pressSendAgain({ request, context }: Pick<ActionFunctionArgs, 'request' | 'context'>) {
  const { app } = context
  const found = await findOwnAccount({ request, context })
  if (found.outcome !== 'ready') {
    const { pathname, search } = new URL(request.url)
    throw redirectWith({ request, context }, `${pathname}${search}`, {
      kind: 'error',
      title: CREDENTIAL_MESSAGES.none,
      description: 'Nothing was sent. Please sign in again.',
    })
  }
  const id = parseWebhookId((await readForm(request)).get('delivery') ?? '')
  const sent = id === null ? null : await deliveryControls(app, found.account.uuid).sendAgain(id)
  if (sent?.outcome === 'sent') return { found, deliveryId: sent.deliveryId, refusal: null } satisfies Pressed
  const why = sent !== null && 'message' in sent ? sent.message : null
  return { found, deliveryId: null, refusal: notSentAgainFlash(why) } satisfies Pressed
}

/** To another page, where the message is shown. */
export function redirectWith({ context }: Args, to: string, flash: Flash): Response {
  return redirect(to, { status: 303, headers: { 'Set-Cookie': setFlash(context.app, flash) } })
}
