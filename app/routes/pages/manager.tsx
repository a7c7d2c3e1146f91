import {
  type ActionFunctionArgs,
  data,
  type HeadersFunction,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from '@remix-run/node'
import { useActionData, useLoaderData } from '@remix-run/react'
import { useEffect } from 'react'
import { CREDENTIAL_MESSAGES } from '#app/domain/credential.ts'
import { deliveryAddress } from '#app/domain/delivery-address.ts'
import { parseEndpointKey } from '#app/domain/endpoint-key.ts'
import { ownerActRefusal } from '#app/domain/people.ts'
import type { PageAccount } from '#app/features/accounts/page-account.server.ts'
import { Gate } from '#app/features/accounts/ui/gate.tsx'
import { StageDoor } from '#app/features/accounts/ui/stage-door.tsx'
import { findPlanNotice } from '#app/features/billing/plan.server.ts'
import { PlanNoticeLine } from '#app/features/billing/ui/plan-notice-line.tsx'
import { actOnManagerPage, loadManagerPage } from '#app/features/endpoints/manager-page.server.ts'
import { AccountNewsProvider } from '#app/features/endpoints/ui/account-news.tsx'
import { hasDraft } from '#app/features/endpoints/ui/form/draft.ts'
import { type ManagerStep, managerSearch, readManagerStep } from '#app/features/endpoints/ui/manager-address.ts'
import { ManagerPage } from '#app/features/endpoints/ui/manager-page.tsx'
import { OwnerRightsProvider } from '#app/features/endpoints/ui/owner-rights.tsx'
import { setFlash } from '#app/http/flash.server.ts'
import { formPageHeaders } from '#app/http/form-page.ts'
import { readForm } from '#app/http/guards.server.ts'
import { anotherState, findTyped, keepTyped, readOneForm } from '#app/http/one-form.server.ts'
import { GO } from '#app/lib/one-form.ts'
import { OneForm } from '#app/ui/form/one-form.tsx'
import { KeptNote } from '#app/ui/page/kept-note.tsx'
import { useToast } from '#app/ui/toast/toast.tsx'
import { deliveryControls } from '../delivery-controls.server.ts'
import { findManagerAccount, openManager } from './manager-account.server.ts'
import { gateFor, redirectWith, refuseOwnerAct } from './own-account.server.ts'

export const meta: MetaFunction<typeof loader> = ({ data: page }) => [
  { title: page?.view === 'gate' ? 'Connect to ServiceM8 · Fieldhook' : 'Webhook Manager · Fieldhook' },
]

export const headers: HeadersFunction = formPageHeaders

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
  const planNotice = await findPlanNotice(app, found.account.uuid)
  // No owner names needed: the note links to the account page.
  const rights = { refusal: ownerActRefusal('keys', found, app.clock.now()), owners: [] }
  const typed = await findTyped(app, found.account.uuid, url.searchParams.get('draft'))
  const shown = { accountUUID, admin, reconnect, missingScopes, step, planNotice, rights, typed }
  return data({ view: 'manager' as const, ...shown, ...page }, { headers })
}

export async function action({ request, context }: ActionFunctionArgs) {
  const { app } = context
  const sent = await readForm(request)
  const found = await findManagerAccount({ request, context }, sent)
  const path = new URL(request.url).pathname
  if (found.outcome !== 'ready') throw signedOut({ context }, path, found, sent)
  const oneForm = readOneForm(sent)
  const query = new URL(request.url).searchParams
  const { draft, others } = await keepTyped(app, found.account.uuid, oneForm, query.get('draft'))
  const form = oneForm.pressed
  if (form === null) throw redirectWith({ context }, anotherState(path, query, draft), NOT_CLEAR)
  if (form.has(GO)) throw redirect(anotherState(path, form, draft), { status: 303 })
  const account = { accountUUID: found.accountId, admin: found.admin, draft }
  // A form made by hand may name several: the last one acts.
  const rotates = form.getAll('intent').at(-1) === 'rotate_secret'
  const refused = rotates && (await refuseOwnerAct({ request, context }, found, 'keys'))
  if (refused) throw redirectWith({ context }, `${path}${managerSearch(account)}`, refused)
  const outcome = await actOnManagerPage(app, deliveryControls(app, found.account.uuid), found.account.uuid, form, {
    admin: found.admin,
  })
  if (outcome.outcome === 'refused')
    return data({ result: { ...outcome.result, others }, draft, toast: outcome.toast }, { status: outcome.status })
  // An open log stays open, and so does the webhook with the button that was pressed.
  const step = readManagerStep(query)
  const opened = step.step === 'log' ? step : openedBy(form)
  const { secretOf } = outcome
  const next: ManagerStep = secretOf === undefined ? opened : { step: 'secret', webhookId: secretOf }
  const { flash, tested } = outcome
  const more =
    tested === undefined ? {} : { link: { to: deliveryAddress(account, tested), words: 'See what was sent' } }
  const headers = new Headers()
  if (flash !== null) headers.set('Set-Cookie', setFlash(app, { ...flash, ...more }))
  throw redirect(`${path}${managerSearch(account, next)}`, { status: 303, headers })
}

/** The session ended while the form was open: the gate says so, and the address keeps the account. */
function signedOut(args: Pick<ActionFunctionArgs, 'context'>, path: string, found: PageAccount, sent: URLSearchParams) {
  const accountUUID = found.outcome === 'sign_in' ? found.accountId : sent.get('accountUUID')
  const query = accountUUID ? `?${new URLSearchParams({ accountUUID })}` : ''
  const description = 'Nothing was changed. Please sign in again.'
  return redirectWith(args, `${path}${query}`, { kind: 'error', title: CREDENTIAL_MESSAGES.none, description })
}

const NOT_CLEAR = {
  kind: 'info',
  title: 'Nothing was saved yet',
  description: 'Press the button below what you typed.',
} as const

function openedBy(form: URLSearchParams): ManagerStep {
  const webhookId = parseEndpointKey(form.get('id') ?? '')
  if (webhookId === null) return { step: 'none' }
  return { step: form.get('intent') === 'delete' ? 'deleted' : 'card', webhookId }
}

export default function Manager() {
  const page = useLoaderData<typeof loader>()
  const refused = useActionData<typeof action>()
  const toast = useToast()
  useEffect(() => {
    if (refused?.toast) toast(refused.toast)
  }, [refused, toast])
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
        <OneForm>
          <ManagerPage
            {...page}
            logSource="/fieldhook/log"
            draft={refused?.draft ?? page.typed.draft}
            result={refused?.result ?? { fieldErrors: {}, values: {}, others: page.typed.others }}
          />
        </OneForm>
      </OwnerRightsProvider>
    </AccountNewsProvider>
  )
}
