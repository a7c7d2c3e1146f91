import type { LoaderFunctionArgs } from '@remix-run/node'

/** Readiness: the database takes a write and the delivery engine turns. The world learns only yes or no; the log says why. */
export async function loader({ context }: LoaderFunctionArgs): Promise<Response> {
  const { ready, reasons } = await context.app.ready()
  if (!ready) context.app.log.warn({ reasons }, 'readiness.failed')
  return new Response(ready ? 'ready\n' : 'not ready\n', {
    status: ready ? 200 : 503,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' },
  })
}
