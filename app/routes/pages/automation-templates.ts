import { type ActionFunctionArgs, redirect } from '@remix-run/node'
import { automationAddress } from '#app/domain/automations/automation-address.ts'
import { CREDENTIAL_MESSAGES } from '#app/domain/credential.ts'
import { createTemplateFromForm } from '#app/features/templates/template-library.server.ts'
import { CREATE_TEXTS, templateNotCreatedFlash } from '#app/features/templates/template-text.ts'
import { readForm } from '#app/http/guards.server.ts'
import { logRefusedPage } from '#app/http/refusals.server.ts'
import { findSession } from '#app/http/session.server.ts'
import { findOwnAccount, redirectWith } from './own-account.server.ts'

/** `POST /automation/templates?accountUUID=&admin=yes`: the library's form; the library then shows the result. */
export async function action({ request, context }: ActionFunctionArgs) {
  const found = await findOwnAccount({ request, context })
  const accountUUID = new URL(request.url).searchParams.get('accountUUID') ?? ''
  if (found.outcome !== 'ready') {
    throw redirectWith({ request, context }, automationAddress({ accountUUID, admin: false }, undefined, 'templates'), {
      kind: 'error',
      title: CREDENTIAL_MESSAGES.none,
      description: CREATE_TEXTS.notSignedIn,
    })
  }
  const { account, accountId, admin } = found
  const library = automationAddress({ accountUUID: accountId, admin }, undefined, 'templates')
  if (!admin) {
    await logRefusedPage({ request, context }, 403, await findSession(context.app, request))
    throw redirectWith({ request, context }, library, templateNotCreatedFlash(CREATE_TEXTS.adminsOnly))
  }
  const { flash } = await createTemplateFromForm(context.app, account.uuid, await readForm(request))
  throw redirectWith({ request, context }, library, flash)
}

/** Has no page of its own: redirects to the library. */
export function loader({ request }: { request: Request }) {
  const { searchParams } = new URL(request.url)
  searchParams.set('tab', 'templates')
  return redirect(`/automation?${searchParams}`)
}
