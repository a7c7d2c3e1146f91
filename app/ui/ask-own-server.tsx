// Belongs to the pixels (.tsx), because it acts, and only in a browser.
// The one place where a page's script opens a connection of its own: for what Remix's own fetchers cannot do (a 304).

/**
 * Asks our own server, from the browser. `path` begins with a slash and names no other host; anything else throws, so that
 * no address a user typed can ever be called from here.
 */
export function askOwnServer(path: string, options: RequestInit = {}): Promise<Response> {
  if (!path.startsWith('/') || path.startsWith('//') || path.includes('\\')) {
    throw new TypeError('only paths of this site are asked from a page')
  }
  return fetch(path, options)
}
