import type { ActionFunctionArgs } from '@remix-run/node'
import { z } from 'zod'
import { forwardingRuleJson } from '#app/features/endpoints/api/endpoint-json.ts'
import { createEndpoint, listEndpoints } from '#app/features/endpoints/endpoints.server.ts'
import { answerCall } from '#app/http/call.server.ts'
import { readJson, requireAccount, requireAccountOfQuery, requireSession } from '#app/http/guards.server.ts'
import { answer } from '#app/http/respond.ts'
import { webhookRefusal } from './webhook-refusal.ts'

/**
 * `GET /api/forwarding-rules?accountUUID=` lists, `POST` adds one: `{name, objectType, forwardUrl, fieldFilters?, active?}`.
 * The account may stand in the query or in the body.
 */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, context } = args
  const { app } = context
  return answerCall(args, {
    GET: async () => {
      const { accountUuid } = await requireAccountOfQuery(app, request)
      const rules = await listEndpoints(app, accountUuid, 'extra')
      return answer(
        200,
        rules.map((rule) => forwardingRuleJson(rule)),
      )
    },
    POST: async () => {
      await requireSession(app, request)
      const body = await readJson(request, z.record(z.string(), z.unknown()))
      const named = body.accountUUID ?? body.accountuuid
      const access = await (named === undefined
        ? requireAccountOfQuery(app, request)
        : requireAccount(app, request, named))
      // A custom type that was sent counts as chosen.
      const custom = body.customObject ? { useCustom: true } : {}
      const form = { ...custom, ...body, accountUUID: access.accountId }
      const made = await createEndpoint(app, access.accountUuid, 'extra', form, { admin: access.admin })
      return made.outcome === 'created' || made.outcome === 'replaced'
        ? answer(201, forwardingRuleJson(made.endpoint, made.warning))
        : webhookRefusal(made)
    },
  })
}

export const loader = action
