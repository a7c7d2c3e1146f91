import type { LoaderFunctionArgs } from '@remix-run/node'
import { describeCredential } from '#app/features/accounts/credentials.server.ts'
import { answerCall } from '#app/http/call.server.ts'
import { findAccess } from '#app/http/guards.server.ts'
import { answer, notFound } from '#app/http/respond.ts'

/** `GET /api/credentials/:id`: whether the account is connected; 404 to everybody else, as the documented client expects. */
export function loader(args: LoaderFunctionArgs): Promise<Response> {
  const { request, params, context } = args
  return answerCall(args, {
    GET: async () => {
      const access = await findAccess(context.app, request, params.id)
      if (!access) return notFound()
      const found = await describeCredential(context.app, { id: access.accountId, accountUuid: access.accountUuid })
      return found ? answer(200, found) : notFound()
    },
  })
}

export const action = loader
