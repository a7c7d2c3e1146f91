import type { ActionFunctionArgs } from '@remix-run/node'
import { z } from 'zod'
import { ruleJson } from '#app/features/automations/rules/rule-json.ts'
import { judgedAt } from '#app/features/automations/rules/rule-place.server.ts'
import { createRule, triggerUrlOf } from '#app/features/automations/rules/rules.server.ts'
import { answerCall } from '#app/http/call.server.ts'
import { readJson, requireAccount, requireAccountOfQuery, requireSession } from '#app/http/guards.server.ts'
import { answer, badInput } from '#app/http/respond.ts'
import { takingTurns } from '#app/lib/turns.server.ts'
import { ruleRefusal } from './rule-refusal.ts'

/** `GET /api/automation?accountUUID=` lists, `POST /api/automation` creates. */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, context } = args
  const { app } = context
  return answerCall(args, {
    GET: async () => {
      const { accountUuid, accountId } = await requireAccountOfQuery(app, request)
      const rules = await app.store.automations.listAutomations(accountUuid)
      const at = await judgedAt(app, accountUuid)
      const told: ReturnType<typeof ruleJson>[] = []
      const turn = takingTurns()
      for (const rule of rules) {
        told.push(ruleJson(rule, accountId, triggerUrlOf(app, rule), at))
        await turn()
      }
      return answer(200, told)
    },
    POST: async () => {
      await requireSession(app, request)
      const body = await readJson(request, z.record(z.string(), z.unknown()))
      if (Object.hasOwn(body, 'accountuuid')) return badInput('Not allowed: accountuuid')
      const { accountUuid, accountId } = await requireAccount(app, request, body.accountUUID)
      const saved = await createRule(app, accountUuid, body)
      if (saved.outcome !== 'saved') return ruleRefusal(saved)
      const json = ruleJson(saved.rule, accountId, triggerUrlOf(app, saved.rule), await judgedAt(app, accountUuid))
      return answer(201, saved.warning === null ? json : { ...json, warning: saved.warning })
    },
  })
}

export const loader = action
