// The frame of every JSON call: the method decides, what is thrown becomes an answer, nothing is ever HTML or a stack.
import type { AppLoadContext } from '@remix-run/node'
import { failed, methodNotAllowed } from './respond.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
type Handlers = Partial<Record<Method, () => Response | Promise<Response>>>

/**
 * Answers a resource route: `export const loader = (args) => answerCall(args, { GET: () => … })`, and the same function
 * as `action`. Responses thrown by guards are the answer; 405 with `Allow` for other methods; a bug is logged and is
 * 500 JSON. HEAD is answered like GET.
 */
export async function answerCall(
  { request, context }: { request: Request; context: AppLoadContext },
  handlers: Handlers,
): Promise<Response> {
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const handler = Object.hasOwn(handlers, method) ? handlers[method as Method] : undefined
  if (!handler) return methodNotAllowed(Object.keys(handlers))
  try {
    return await handler()
  } catch (thrown) {
    if (thrown instanceof Response) return thrown
    if (request.signal.aborted) return failed()
    context.app.log.error({ error: thrown, method }, 'call.failed')
    return failed()
  }
}
