import type { ActionFunctionArgs } from '@remix-run/node'
import { launch } from '#app/features/accounts/signed-opening.server.ts'
import { SIGNED_MESSAGES } from '#app/features/accounts/signed-opening.ts'
import { beginTrial } from '#app/features/billing/plan.server.ts'
import { answerCall } from '#app/http/call.server.ts'
import { sessionCookie } from '#app/http/cookies.ts'
import { readForm } from '#app/http/guards.server.ts'
import { launchPage, launchRefusedPage } from '#app/http/launch-pages.ts'
import { isSecure, sessionsToReplace } from '#app/http/session.server.ts'

/** `/launch`: the frame trades its ticket for a session of its own and goes on to the manager. */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, context } = args
  const { app } = context
  return answerCall(args, {
    GET: () => launchPage({ nonce: context.nonce }),
    POST: async () => {
      const ticket = (await readForm(request, 4096)).get('ticket') ?? ''
      const replaces = await sessionsToReplace(app, request, 'frame')
      const launched = await launch(app, { ticket, replaces })
      if (launched.outcome === 'refused') return launchRefusedPage(SIGNED_MESSAGES.ticket)
      await beginTrial(app, launched.accountUuid)
      const query = new URLSearchParams({ accountUUID: launched.accountUuid })
      if (launched.linkTicket) query.set('token', launched.linkTicket)
      const cookie = sessionCookie('frame', isSecure(app), launched.sessionToken)
      const headers = { Location: `/fieldhook?${query.toString()}`, 'Set-Cookie': cookie }
      return new Response(null, { status: 303, headers })
    },
  })
}

export const loader = action
