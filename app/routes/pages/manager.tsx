import { type ActionFunctionArgs, data, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { useActionData, useLoaderData } from '@remix-run/react'
import { useEffect } from 'react'
import { deliveryAddress } from '#app/domain/delivery-address.ts'
import { parseEndpointKey } from '#app/domain/endpoint-key.ts'
import { ownerActRefusal } from '#app/domain/people.ts'
import { Gate } from '#app/features/accounts/ui/gate.tsx'
import { StageDoor } from '#app/features/accounts/ui/stage-door.tsx'
import { findPlanNotice } from '#app/features/billing/plan.server.ts'
import { PlanNoticeLine } from '#app/features/billing/ui/plan-notice-line.tsx'
import { actOnManagerPage, loadManagerPage } from '#app/features/endpoints/manager-page.server.ts'
import { AccountNewsProvider } from '#app/features/endpoints/ui/account-news.tsx'
import { type ManagerStep, managerSearch, readManagerStep } from '#app/features/endpoints/ui/manager-address.ts'
import { ManagerPage } from '#app/features/endpoints/ui/manager-page.tsx'
import { OwnerRightsProvider } from '#app/features/endpoints/ui/owner-rights.tsx'
import { setFlash } from '#app/http/flash.server.ts'
import { readForm } from '#app/http/guards.server.ts'
import { formPageHeaders } from '#app/http/page-caching.ts'
import { hasDraft } from '#app/ui/form/draft.ts'
import { keepForm } from '#app/ui/form/unreached.tsx'
import { KeptNote } from '#app/ui/page/kept-note.tsx'
import { useAnswerToast, useToast } from '#app/ui/toast/toast.tsx'
import { deliveryControls } from '../delivery-controls.server.ts'
import { titled } from '../own-page.tsx'
import { findManagerAccount, openManager } from './manager-account.server.ts'
import { gateFor, redirectWith, refuseOwnerAct, toGate } from './own-account.server.ts'

export const meta = titled('Webhook Manager')

export const headers = formPageHeaders

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { app } = context
  const url = new URL(request.url)
  const { found, greeting, headers } = await openManager({ request, context })
  if (found.outcome !== 'ready') {
    return data({
      ...gateFor(found, request),
      greeting,
      stage: found.outcome === 'no_account' && app.settings.sandbox,
    })
  }
  const step = readManagerStep(url.searchParams)
  const controls = deliveryControls(app, found.account.uuid)
  const page = await loadManagerPage(app, controls, found.account.uuid, {
    ...(step.step !== 'none' && { card: step.webhookId }),
    ...(step.step === 'deleted' && { deleted: step.webhookId }),
    ...(step.step === 'log' && { log: step }),
    ...(step.step === 'replay' && { replay: step }),
  })
  const { accountId: accountUUID, admin, reconnect, missingScopes } = found
  const planNotice = await findPlanNotice(app, found.account.uuid, found)
  // No owner names needed: the note links to the account page.
  const rights = { refusal: ownerActRefusal('keys', found, app.clock.now()), owners: [] }
  const shown = { accountUUID, admin, reconnect, missingScopes, step, planNotice, rights }
  return data({ view: 'manager' as const, person: found.staffUuid ?? '', ...shown, ...page }, { headers })
}

export async function action({ request, context }: ActionFunctionArgs) {
  const { app } = context
  const form = await readForm(request)
  const found = await findManagerAccount({ request, context }, form)
  const path = new URL(request.url).pathname
  if (found.outcome !== 'ready') {
    // The session ended while the form was open: the gate says so, and the address keeps the account.
    const accountUUID = found.outcome === 'sign_in' ? found.accountId : form.get('accountUUID')
    const query = accountUUID ? `?${new URLSearchParams({ accountUUID })}` : ''
    throw toGate({ context }, `${path}${query}`)
  }
  // A form made by hand may name several: the last one acts.
  const rotates = form.getAll('intent').at(-1) === 'rotate_secret'
  const refused = rotates && (await refuseOwnerAct({ request, context }, found, 'keys'))
  if (refused) {
    const search = managerSearch({ accountUUID: found.accountId, admin: found.admin }, { step: 'none' })
    throw redirectWith({ context }, `${path}${search}`, refused)
  }
  const formData = new FormData()
  for (const [name, value] of form) formData.append(name, value)
  const outcome = await actOnManagerPage(app, deliveryControls(app, found.account.uuid), found.account.uuid, formData, {
    admin: found.admin,
  })
  if (outcome.outcome === 'refused')
    return data({ result: outcome.result, toast: outcome.toast }, { status: outcome.status })
  // An open log stays open, and so does the webhook with the button that was pressed.
  const step = readManagerStep(new URL(request.url).searchParams)
  const next: ManagerStep =
    outcome.secretOf !== undefined
      ? { step: 'secret', webhookId: outcome.secretOf }
      : step.step === 'log'
        ? step
        : openedBy(form)
  const account = { accountUUID: found.accountId, admin: found.admin }
  const { flash, tested } = outcome
  const more =
    tested === undefined ? {} : { link: { to: deliveryAddress(account, tested), words: 'See what was sent' } }
  const headers = new Headers()
  if (flash !== null) headers.set('Set-Cookie', setFlash(app, { ...flash, ...more }))
  throw redirect(`${path}${managerSearch(account, next)}`, { status: 303, headers })
}

export const clientAction = keepForm

function openedBy(form: URLSearchParams): ManagerStep {
  const webhookId = parseEndpointKey(form.get('id') ?? '')
  if (webhookId === null) return { step: 'none' }
  return { step: form.get('intent') === 'delete' ? 'deleted' : 'card', webhookId }
}

export default function Manager() {
  const page = useLoaderData<typeof loader>()
  const refused = useActionData<typeof action>()
  const toast = useToast()
  useAnswerToast(refused?.toast)
  const greeting = page.view === 'gate' ? page.greeting : null
  useEffect(() => {
    if (greeting) toast({ kind: 'info', title: greeting })
  }, [greeting, toast])
  if (page.view === 'gate') {
    const kept = <KeptNote accountUUID={page.accountUUID} isKept={hasDraft} />
    return (
      <>
        <Gate {...page} kept={kept} />
        {page.stage ? <StageDoor /> : null}
      </>
    )
  }
  return (
    <AccountNewsProvider news={page.news}>
      <PlanNoticeLine notice={page.planNotice} accountUUID={page.accountUUID} admin={page.admin} />
      <OwnerRightsProvider value={page.rights}>
        <ManagerPage {...page} logSource="/fieldhook/log" result={refused?.result} />
      </OwnerRightsProvider>
    </AccountNewsProvider>
  )
}
