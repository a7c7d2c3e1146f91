// The documented address the platform posts to. The server answers it on a faster path with the same use case; this
// route answers where that path is missing (development, tests, another server).
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { LARGEST_BODY } from '../../features/events/event.ts'
import { receivePlatformCall } from '../../features/events/receive-event.server.ts'
import { eventBrakeOf } from '../../http/event-brake.server.ts'
import { readBody } from '../../http/guards.server.ts'
import { toPlatformAnswer } from '../../http/platform-answer.ts'
import { isVisit, refusalHtml } from '../../http/refusal-page.ts'
import { brakeUnknown } from '../../http/unknown-address.server.ts'

export async function action(args: ActionFunctionArgs): Promise<Response> {
  return answer(args)
}

/** Handles other methods in the same place; someone who opens the address in a browser gets a page. */
export async function loader(args: LoaderFunctionArgs): Promise<Response> {
  const { method, url, headers } = args.request
  if (isVisit({ method, url, accept: headers.get('accept') })) {
    const html = refusalHtml(NOT_A_PAGE, args.context.app.settings.origin)
    return new Response(html, { status: 405, headers: { 'Content-Type': 'text/html; charset=utf-8', Allow: 'POST' } })
  }
  return answer(args)
}

const NOT_A_PAGE = {
  title: 'This address is for ServiceM8',
  sentence: 'ServiceM8 sends events here by itself. There is nothing to open.',
  way: { href: '/', label: 'Go to the start page' },
}

async function answer({ request, params, context }: ActionFunctionArgs | LoaderFunctionArgs): Promise<Response> {
  const { app, clientIp } = context
  // Null = larger than a call may be.
  const body = await readBody(request, LARGEST_BODY).catch((thrown: unknown) => {
    if (thrown instanceof Response) return null
    throw thrown
  })
  const call = {
    token: params.token ?? '',
    method: request.method,
    query: new URL(request.url).search.slice(1),
    body: body ?? '',
    truncated: body === null,
    remoteIp: clientIp,
    userAgent: request.headers.get('user-agent'),
  }
  const received = await receivePlatformCall(app, call, eventBrakeOf(app))
  const answer = toPlatformAnswer(brakeUnknown(app, clientIp, received))
  return new Response(answer.body, { status: answer.status, headers: answer.headers })
}
