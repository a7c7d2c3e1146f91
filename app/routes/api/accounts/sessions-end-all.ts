import type { ActionFunctionArgs } from '@remix-run/node'
import { endEverySession } from '#app/features/accounts/open-sessions.server.ts'
import { answerCall } from '#app/http/call.server.ts'
import { requireAccountOfQuery, requireOwner } from '#app/http/guards.server.ts'
import { answer } from '#app/http/respond.ts'

/** `POST /api/sessions/end-all?accountUUID=`: signs every browser out of the account, the caller's too. */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, context } = args
  return answerCall(args, {
    POST: async () => {
      const access = await requireAccountOfQuery(context.app, request)
      requireOwner(context.app, access, 'end_all')
      const { accountUuid } = access
      return answer(200, { ended: await endEverySession(context.app, accountUuid) })
    },
  })
}

export const loader = action
