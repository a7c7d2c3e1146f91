import type { ActionFunctionArgs } from '@remix-run/node'
import { launch } from '#app/features/accounts/signed-opening.server.ts'
import { SIGNED_MESSAGES } from '#app/features/accounts/signed-opening.ts'
import { beginTrial } from '#app/features/billing/plan.server.ts'
import { recordArrival } from '#app/features/events/activity.server.ts'
import { answerVisit } from '#app/http/calls/call.server.ts'
import { sessionCookie } from '#app/http/cookies.ts'
import { readForm } from '#app/http/guards.server.ts'
import { LAUNCH_GOALS, launchAskPage, launchPage, readLaunchGoal } from '#app/http/launch-pages.ts'
import { OPEN_AGAIN, refusalText } from '#app/http/refusal-page.ts'
import { problem } from '#app/http/respond.ts'
import { isSecure, sessionOfKind } from '#app/http/session.server.ts'

/** `/launch`: the frame trades its ticket for a session and goes to the manager; elsewhere a person confirms. */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, context } = args
  const { app } = context
  const handlers = {
    GET: () => launchPage({ nonce: context.nonce }),
    POST: async () => {
      const startedAt = app.clock.now()
      const form = await readForm(request, 4096)
      const session = await sessionOfKind(app, request, 'frame')
      const launched = await launch(app, {
        ticket: form.get('ticket') ?? '',
        framed: request.headers.get('sec-fetch-dest') === 'iframe',
        confirmed: form.get('confirmed') === 'yes',
        signedInTo: session?.accounts.map(({ accountUuid }) => accountUuid) ?? [],
        replaces: session?.tokenHashes ?? [],
      })
      if (launched.outcome === 'refused') return problem(403, SIGNED_MESSAGES.ticket)
      const to = readLaunchGoal(form.get('to'))
      if (launched.outcome === 'ask') return launchAskPage({ ...launched, to })
      await beginTrial(app, launched.accountUuid)
      recordArrival(app, {
        accountUuid: launched.accountUuid,
        activityType: 'sign_in',
        endpoint: '/launch',
        method: request.method,
        request: 'The ticket of an opening.',
        response: 'Signed in.',
        statusCode: 200,
        userAgent: request.headers.get('user-agent'),
        startedAt,
      })
      const query = new URLSearchParams({ accountUUID: launched.accountUuid })
      if (launched.linkTicket) query.set('token', launched.linkTicket)
      const cookie = sessionCookie('frame', isSecure(app), launched.sessionToken)
      const headers = { Location: `${LAUNCH_GOALS[to]}?${query.toString()}`, 'Set-Cookie': cookie }
      return new Response(null, { status: 303, headers })
    },
  }
  return answerVisit(args, handlers, (message, status) => (status === 403 ? OPEN_AGAIN : refusalText(message)))
}

export const loader = action
