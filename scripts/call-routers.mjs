// @ts-check
// A router of its own for each address that draws no page. Remix ranks its whole table of routes anew for every request, twice, which
// for most calls costs more than the call itself; our own table knows the route already.

/** An id with a line break is nobody's, and a path of the router that ends in `*` does not take one. */
const LINE_BREAK = /%0[ad]|%e2%80%a[89]/i

/**
 * @typedef {import('@remix-run/node').ServerBuild} ServerBuild
 * @param {ServerBuild} build
 * @param {(path: string) => string} routePattern of an address; that both tables agree is shown by app/routes/route-patterns.test.ts
 * @param {(build: ServerBuild) => import('express').RequestHandler} routerOf
 * @returns {import('express').RequestHandler} passes on what belongs to a page, or to nothing
 */
export function callRouters(build, routePattern, routerOf) {
  /** @type {Map<string, import('express').RequestHandler>} */
  const routers = new Map()
  for (const route of Object.values(build.routes)) {
    if (!route || route.id === 'root' || route.path === undefined || route.path === '*') continue
    // As Remix tells calls from pages.
    if ('default' in route.module || 'ErrorBoundary' in route.module) continue
    const routes = /** @type {ServerBuild['routes']} */ ({ root: build.routes.root, [route.id]: route })
    routers.set(`/${route.path}`.replace(/^\/+/, '/'), routerOf({ ...build, routes }))
  }
  return (req, res, next) => {
    // Data of any route can be asked for through any address.
    const pattern = routePattern(req.path)
    if (pattern.startsWith('/api/') && LINE_BREAK.test(req.path))
      return void res.status(404).json({ message: 'Not found' })
    const known = routers.get(pattern) ?? (pattern.startsWith('/api/') ? routers.get('/api/*') : undefined)
    const router = '_data' in req.query ? undefined : known
    if (router) router(req, res, next)
    else next()
  }
}
