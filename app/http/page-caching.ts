// What a browser may keep of a page: a route's `headers`.

/**
 * For pages with long forms. With `no-store` a browser loses the typed text on Back; without it, the page may stay in
 * this browser's own cache, and nowhere else. It reloads its data on return (`app/ui/after-return.ts`).
 */
export function formPageHeaders(): HeadersInit {
  return { 'Cache-Control': 'private, no-cache' }
}

/** For pages that must not be cached on disk. */
export function unstoredPageHeaders(): HeadersInit {
  return { 'Cache-Control': 'no-store' }
}
