// Turns a request into HTML with a nonce, and gives the server its composition root: both must come from one module graph.
import { type AppLoadContext, createReadableStreamFromReadable, type EntryContext } from '@remix-run/node'
import { isRouteErrorResponse, RemixServer } from '@remix-run/react'
import { isbot } from 'isbot'
import { renderToPipeableStream } from 'react-dom/server'
import { documentEnd } from './http/document-end.server.ts'
import { addErrorHeaders } from './http/error-headers.ts'
import { workGoesOn } from './lib/caller.server.ts'
import { NonceContext } from './ui/nonce.tsx'

export { startApp } from './boot/boot.server.ts'
export { runDoctor } from './commands/doctor.server.ts'

/** Remix cuts a deferred answer after this many ms. */
export const streamTimeout = 5_000

export default function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  remixContext: EntryContext,
  context: AppLoadContext,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    let shellRendered = false
    // Crawlers and readers without JavaScript get the whole page at once.
    const ready =
      isbot(request.headers.get('user-agent') ?? '') || remixContext.isSpaMode ? 'onAllReady' : 'onShellReady'
    const { pipe, abort } = renderToPipeableStream(
      <NonceContext.Provider value={context.nonce}>
        <WorkGoesOn />
        <RemixServer context={remixContext} url={request.url} nonce={context.nonce} />
      </NonceContext.Provider>,
      {
        nonce: context.nonce,
        [ready]() {
          shellRendered = true
          const body = documentEnd()
          const pattern = context.app.settings.routePattern(new URL(request.url).pathname)
          if (status >= 400) addErrorHeaders(headers, status, pattern, remixContext)
          headers.set('Content-Type', 'text/html; charset=utf-8')
          resolve(new Response(createReadableStreamFromReadable(body), { headers, status }))
          pipe(body)
        },
        onShellError: reject,
        onError(error: unknown) {
          // Before the shell the promise rejects and the error is logged there.
          if (shellRendered && !request.signal.aborted) context.app.log.error({ error }, 'page.render_failed')
        },
      },
    )
    setTimeout(abort, streamTimeout + 1_000).unref()
  })
}

/** Drawing begins in a turn of its own: said to be the work of the same request. */
function WorkGoesOn(): null {
  workGoesOn()
  return null
}

/** Remix calls this for everything a loader or action threw that is not a Response. */
export function handleError(error: unknown, { request, context }: { request: Request; context: AppLoadContext }): void {
  // A wrong method or address is the caller's, and answered as such.
  const isOurs = !isRouteErrorResponse(error) || error.status >= 500
  if (isOurs && !request.signal.aborted) context.app.log.error({ error, method: request.method }, 'request.failed')
}
