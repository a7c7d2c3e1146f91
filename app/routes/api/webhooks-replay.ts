import type { ActionFunctionArgs } from '@remix-run/node'
import { replayBody } from '#app/features/webhooks/replay-request.ts'
import { countReplay, startReplay } from '#app/features/webhooks/replay-webhook.server.ts'
import { answerCall } from '#app/http/call.server.ts'
import { readJson } from '#app/http/guards.server.ts'
import { answer, notFound, problem } from '#app/http/respond.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { deliveryControls } from '../delivery-controls.server.ts'
import { requireWebhook } from './own-webhook.server.ts'

/**
 * `POST /api/webhooks/{id}/replay` `{since, status?, objectUuid?, dryRun?}`: everything since a moment again. 202 with
 * `{count, replayId}`; with `dryRun` it only counts and `replayId` is null. The same wish while it runs is answered with
 * the replay that runs. How far it is, and cancelling: `webhooks-replay-progress.ts`.
 */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, params, context } = args
  const { app } = context
  return answerCall(args, {
    POST: async () => {
      const { accountUuid, webhookId } = await requireWebhook(app, request, params.id)
      const { dryRun, ...wish } = await readJson(request, replayBody)
      const controls = deliveryControls(app, accountUuid)
      if (dryRun) {
        const count = await countReplay(app, controls, accountUuid, webhookId, wish)
        return count === null ? notFound() : answer(202, { count, replayId: null })
      }
      const started = await startReplay(app, controls, accountUuid, webhookId, wish)
      switch (started.outcome) {
        case 'started':
          return answer(202, { count: started.count, replayId: started.replayId })
        case 'no_address':
          return problem(409, started.message)
        case 'no_room':
          return problem(503, started.message, { 'Retry-After': '600' })
        case 'not_found':
          return notFound()
        default:
          return assertNever(started)
      }
    },
  })
}

export const loader = action
