import type { ActionFunctionArgs } from '@remix-run/node'
import { z } from 'zod'
import { testWebhook } from '#app/features/webhooks/test-webhook.server.ts'
import { answerCall } from '#app/http/call.server.ts'
import { readJson, requireSession } from '#app/http/guards.server.ts'
import { answer, badInput, notFound, tooMany } from '#app/http/respond.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { deliveryControls } from '../delivery-controls.server.ts'

const testBody = z.object({ id: z.coerce.number('Invalid input').int('Invalid input').positive('Invalid input') })

/** `POST /api/webhooks/test` `{id}`: one sample to the webhook's address, now. 5 a minute and account. */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, context } = args
  const { app } = context
  return answerCall(args, {
    POST: async () => {
      const { accounts } = await requireSession(app, request)
      const { id } = await readJson(request, testBody)
      for (const { accountUuid } of accounts) {
        if (!(await app.store.findWebhook(accountUuid, id))) continue
        const controls = deliveryControls(app, accountUuid)
        const taken = controls.takeTest()
        if (taken.outcome === 'wait') return tooMany(taken.ms)
        const tested = await testWebhook(app, accountUuid, id, controls.sendSample)
        switch (tested.outcome) {
          case 'tested':
            return answer(200, tested.result)
          case 'no_address':
            return badInput(tested.message)
          case 'not_found':
            return notFound()
          default:
            return assertNever(tested)
        }
      }
      return notFound()
    },
  })
}

export const loader = action
