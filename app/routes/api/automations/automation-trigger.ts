import type { ActionFunctionArgs } from '@remix-run/node'
import { parseRuleId } from '#app/features/automations/rules/rule-form.ts'
import { readIdempotencyKey, triggerBody } from '#app/features/automations/triggers/trigger-call.ts'
import { findTriggered, type Triggered, triggerRule } from '#app/features/automations/triggers/trigger-rule.server.ts'
import { answerCall } from '#app/http/call.server.ts'
import { readJson } from '#app/http/guards.server.ts'
import { requireRateOf } from '#app/http/rate-limit.server.ts'
import { answer, badInput, notFound, problem } from '#app/http/respond.ts'
import { assertNever } from '#app/lib/assert-never.ts'

/**
 * `POST /api/automation/{id}/trigger?key=`: for other programs. The key is the proof; cookies are not looked at, and a wrong key is
 * answered like a rule that does not exist.
 */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, params, context } = args
  const { app } = context
  return answerCall(args, {
    POST: async () => {
      const key = new URL(request.url).searchParams.get('key')
      const rule = await findTriggered(app, parseRuleId(params.id), key)
      if (!rule) return notFound()
      requireRateOf(app, 'trigger', String(rule.id))
      const idempotency = readIdempotencyKey(request.headers.get('idempotency-key'))
      if (idempotency.bad) return badInput('Idempotency-Key has up to 255 visible characters.')
      const body = await readJson(request, triggerBody)
      const triggered = await triggerRule(app, rule, body, idempotency.key)
      switch (triggered.outcome) {
        case 'accepted':
          return answer(202, {
            message: wordsOf(triggered),
            executionId: triggered.runId,
          })
        case 'off':
          return problem(409, triggered.message)
        default:
          return assertNever(triggered)
      }
    },
  })
}

function wordsOf({ repeated, waits, doneBefore }: Extract<Triggered, { outcome: 'accepted' }>): string {
  if (repeated) return 'This run was started before.'
  if (doneBefore !== undefined) return doneBefore
  return waits === null ? 'Automation triggered' : `Automation triggered. It waits: ${waits}.`
}

export const loader = action
