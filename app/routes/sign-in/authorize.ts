import type { LoaderFunctionArgs } from '@remix-run/node'
import { accountIdIn } from '#app/domain/account-id.ts'
import { answerVisit } from '#app/http/calls/call.server.ts'
import { beginAtPlatform } from '#app/http/platform-sign-in.server.ts'
import { requireRate } from '#app/http/rate-limit.server.ts'

/** `GET /api/oauth/authorize?accountuuid=&token=`: redirects to the platform's consent page. */
export function loader(args: LoaderFunctionArgs): Promise<Response> {
  const { request, context } = args
  return answerVisit(args, {
    GET: () => {
      requireRate(context.app, 'sign_in', context.clientIp)
      const { searchParams } = new URL(request.url)
      return beginAtPlatform(context.app, request, {
        named: accountIdIn(searchParams),
        token: searchParams.get('token'),
      })
    },
  })
}

export const action = loader
