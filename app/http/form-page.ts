// Pages with forms that take a while to fill in. With `no-store` a browser forgets what was typed when it comes back by its Back
// button; without it, the page may lie in this browser's own cache, and nowhere else. It is asked for again when it comes back
// (`app/ui/after-return.ts`).

/** A route's `headers`. */
export function formPageHeaders(): HeadersInit {
  return { 'Cache-Control': 'private, no-cache' }
}
