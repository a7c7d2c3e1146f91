import type { ActionFunctionArgs } from '@remix-run/node'
import { rotateSecret } from '#app/features/webhooks/rotate-secret.server.ts'
import { answerCall } from '#app/http/call.server.ts'
import { answer, notFound } from '#app/http/respond.ts'
import { requireWebhook } from './own-webhook.server.ts'

/**
 * `POST /api/webhooks/{id}/rotate-secret`: 200 `{signingSecret, previousValidUntil}`. Until then events are signed with
 * both. Asked again within a minute, the answer is the same: a repeated call does not push out the secret still in use.
 */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, params, context } = args
  const { app } = context
  return answerCall(args, {
    POST: async () => {
      const { accountUuid, webhookId } = await requireWebhook(app, request, params.id)
      const rotated = await rotateSecret(app, accountUuid, webhookId)
      if (rotated.outcome === 'not_found') return notFound()
      const previousValidUntil = new Date(rotated.previousUntil).toISOString()
      const body = { signingSecret: rotated.secret, previousValidUntil }
      return answer(200, body, { 'Cache-Control': 'no-store' })
    },
  })
}

export const loader = action
