import type { ActionFunctionArgs } from '@remix-run/node'
import { lookUp } from '#app/features/lookups/lookups.server.ts'
import { isLookup, templateTypes } from '#app/features/lookups/lookups.ts'
import { answerCall } from '#app/http/call.server.ts'
import { requireAccount } from '#app/http/guards.server.ts'
import { answer, notFound, problem } from '#app/http/respond.ts'

/** `GET /api/servicem8/{list}/{accountUUID}`: the platform's pick-lists. Its refusals are 500 with its own message. */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, params, context } = args
  const { app } = context
  return answerCall(args, {
    GET: async () => {
      const name = params.list ?? ''
      if (!isLookup(name)) return notFound()
      const { accountUuid } = await requireAccount(app, request, params.accountUUID)
      const looked = await lookUp(app, accountUuid, name)
      if (looked.outcome === 'failed') return problem(500, looked.message)
      if (name !== 'document-templates') return answer(200, looked.records)
      return answer(200, { templates: looked.records, templateTypes: templateTypes(looked.records) })
    },
  })
}

export const loader = action
