import type { ActionFunctionArgs } from '@remix-run/node'
import { endOpenSession } from '#app/features/accounts/open-sessions.server.ts'
import { answerCall } from '#app/http/call.server.ts'
import { requireSession } from '#app/http/guards.server.ts'
import { answer, notFound } from '#app/http/respond.ts'

/** `DELETE /api/sessions/{id}`: signs that browser out of the account it is listed under. */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, params, context } = args
  const { app } = context
  return answerCall(args, {
    DELETE: async () => {
      const session = await requireSession(app, request)
      const own = session.accounts.map(({ accountUuid }) => accountUuid)
      return (await endOpenSession(app, own, params.id, session)) ? answer(200, { success: true }) : notFound()
    },
  })
}

export const loader = action
