import type { LoaderFunctionArgs } from '@remix-run/node'
import { listAccounts } from '#app/features/accounts/credentials.server.ts'
import { answerCall } from '#app/http/call.server.ts'
import { answer } from '#app/http/respond.ts'
import { findSession } from '#app/http/session.server.ts'

/** `GET /api/accounts`: the accounts of this session, none without one. */
export function loader(args: LoaderFunctionArgs): Promise<Response> {
  const { request, context } = args
  return answerCall(args, {
    GET: async () => answer(200, await listAccounts(context.app, await findSession(context.app, request))),
  })
}

export const action = loader
