import type { ActionFunctionArgs } from '@remix-run/node'
import { listExecutions } from '#app/features/automations/runs/run-history.server.ts'
import { answerCall } from '#app/http/call.server.ts'
import { requireAccount } from '#app/http/guards.server.ts'
import { answer } from '#app/http/respond.ts'

/** `GET /api/automation-logs/{accountUUID}`: the last 20 executions of all automations of the account. */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, params, context } = args
  const { app } = context
  return answerCall(args, {
    GET: async () => {
      const { accountUuid } = await requireAccount(app, request, params.accountUUID)
      return answer(200, await listExecutions(app, accountUuid))
    },
  })
}

export const loader = action
