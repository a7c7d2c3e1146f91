import type { ActionFunctionArgs } from '@remix-run/node'
import { z } from 'zod'
import type { App } from '#app/app-context.ts'
import { sendTest } from '#app/features/deliveries/send-again.server.ts'
import { type SendSample, testWebhook } from '#app/features/webhooks/test-webhook.server.ts'
import { answerCall } from '#app/http/call.server.ts'
import { readJson, requireSession } from '#app/http/guards.server.ts'
import { createRateLimiter, type RateLimiter } from '#app/http/rate-limit.server.ts'
import { answer, badInput, notFound, tooMany } from '#app/http/respond.ts'
import { assertNever } from '#app/lib/assert-never.ts'

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
        const taken = limiterOf(app).take(accountUuid)
        if (taken.outcome === 'wait') return tooMany(taken.ms)
        const tested = await testWebhook(app, accountUuid, id, senderFor(app, accountUuid))
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

function senderFor(app: App, accountUuid: string): SendSample {
  return async (endpointId, sample) => {
    const sent = await sendTest(app, accountUuid, endpointId, sample)
    if (sent.outcome === 'not_found') return null
    const { success, verdict, durationMs } = sent
    return {
      success,
      statusCode: verdict.statusCode,
      responseTime: durationMs,
      error: success ? null : verdict.sentence,
    }
  }
}

const limiters = new WeakMap<App, RateLimiter>()

function limiterOf(app: App): RateLimiter {
  const limiter = limiters.get(app) ?? createRateLimiter({ clock: app.clock, perMinute: 5 })
  limiters.set(app, limiter)
  return limiter
}
