import { type ActionFunctionArgs, redirect } from '@remix-run/node'
import { automationAddress } from '#app/domain/automations/automation-address.ts'
import { createTemplateFromForm } from '#app/features/templates/template-library.server.ts'
import { CREATE_TEXTS, templateNotCreatedFlash } from '#app/features/templates/template-text.ts'
import { readForm } from '#app/http/guards.server.ts'
import { logRefusedPage } from '#app/http/refusals.server.ts'
import { findSession } from '#app/http/session.server.ts'
import { redirectWith, requireOwnAccount } from './own-account.server.ts'

const LONGEST_TYPED = 8_000

/** `POST /automation/templates?accountUUID=&admin=yes`: the library's form; the library then shows the result. */
export async function action({ request, context }: ActionFunctionArgs) {
  const accountUUID = new URL(request.url).searchParams.get('accountUUID') ?? ''
  const signedOut = automationAddress({ accountUUID, admin: false }, undefined, 'templates')
  const found = await requireOwnAccount({ request, context }, undefined, signedOut)
  const { account, accountId, admin } = found
  const library = automationAddress({ accountUUID: accountId, admin }, undefined, 'templates')
  if (!admin) {
    await logRefusedPage({ request, context }, 403, await findSession(context.app, request))
    throw redirectWith({ context }, library, templateNotCreatedFlash(CREATE_TEXTS.adminsOnly))
  }
  const form = await readForm(request)
  const { created, flash } = await createTemplateFromForm(context.app, account.uuid, form)
  const typed = created ? '' : `&typed=${encodeURIComponent(String(form))}`
  // Longer addresses are refused.
  throw redirectWith({ context }, `${library}${typed.length > LONGEST_TYPED ? '' : typed}`, flash)
}

/** Has no page of its own: redirects to the library. */
export function loader({ request }: { request: Request }) {
  const { searchParams } = new URL(request.url)
  searchParams.set('tab', 'templates')
  return redirect(`/automation?${searchParams}`)
}
