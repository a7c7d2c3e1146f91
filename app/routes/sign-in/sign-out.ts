import type { ActionFunctionArgs } from '@remix-run/node'
import { answerVisit } from '#app/http/calls/call.server.ts'
import { signOut } from '#app/http/session.server.ts'

/** `POST /sign-out`: ends this browser's sessions; connections stay, deliveries continue. */
export function action(args: ActionFunctionArgs): Promise<Response> {
  return answerVisit(args, {
    POST: async () => {
      const headers = new Headers({ Location: '/' })
      for (const cookie of await signOut(args.context.app, args.request)) headers.append('Set-Cookie', cookie)
      return new Response(null, { status: 303, headers })
    },
  })
}

export const loader = action
