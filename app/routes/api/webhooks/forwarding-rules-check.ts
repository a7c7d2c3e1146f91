import type { ActionFunctionArgs } from '@remix-run/node'
import { answerCall } from '#app/http/call.server.ts'
import { answerCheck } from './check-call.server.ts'
import { requireRule } from './own-endpoint.server.ts'

/** `POST /api/forwarding-rules/{id}/check`: a look at the rule's address, step by step. */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, params, context } = args
  const { app } = context
  return answerCall(args, {
    POST: async () => answerCheck(app, await requireRule(app, request, params.id)),
  })
}

export const loader = action
