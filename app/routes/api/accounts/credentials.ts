import type { ActionFunctionArgs } from '@remix-run/node'
import { CREDENTIAL_MESSAGES, credentialBody, isPlaceholder } from '#app/domain/credential.ts'
import { leavePlaceholder, storeTokens } from '#app/features/accounts/credentials.server.ts'
import { answerCall } from '#app/http/call.server.ts'
import { findAccess, readJson, requireSession } from '#app/http/guards.server.ts'
import { requireRate } from '#app/http/rate-limit.server.ts'
import { answer, forbidden, problem } from '#app/http/respond.ts'
import { assertNever } from '#app/lib/assert-never.ts'

/** `POST /api/credentials`: a placeholder from anybody, real tokens only with proof of the account. */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, context } = args
  const { app } = context
  return answerCall(args, {
    POST: async () => {
      requireRate(app, 'credentials', context.clientIp)
      const body = await readJson(request, credentialBody)
      const accountUUID = body.accountUUID
      if (isPlaceholder(body)) {
        const left = await leavePlaceholder(app, accountUUID)
        return left.outcome === 'marked'
          ? answer(201, { accountUUID, hasToken: false })
          : answer(200, { accountUUID, hasToken: left.hasToken })
      }
      await requireSession(app, request)
      const access = await findAccess(app, request, accountUUID)
      if (!access) return forbidden(CREDENTIAL_MESSAGES.notYours)
      const stored = await storeTokens(app, access.accountUuid, body)
      switch (stored.outcome) {
        case 'stored':
          return answer(201, { accountUUID, hasToken: true })
        case 'not_theirs':
          return forbidden(CREDENTIAL_MESSAGES.notYours)
        case 'unavailable':
          return problem(502, stored.message)
        default:
          return assertNever(stored)
      }
    },
  })
}

export const loader = action
