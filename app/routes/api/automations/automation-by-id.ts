import type { ActionFunctionArgs } from '@remix-run/node'
import { z } from 'zod'
import { parseRuleId } from '#app/features/automations/rules/rule-form.ts'
import { ruleJson } from '#app/features/automations/rules/rule-json.ts'
import { judgedAt } from '#app/features/automations/rules/rule-place.server.ts'
import { changeRule, deleteRule, triggerUrlOf } from '#app/features/automations/rules/rules.server.ts'
import { answerCall } from '#app/http/call.server.ts'
import { readJson, requireAccount, requireSession } from '#app/http/guards.server.ts'
import { answer, notFound } from '#app/http/respond.ts'
import { ruleRefusal } from './rule-refusal.ts'

/** `PUT /api/automation/{id}` takes the form or exactly `{active}`; `DELETE` deletes. Whose it is follows from the session. */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, params, context } = args
  const { app } = context
  return answerCall(args, {
    PUT: async () => {
      const { accounts } = await requireSession(app, request)
      const { accountUUID, ...body } = await readJson(request, z.record(z.string(), z.unknown()))
      const id = parseRuleId(params.id)
      const named = accountUUID === undefined ? null : await requireAccount(app, request, accountUUID)
      if (id === null) return notFound()
      for (const { accountUuid } of accounts) {
        if (named && named.accountUuid !== accountUuid) continue
        const saved = await changeRule(app, accountUuid, id, body)
        if (saved.outcome === 'not_found') continue
        if (saved.outcome !== 'saved') return ruleRefusal(saved)
        const at = await judgedAt(app, accountUuid)
        const json = ruleJson(saved.rule, named?.accountId ?? accountUuid, triggerUrlOf(app, saved.rule), at)
        return answer(200, saved.warning === null ? json : { ...json, warning: saved.warning })
      }
      return notFound()
    },
    DELETE: async () => {
      const { accounts } = await requireSession(app, request)
      const id = parseRuleId(params.id)
      if (id === null) return notFound()
      for (const { accountUuid } of accounts) {
        const deleted = await deleteRule(app, accountUuid, id)
        if (deleted.outcome === 'deleted') return answer(200, { success: true })
      }
      return notFound()
    },
  })
}

export const loader = action
