import type { ActionFunctionArgs } from '@remix-run/node'
import { ACCOUNT_ID_MESSAGES } from '#app/domain/account-id.ts'
import { linkBody } from '#app/domain/credential.ts'
import { linkAccountId } from '#app/features/accounts/link.server.ts'
import { answerCall } from '#app/http/call.server.ts'
import { readJson } from '#app/http/guards.server.ts'
import { requireRate } from '#app/http/rate-limit.server.ts'
import { answer, forbidden, problem } from '#app/http/respond.ts'
import { assertNever } from '#app/lib/assert-never.ts'

/** `POST /api/account-link`: links an external id with a one-time proof. Grants no session. */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, context } = args
  return answerCall(args, {
    POST: async () => {
      requireRate(context.app, 'link', context.clientIp)
      const body = await readJson(request, linkBody)
      const linked = await linkAccountId(context.app, { externalId: body.externalAccountUUID, token: body.token })
      switch (linked.outcome) {
        case 'linked':
          return answer(200, { internalAccountUUID: linked.accountUuid })
        case 'refused':
          return forbidden('This token does not link this account.')
        case 'taken':
        case 'full':
          return problem(409, ACCOUNT_ID_MESSAGES[linked.outcome])
        default:
          return assertNever(linked)
      }
    },
  })
}

export const loader = action
