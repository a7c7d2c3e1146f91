// Wraps one path of the API as a route that a test can call.
import type { ActionFunctionArgs } from '@remix-run/node'
import { answerApi, CALL_PATHS } from '#app/routes/api/calls.server.ts'
import { pathFinder } from '#app/routes/route-patterns.ts'

const findPath = pathFinder(CALL_PATHS)

/** Answers as the server does. If a test gives `params`, the address uses them; else it must match one of `path`. */
export function apiRoute(path: string): (args: ActionFunctionArgs) => Promise<Response> {
  if (!CALL_PATHS.includes(path)) throw new Error(`no call has the path ${path}`)
  return (args) => {
    const { request, params } = args
    const address = new URL(request.url)
    const isGiven = Object.keys(params).length > 0
    if (isGiven) address.pathname = path.replaceAll(/:(\w+)/g, (_all, name) => encodeURIComponent(params[name] ?? ''))
    else if (findPath(address.pathname)?.path !== path) throw new Error(`${address.pathname} does not lead to ${path}`)
    return answerApi({ ...args, params: {}, request: isGiven ? new Request(address, request) : request })
  }
}
