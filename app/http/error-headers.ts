// Headers of a refused page: Remix drops those that the refusal brought, and writes no `Allow`.
import type { EntryContext } from '@remix-run/node'

/** `pattern` = that of the asked address. */
export function addErrorHeaders(headers: Headers, status: number, pattern: string, drawn: EntryContext): void {
  const { actionHeaders, loaderHeaders } = drawn.staticHandlerContext
  for (const own of Object.values({ ...loaderHeaders, ...actionHeaders })) {
    const wait = own.get('Retry-After')
    if (wait !== null) headers.set('Retry-After', wait)
  }
  if (status !== 405) return
  const pages = Object.values(drawn.manifest.routes)
  const acts = pages.some(({ path = '', hasAction }) => hasAction && pattern === `/${path}`.replace('//', '/'))
  headers.set('Allow', acts ? 'GET, HEAD, POST' : 'GET, HEAD')
}
