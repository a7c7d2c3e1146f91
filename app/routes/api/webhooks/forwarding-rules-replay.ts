import type { ActionFunctionArgs } from '@remix-run/node'
import { answerCall } from '#app/http/call.server.ts'
import { answerReplay } from './endpoint-calls.server.ts'
import { requireRule } from './own-endpoint.server.ts'

/** `POST /api/forwarding-rules/{id}/replay`: everything since a moment again. How far it is: `forwarding-rules-replay-progress.ts`. */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, params, context } = args
  const { app } = context
  return answerCall(args, {
    POST: async () => answerReplay(app, request, await requireRule(app, request, params.id)),
  })
}

export const loader = action
