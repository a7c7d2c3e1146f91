import { matchRoutes } from '@remix-run/react'

/** The used fields of a page's entry in the build manifest. */
interface PageFiles {
  path?: string | undefined
  module: string
  imports?: readonly string[] | undefined
}

/** The script files of the page at this path; none if the path is not one of our pages. */
export function scriptsOf(pages: readonly PageFiles[], pathname: string): string[] {
  const routes = pages.flatMap((page) => (page.path === undefined ? [] : [{ path: page.path, page }]))
  const page = matchRoutes(routes, pathname)?.at(-1)?.route.page
  return page ? [page.module, ...(page.imports ?? [])] : []
}

/**
 * Prefetches a page's scripts when a user points at, focuses or touches its link, unless they are loaded. Does not
 * prefetch data: account answers are never cached, so they would load twice. Off for users who save data. Returns what
 * ends it.
 */
export function fetchScriptsAhead(): () => void {
  if ((navigator as { connection?: { saveData?: boolean } }).connection?.saveData) return () => {}
  const fetched = new Set(
    [...document.querySelectorAll<HTMLLinkElement>('link[rel=modulepreload]')].map(({ href }) => href),
  )
  const onIntent = ({ target }: Event) => {
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a[href]') : null
    if (!link || link.origin !== location.origin || link.pathname === location.pathname) return
    for (const file of scriptsOf(Object.values(window.__remixManifest.routes), link.pathname)) {
      const href = new URL(file, location.origin).href
      if (fetched.has(href)) continue
      fetched.add(href)
      document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href }))
    }
  }
  const moments = ['pointerover', 'focusin', 'touchstart'] as const
  for (const moment of moments) document.addEventListener(moment, onIntent, { passive: true })
  return () => {
    for (const moment of moments) document.removeEventListener(moment, onIntent)
  }
}
