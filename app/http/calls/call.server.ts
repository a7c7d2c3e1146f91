// The frame of every JSON call: picks the handler by method, answers thrown values, never sends HTML or a stack.
import type { AppLoadContext } from '@remix-run/node'
import { asCaller } from '#app/lib/caller.server.ts'
import { isTurnError } from '#app/lib/in-turn.server.ts'
import { acceptsHtml, type RefusalText, refusalHtml, refusalText } from '../refusal-page.ts'
import { logRefusedCall } from '../refusals.server.ts'
import { failed, methodNotAllowed, problem } from '../respond.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
type Handlers = Partial<Record<Method, () => Response | Promise<Response>>>

/**
 * Answers a resource route: `export const loader = (args) => answerCall(args, { GET: () => … })`, and the same function
 * as `action`. Responses thrown by guards are the answer; other methods get 405 with `Allow`; a bug is logged and
 * returns 500 JSON. HEAD is handled like GET.
 */
export function answerCall(call: Call, handlers: Handlers): Promise<Response> {
  return asCaller(call.context.clientIp, async () => {
    const answer = await handle(call, handlers)
    if (REFUSALS.has(answer.status)) await logRefusedCall(call, answer.status)
    return answer
  })
}

/**
 * The same for an address that people open with a browser: a caller that accepts HTML gets a refusal as a page, with
 * the text of `words`; all others get the JSON.
 */
export async function answerVisit(
  call: Call,
  handlers: Handlers,
  words: (message: string, status: number) => RefusalText = refusalText,
): Promise<Response> {
  const answer = await answerCall(call, handlers)
  const { request, context } = call
  if (answer.status < 400 || !answer.headers.get('content-type')?.startsWith('application/json')) return answer
  answer.headers.append('Vary', 'Accept')
  if (!acceptsHtml(request.headers.get('accept'))) return answer
  const { message } = (await answer.json()) as { message: string }
  const headers = new Headers(answer.headers)
  headers.set('Content-Type', 'text/html; charset=utf-8')
  return new Response(refusalHtml(words(message, answer.status), context.app.settings.origin), {
    status: answer.status,
    headers,
  })
}

interface Call {
  request: Request
  context: AppLoadContext
}

async function handle({ request, context }: Call, handlers: Handlers): Promise<Response> {
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const handler = Object.hasOwn(handlers, method) ? handlers[method as Method] : undefined
  if (!handler) return methodNotAllowed(Object.keys(handlers))
  try {
    return await handler()
  } catch (thrown) {
    if (thrown instanceof Response) return thrown
    if (isTurnError(thrown)) return problem(503, thrown.message)
    if (request.signal.aborted) return failed()
    context.app.log.error({ error: thrown, method }, 'call.failed')
    return failed()
  }
}

const REFUSALS = new Set([401, 403, 404, 429])
