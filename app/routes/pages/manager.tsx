import {
  type ActionFunctionArgs,
  data,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
  type TypedResponse,
} from '@remix-run/node'
import { useActionData, useLoaderData } from '@remix-run/react'
import { useEffect } from 'react'
import { CREDENTIAL_MESSAGES } from '#app/features/accounts/credential.ts'
import { findPageAccount } from '#app/features/accounts/page-account.server.ts'
import { knownSignInMessage, SIGN_IN_TOASTS } from '#app/features/accounts/sign-in.ts'
import { Gate } from '#app/features/accounts/ui/gate.tsx'
import { StageDoor } from '#app/features/accounts/ui/stage-door.tsx'
import { type ManagerStep, managerSearch, readManagerStep } from '#app/features/webhooks/ui/manager-address.ts'
import { ManagerPage } from '#app/features/webhooks/ui/manager-page.tsx'
import { actOnManagerPage, loadManagerPage } from '#app/features/webhooks/webhook-page.server.ts'
import { setFlash } from '#app/http/flash.server.ts'
import { readForm } from '#app/http/guards.server.ts'
import { findSession } from '#app/http/session.server.ts'
import type { Flash } from '#app/lib/flash.ts'
import { useToast } from '#app/ui/toast.tsx'
import { deliveryControls } from '../delivery-controls.server.ts'

export const meta: MetaFunction<typeof loader> = ({ data: page }) => [
  { title: page?.view === 'gate' ? 'Connect to ServiceM8 · Fieldhook' : 'Webhooks · Fieldhook' },
]

async function pageAccount({ request, context }: Pick<LoaderFunctionArgs, 'request' | 'context'>) {
  const query = new URL(request.url).searchParams
  const session = await findSession(context.app, request)
  return findPageAccount(context.app, session, { query, adminHeader: request.headers.get('x-admin-mode') })
}

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { app } = context
  const url = new URL(request.url)
  if (url.searchParams.has('auth')) throw returnFromSignIn(app, url)
  const found = await pageAccount({ request, context })
  if (found.outcome !== 'ready') {
    return {
      view: 'gate' as const,
      state: found.outcome === 'no_account' ? ('no_account' as const) : ('ready' as const),
      accountUUID: found.outcome === 'no_account' ? '' : found.accountId,
      token: url.searchParams.get('token') ?? '',
      stage: found.outcome === 'no_account' && app.settings.sandbox,
    }
  }
  const step = readManagerStep(url.searchParams)
  const controls = deliveryControls(app, found.account.uuid)
  const page = await loadManagerPage(app, controls, found.account.uuid, {
    ...(step.step === 'log' && { log: step }),
    ...(step.step === 'replay' && { replay: step }),
  })
  return {
    view: 'manager' as const,
    accountUUID: found.accountId,
    admin: found.admin,
    reconnect: found.reconnect,
    step,
    ...page,
  }
}

export async function action({ request, context }: ActionFunctionArgs) {
  const { app } = context
  const found = await pageAccount({ request, context })
  const path = new URL(request.url).pathname
  if (found.outcome !== 'ready') {
    // The session ended while the form was open: the gate says so, and the address keeps the account.
    const ended: Flash = {
      kind: 'error',
      title: CREDENTIAL_MESSAGES.none,
      description: 'Nothing was changed. Please sign in again.',
    }
    const query = found.outcome === 'sign_in' ? `?${new URLSearchParams({ accountUUID: found.accountId })}` : ''
    throw redirect(`${path}${query}`, { status: 303, headers: { 'Set-Cookie': setFlash(app, ended) } })
  }
  const form = await readForm(request)
  const formData = new FormData()
  for (const [name, value] of form) formData.append(name, value)
  const outcome = await actOnManagerPage(app, deliveryControls(app, found.account.uuid), found.account.uuid, formData, {
    admin: found.admin,
  })
  if (outcome.outcome === 'refused')
    return data({ result: outcome.result, toast: outcome.toast }, { status: outcome.status })
  // Whoever reads a log goes on reading it; everything else leads back to the plain page.
  const step = readManagerStep(new URL(request.url).searchParams)
  const next: ManagerStep =
    outcome.secretOf !== undefined
      ? { step: 'secret', webhookId: outcome.secretOf }
      : step.step === 'log'
        ? step
        : { step: 'none' }
  const search = managerSearch({ accountUUID: found.accountId, admin: found.admin }, next)
  throw redirect(`${path}${search}`, { status: 303, headers: { 'Set-Cookie': setFlash(app, outcome.flash) } })
}

/** The address is cleaned, and what the return said becomes the next page's message: only sentences of ours are shown. */
function returnFromSignIn(app: Parameters<typeof setFlash>[0], url: URL): TypedResponse<never> {
  const message = knownSignInMessage(url.searchParams.get('message'))
  const description = message === null ? {} : { description: message }
  const flash: Flash =
    url.searchParams.get('auth') === 'success'
      ? { kind: 'success', title: SIGN_IN_TOASTS.success, ...description }
      : { kind: 'error', title: SIGN_IN_TOASTS.failure, ...description }
  const clean = new URLSearchParams(url.searchParams)
  for (const name of ['auth', 'message']) clean.delete(name)
  const query = clean.size > 0 ? `?${clean}` : ''
  return redirect(`${url.pathname}${query}`, { status: 302, headers: { 'Set-Cookie': setFlash(app, flash) } })
}

export default function Manager() {
  const page = useLoaderData<typeof loader>()
  const refused = useActionData<typeof action>()
  const toast = useToast()
  useEffect(() => {
    if (refused) toast(refused.toast)
  }, [refused, toast])
  if (page.view === 'gate') {
    return (
      <>
        <Gate state={page.state} accountUUID={page.accountUUID} token={page.token} />
        {page.stage ? <StageDoor /> : null}
      </>
    )
  }
  return <ManagerPage {...page} logSource="/fieldhook/log" {...(refused ? { result: refused.result } : {})} />
}
