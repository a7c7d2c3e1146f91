// A .tsx file because it acts, and only in a browser. The only place where a page's script sends its own request: for
// what Remix's fetchers cannot do (a 304).

/**
 * Calls our own server from the browser. `path` begins with a slash and names no other host; anything else throws, so
 * that no address typed by a user can be called from here.
 */
export function askOwnServer(path: string, options: RequestInit = {}): Promise<Response> {
  if (!path.startsWith('/') || path.startsWith('//') || path.includes('\\')) {
    throw new TypeError('only paths of this site are asked from a page')
  }
  return fetch(path, options)
}
