import type { ActionFunctionArgs } from '@remix-run/node'
import { listOpenSessions } from '#app/features/accounts/open-sessions.server.ts'
import { sessionJson } from '#app/features/accounts/open-sessions.ts'
import { answerCall } from '#app/http/call.server.ts'
import { requireAccountOfQuery } from '#app/http/guards.server.ts'
import { answer } from '#app/http/respond.ts'
import { findSession } from '#app/http/session.server.ts'

/** `GET /api/sessions?accountUUID=`: the browsers that are signed in to the account. */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, context } = args
  const { app } = context
  return answerCall(args, {
    GET: async () => {
      const { accountUuid } = await requireAccountOfQuery(app, request)
      const open = await listOpenSessions(app, accountUuid, await findSession(app, request))
      return answer(200, open.map(sessionJson))
    },
  })
}

export const loader = action
