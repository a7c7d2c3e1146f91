import type { ActionFunctionArgs } from '@remix-run/node'
import { allowAgain } from '#app/features/automations/history/mutes.server.ts'
import { parseRuleId } from '#app/features/automations/rules/rule-form.ts'
import { answerCall } from '#app/http/call.server.ts'
import { requireSession } from '#app/http/guards.server.ts'
import { answer, notFound } from '#app/http/respond.ts'

/** `DELETE /api/mutes/{id}`: automations may write to the customer again. Whose it is follows from the session. */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, params, context } = args
  const { app } = context
  return answerCall(args, {
    DELETE: async () => {
      const { accounts } = await requireSession(app, request)
      const id = parseRuleId(params.id)
      if (id === null) return notFound()
      for (const { accountUuid, staffUuid } of accounts) {
        if (await allowAgain(app, accountUuid, id, staffUuid)) return answer(200, { success: true })
      }
      return notFound()
    },
  })
}

export const loader = action
