import type { LoaderFunctionArgs } from '@remix-run/node'
import { answerCall } from '#app/http/call.server.ts'
import { findAccess } from '#app/http/guards.server.ts'
import { answer, notFound } from '#app/http/respond.ts'

/** `GET /api/account-mapping/:id`: where an id leads, told to the owner of that account only; 404 to everybody else. */
export function loader(args: LoaderFunctionArgs): Promise<Response> {
  const { request, params, context } = args
  return answerCall(args, {
    GET: async () => {
      const access = await findAccess(context.app, request, params.id)
      if (!access) return notFound()
      return answer(200, { externalAccountUUID: access.accountId, internalAccountUUID: access.accountUuid })
    },
  })
}

export const action = loader
