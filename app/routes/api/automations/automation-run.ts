import type { ActionFunctionArgs } from '@remix-run/node'
import { runNow } from '#app/features/automations/preview/run-now.server.ts'
import { ranNowWords } from '#app/features/automations/preview/run-now-words.ts'
import { parseRuleId } from '#app/features/automations/rules/rule-form.ts'
import { runBody } from '#app/features/automations/triggers/run-call.ts'
import { answerCall } from '#app/http/call.server.ts'
import { readJson, requireAccount, requireAdmin, requireSession } from '#app/http/guards.server.ts'
import { requireRateOf } from '#app/http/rate-limit.server.ts'
import { answer, notFound, problem } from '#app/http/respond.ts'
import { assertNever } from '#app/lib/assert-never.ts'

/** `POST /api/automation/{id}/run`: now, by hand. `preview` and the admin's `adminCheckMode` send nothing. */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, params, context } = args
  const { app } = context
  return answerCall(args, {
    POST: async () => {
      const { accounts } = await requireSession(app, request)
      const id = parseRuleId(params.id)
      const body = await readJson(request, runBody)
      for (const { accountUuid } of accounts) {
        const rule = id === null ? null : await app.store.automations.findAutomation(accountUuid, id)
        if (!rule) continue
        const access = await requireAccount(app, request, accountUuid)
        if (body.adminCheckMode) requireAdmin(access)
        requireRateOf(app, 'run', accountUuid)
        const ran = await runNow(app, rule, {
          bypassConditions: body.bypassConditions === true,
          pretend: body.adminCheckMode === true || body.preview === true,
          recordUuid: body.recordUuid ?? null,
          includeHandled: body.includeHandled === true,
          seen: null,
        })
        switch (ran.outcome) {
          case 'ran':
            return answer(200, {
              message: ranNowWords(ran),
              execution: ran.executions[0] ?? null,
              executions: ran.executions,
              started: ran.started,
              repeated: ran.repeated > 0,
              doneBefore: ran.handled?.count ?? 0,
              alreadyHandled: ran.handled,
            })
          case 'changed':
            throw new Error('nothing was shown that could have changed')
          case 'previewed':
            return answer(200, {
              message: 'This is what would happen. Nothing was sent.',
              execution: ran.execution,
              preview: ran.preview,
            })
          case 'conditions_not_met':
            return answer(400, {
              message: ran.message,
              conditionsNotMet: true,
              automationId: rule.id,
              automationName: rule.name,
              failedConditions: ran.failed.map(({ field, operator, value }) => ({ field, operator, value })),
            })
          case 'no_record':
            return problem(400, ran.message)
          case 'unavailable':
            return problem(502, ran.message)
          default:
            return assertNever(ran)
        }
      }
      return notFound()
    },
  })
}

export const loader = action
