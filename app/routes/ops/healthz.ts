import { methodNotAllowed } from '#app/http/respond.ts'

/** Liveness: the event loop runs. No I/O, no details. */
export function loader(): Response {
  return new Response('ok\n', { headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' } })
}

export const action = () => methodNotAllowed(['GET'])
