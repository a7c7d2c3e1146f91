// Shared by the pages of one account: finds it, shows the gate to everyone else, and handles "Send again".
import { type LoaderFunctionArgs, redirect } from '@remix-run/node'
import type { App } from '#app/context/app-context.ts'
import { CREDENTIAL_MESSAGES } from '#app/domain/credential.ts'
import { type OwnerAct, ownerActRefusal } from '#app/domain/people.ts'
import { holdReason } from '#app/domain/quarantine.ts'
import { ownerFlash } from '#app/features/accounts/account-form.ts'
import { findPageAccount, type PageAccount } from '#app/features/accounts/page-account.server.ts'
import { recordRefusedCall } from '#app/features/audit/refusals.server.ts'
import { findPlanNotice } from '#app/features/billing/plan.server.ts'
import { parseWebhookId } from '#app/features/endpoints/endpoint.ts'
import { SEARCH_PAGE } from '#app/features/events/search-filter.ts'
import { setFlash } from '#app/http/flash.server.ts'
import { readForm } from '#app/http/guards.server.ts'
import { logRefusedPage } from '#app/http/refusals.server.ts'
import { findSession } from '#app/http/session.server.ts'
import type { Flash } from '#app/lib/flash.ts'
import { deliveryControls } from '../delivery-controls.server.ts'

type Args = Pick<LoaderFunctionArgs, 'request' | 'context'>

export type OwnAccount = Extract<PageAccount, { outcome: 'ready' }>

/** The account in the address, when this browser has proved it. */
export async function findOwnAccount({ request, context }: Args): Promise<PageAccount> {
  const query = new URL(request.url).searchParams
  const session = await findSession(context.app, request)
  const adminHeader = request.headers.get('x-admin-mode')
  const found = await findPageAccount(context.app, session, { query, adminHeader })
  if (found.outcome !== 'ready') await logRefusedPage({ request, context }, 'gate', session)
  return found
}

/**
 * The same for a form. If the session ended while the page was open, throws the redirect to `back`, by default the page
 * itself, where the gate explains.
 */
export async function requireOwnAccount(args: Args, notDone?: string, back = addressOf(args.request)) {
  const found = await findOwnAccount(args)
  if (found.outcome === 'ready') return found
  throw toGate(args, back, notDone)
}

/** Redirects to where the gate says what was not done; by default, that a form was not taken. */
export function toGate(args: Pick<Args, 'context'>, back: string, notDone?: string): Response {
  const why = notDone ? { description: notDone } : ({ description: NOT_TAKEN, typed: true } as const)
  return redirectWith(args, back, { kind: 'error', title: CREDENTIAL_MESSAGES.none, ...why })
}

const NOT_TAKEN = 'Nothing was changed. Please sign in again.'

/** Says why this person may not press the button, and records it, as of a call. Null = allowed. */
export async function refuseOwnerAct({ request, context }: Args, found: OwnAccount, act: OwnerAct) {
  const { app, clientIp } = context
  const refused = ownerActRefusal(act, found, app.clock.now())
  if (refused === null) return null
  const { method, url } = request
  const press = { method, path: new URL(url).pathname, status: 403, accountUuid: found.account.uuid }
  await recordRefusedCall(app, press, clientIp)
  return ownerFlash(refused)
}

/** The path and the query. */
export function addressOf(request: Request): string {
  const { pathname, search } = new URL(request.url)
  return `${pathname}${search}`
}

/** What most pages of an account start from. */
export async function accountFrame(app: App, found: OwnAccount) {
  const { accountUUID, admin, ...frame } = await pageFrame(app, found)
  return { account: { accountUUID, admin, person: found.staffUuid ?? '' }, ...frame }
}

/** The same for pages that take the account apart. */
export async function pageFrame(app: App, found: OwnAccount) {
  const { account, accountId, admin } = found
  return {
    accountUUID: accountId,
    admin,
    accountName: account.name,
    timezone: account.timezone,
    now: app.clock.now(),
    planNotice: await findPlanNotice(app, account.uuid, found),
  }
}

/** The sign-in gate's data. */
export function gateFor(found: Exclude<PageAccount, OwnAccount>, request: Request) {
  return {
    view: 'gate' as const,
    state: found.outcome === 'no_account' ? ('no_account' as const) : ('ready' as const),
    accountUUID: found.outcome === 'no_account' ? '' : found.accountId,
    token: new URL(request.url).searchParams.get('token') ?? '',
    proved: found.outcome === 'sign_in' && found.proved,
  }
}

/** Result of "Send again": the new deliveries, how many were asked for, and what kept the last of the others. */
interface Pressed {
  found: OwnAccount
  sent: number[]
  asked: number
  why: string | null
}

/** Does what the form asks (`delivery` = an id, at most a page of them). */
export async function pressSendAgain({ request, context }: Args) {
  const found = await requireOwnAccount({ request, context }, 'Nothing was sent. Please sign in again.')
  const asked = [...new Set((await readForm(request)).getAll('delivery'))].slice(0, SEARCH_PAGE)
  const pressed: Pressed = { found, sent: [], asked: asked.length, why: null }
  const controls = deliveryControls(context.app, found.account.uuid)
  for (const text of asked) {
    const id = parseWebhookId(text)
    const one = id === null ? null : await controls.sendAgain(id)
    if (one?.outcome === 'sent') pressed.sent.push(one.deliveryId)
    else pressed.why = one !== null && 'message' in one ? one.message : null
  }
  return { ...pressed, hold: await holdOf(context.app, found.account.uuid) }
}

/** Why nothing is sent for the account at present; null = it is. */
export async function holdOf({ store, settings }: Pick<App, 'store' | 'settings'>, accountUuid: string) {
  const plan = await store.billing.findPlan(accountUuid)
  return holdReason(settings, plan && plan.heldSince !== null ? (plan.holdReason ?? '') : null)
}

/** Redirects to another page, which shows the message. */
export function redirectWith({ context }: Pick<Args, 'context'>, to: string, flash: Flash): Response {
  return redirect(to, { status: 303, headers: { 'Set-Cookie': setFlash(context.app, flash) } })
}
