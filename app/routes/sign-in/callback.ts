import type { LoaderFunctionArgs } from '@remix-run/node'
import { answerVisit } from '#app/http/calls/call.server.ts'
import { returnFromPlatform } from '#app/http/platform-sign-in.server.ts'

/** `GET /api/oauth/callback?code=&state=`: the return from the platform; continues to the manager or the gate. */
export function loader(args: LoaderFunctionArgs): Promise<Response> {
  return answerVisit(args, { GET: () => returnFromPlatform(args.context.app, args.request) })
}

export const action = loader
