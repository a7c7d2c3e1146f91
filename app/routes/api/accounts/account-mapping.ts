import type { ActionFunctionArgs } from '@remix-run/node'
import { ACCOUNT_ID_MESSAGES } from '#app/domain/account-id.ts'
import { mappingBody } from '#app/domain/credential.ts'
import { mapAccountId } from '#app/features/accounts/link.server.ts'
import { answerCall } from '#app/http/call.server.ts'
import { readJson, requireAccount, requireSession } from '#app/http/guards.server.ts'
import { answer, problem } from '#app/http/respond.ts'
import { assertNever } from '#app/lib/assert-never.ts'

/** `POST /api/account-mapping`: an external id leads to an account of this session from now on. */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, context } = args
  return answerCall(args, {
    POST: async () => {
      await requireSession(context.app, request)
      const body = await readJson(request, mappingBody)
      const { accountUuid } = await requireAccount(context.app, request, body.internalAccountUUID)
      const mapped = await mapAccountId(context.app, { externalId: body.externalAccountUUID, accountUuid })
      const mapping = { externalAccountUUID: body.externalAccountUUID, internalAccountUUID: accountUuid }
      switch (mapped) {
        case 'mapped':
          return answer(201, mapping)
        case 'same':
          return answer(200, mapping)
        case 'taken':
        case 'full':
          return problem(409, ACCOUNT_ID_MESSAGES[mapped])
        default:
          return assertNever(mapped)
      }
    },
  })
}

export const loader = action
