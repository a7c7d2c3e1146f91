import type { ActionFunctionArgs } from '@remix-run/node'
import { parseRuleId } from '#app/features/automations/rules/rule-form.ts'
import { copyBody, templateCopy } from '#app/features/templates/template.ts'
import { copyTemplate } from '#app/features/templates/templates.server.ts'
import { answerCall } from '#app/http/call.server.ts'
import { readJson, requireAccount, requireSession } from '#app/http/guards.server.ts'
import { answer, notFound } from '#app/http/respond.ts'

/** `POST /api/automation-templates/{id}/copy`: the fields to load into the form. Counts the use; makes no rule. */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, params, context } = args
  const { app } = context
  return answerCall(args, {
    POST: async () => {
      await requireSession(app, request)
      const body = await readJson(request, copyBody)
      const { accountUuid } = await requireAccount(app, request, body.accountUUID)
      const id = parseRuleId(params.id)
      const template = id === null ? null : await copyTemplate(app, accountUuid, id)
      return template ? answer(200, templateCopy(template)) : notFound()
    },
  })
}

export const loader = action
