import type { ActionFunctionArgs } from '@remix-run/node'
import { ERASURE_WORDS, eraseBody } from '#app/features/accounts/erasure.ts'
import { answerCall } from '#app/http/call.server.ts'
import { readJson, requireAccountOfQuery, requireOwner } from '#app/http/guards.server.ts'
import { requireRateOf } from '#app/http/rate-limit.server.ts'
import { answer, badInput, problem } from '#app/http/respond.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { eraseWithSubscription } from '../../erase-account.server.ts'

/**
 * `POST /api/erase?accountUUID=` `{name}`: ends the account. 202: everything has stopped, and what was kept is removed within
 * minutes. 400 unless the name is the account's; 502 when its subscription cannot be ended just now.
 */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, context } = args
  const { app } = context
  return answerCall(args, {
    POST: async () => {
      const access = await requireAccountOfQuery(app, request)
      requireOwner(app, access, 'erase')
      const { accountUuid } = access
      requireRateOf(app, 'erase', accountUuid)
      const { name } = await readJson(request, eraseBody)
      const erasing = await eraseWithSubscription(app, accountUuid, name)
      switch (erasing.outcome) {
        case 'begun':
          return answer(202, { message: `${ERASURE_WORDS.begun}. ${ERASURE_WORDS.begunMore}` })
        case 'wrong_name':
          return badInput(ERASURE_WORDS.wrongName, { name: [ERASURE_WORDS.wrongName] })
        case 'under_way':
          return problem(409, ERASURE_WORDS.underWay)
        case 'still_paying':
          return problem(502, ERASURE_WORDS.subscription)
        default:
          return assertNever(erasing)
      }
    },
  })
}

export const loader = action
