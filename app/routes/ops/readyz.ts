import type { LoaderFunctionArgs } from '@remix-run/node'
import { methodNotAllowed } from '#app/http/respond.ts'

/**
 * Readiness: the database accepts a write and the delivery engine runs. The public answer is only yes or no; the log
 * says why, and so does the answer to the bearer of METRICS_TOKEN.
 */
export async function loader({ request, context: { app } }: LoaderFunctionArgs): Promise<Response> {
  const { ready, reasons } = await app.ready()
  if (!ready) app.log.warn({ reasons }, 'readiness.failed')
  const status = ready ? 200 : 503
  const headers = { 'Cache-Control': 'no-store' }
  if (app.watching.accessOf(request.headers.get('authorization')) === 'allowed') {
    return Response.json({ ready, reasons, ...(await app.watching.details()) }, { status, headers })
  }
  return new Response(ready ? 'ready\n' : 'not ready\n', {
    status,
    headers: { ...headers, 'Content-Type': 'text/plain; charset=utf-8' },
  })
}

export const action = () => methodNotAllowed(['GET'])
