// The frame of every JSON call: the method decides, what is thrown becomes an answer, nothing is ever HTML or a stack.
import type { AppLoadContext } from '@remix-run/node'
import { accountIdIn, readAccountId } from '#app/features/accounts/account-id.ts'
import { recordRefusedCall } from '#app/features/audit/refusals.server.ts'
import { asCaller, currentCaller } from '#app/lib/caller.server.ts'
import { failed, methodNotAllowed } from './respond.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
type Handlers = Partial<Record<Method, () => Response | Promise<Response>>>

/**
 * Answers a resource route: `export const loader = (args) => answerCall(args, { GET: () => … })`, and the same function
 * as `action`. Responses thrown by guards are the answer; 405 with `Allow` for other methods; a bug is logged and is
 * 500 JSON. HEAD is answered like GET.
 */
export function answerCall(call: Call, handlers: Handlers): Promise<Response> {
  return asCaller(call.context.clientIp, async () => {
    const answer = await handle(call, handlers)
    if (REFUSALS.has(answer.status)) await tellRefusal(call, answer.status)
    return answer
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
    if (request.signal.aborted) return failed()
    context.app.log.error({ error: thrown, method }, 'call.failed')
    return failed()
  }
}

const REFUSALS = new Set([401, 403, 404])
const WATCHED = /^\/(api\/.|hooks\/servicem8$|launch$)/

/** Whoever asks for what is not theirs stands in the log of the account they asked for, or of their own. */
async function tellRefusal({ request, context: { app, clientIp } }: Call, status: number): Promise<void> {
  const { pathname, searchParams } = new URL(request.url)
  if (!WATCHED.test(pathname)) return
  try {
    const own = currentCaller()?.accounts[0]?.accountUuid ?? null
    const ids = [
      accountIdIn(searchParams),
      ...pathname
        .split('/')
        .filter((part) => UUID.test(part))
        .map(readAccountId),
    ]
    let named: string | null = null
    for (const id of ids) named ??= id === null ? null : await app.store.resolveAccountId(id)
    // An address that is nowhere, asked for by nobody: not worth a line.
    if (status === 404 && named === null && own === null) return
    const refused = { method: request.method, path: pathname, status, accountUuid: named ?? own }
    await recordRefusedCall(app, refused, clientIp)
  } catch (error) {
    app.log.error({ error, status }, 'audit.not_recorded')
  }
}

const UUID = /^[0-9a-f-]{36}$/i
