import { matchRoutes } from '@remix-run/react'
import { useEffect } from 'react'

/** What of a page's entry in the build's table is used here. */
interface PageFiles {
  path?: string | undefined
  module: string
  imports?: readonly string[] | undefined
}

/** The script files of the page that answers this path; none for what is no page of ours. */
export function scriptsOf(pages: readonly PageFiles[], pathname: string): string[] {
  const routes = pages.flatMap((page) => (page.path === undefined ? [] : [{ path: page.path, page }]))
  const page = matchRoutes(routes, pathname)?.at(-1)?.route.page
  return page ? [page.module, ...(page.imports ?? [])] : []
}

/**
 * Whoever points at a link, reaches it with the keyboard or puts a finger on it will most likely open it: its page's scripts are
 * fetched meanwhile, where they are not there already. Its data is not: an account's answers are never kept, so that it would be
 * fetched twice. Not for whoever saves data.
 */
export function useScriptsAhead(): void {
  useEffect(() => {
    if ((navigator as { connection?: { saveData?: boolean } }).connection?.saveData) return
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
  }, [])
}
