import type { ActionFunctionArgs, AppLoadContext } from '@remix-run/node'
import { receiveSigned } from '#app/features/accounts/signed-opening.server.ts'
import { recordArrival } from '#app/features/events/activity.server.ts'
import { receiveSignedEvent } from '#app/features/events/receive-event.server.ts'
import { answerVisit } from '#app/http/calls/call.server.ts'
import { readBody } from '#app/http/guards.server.ts'
import { openingPage } from '#app/http/launch-pages.ts'
import { OPEN_AGAIN, refusalText } from '#app/http/refusal-page.ts'
import { answer, notFound, problem, tooMany } from '#app/http/respond.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { minutes, seconds } from '#app/lib/duration.ts'

const LARGEST_BODY = 256 * 1024

/** `POST /hooks/servicem8`: the whole body is a signed text. An opened page, or a webhook of the manifest. */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, context } = args
  const handlers = {
    POST: async () => {
      const startedAt = context.app.clock.now()
      const signed = await receiveSigned(context.app, await readBody(request, LARGEST_BODY))
      if (signed.outcome !== 'webhook' && signed.accountUuid !== null) {
        const refused = signed.outcome === 'refused'
        recordArrival(context.app, {
          accountUuid: signed.accountUuid,
          activityType: 'opening',
          endpoint: '/hooks/servicem8',
          method: request.method,
          request: 'A signed opening of the add-on.',
          response: refused ? signed.message : 'Opened.',
          statusCode: refused ? signed.status : 200,
          userAgent: request.headers.get('user-agent'),
          startedAt,
        })
      }
      switch (signed.outcome) {
        case 'refused':
          return problem(signed.status, signed.message)
        case 'opened':
          return openingPage({ origin: context.app.settings.origin, ticket: signed.ticket, nonce: context.nonce })
        case 'webhook':
          return answerWebhook(context, signed.claims)
        default:
          return assertNever(signed)
      }
    },
  }
  // A browser user wanted to open the add-on; the platform's own calls read JSON.
  return answerVisit(args, handlers, (message, status) => (NO_OPENING.has(status) ? OPEN_AGAIN : refusalText(message)))
}

/** Used, expired or unsigned; or requested without any opening. */
const NO_OPENING = new Set([401, 403, 405])

export const loader = action

/** 200 once it is on disk; other statuses make the platform resend it, or say what is wrong with it. */
async function answerWebhook(
  { app }: AppLoadContext,
  claims: Parameters<typeof receiveSignedEvent>[1],
): Promise<Response> {
  const received = await receiveSignedEvent(app, claims)
  switch (received.outcome) {
    case 'stored':
      return answer(200, { received: true })
    case 'over_limit':
      return tooMany(minutes(1))
    case 'rejected':
      return problem(400, 'The event could not be stored.')
    case 'unreadable':
      return problem(400, received.reason)
    case 'unavailable':
      return problem(503, 'The event could not be stored. Send it again.', {
        'Retry-After': String(seconds(10) / 1000),
      })
    case 'unknown_account':
      return notFound()
    default:
      return assertNever(received)
  }
}
