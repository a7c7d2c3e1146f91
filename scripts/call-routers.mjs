// @ts-check
// One router for each route without a page. Remix ranks its whole route table twice for every request, which costs more
// than most calls; our own table knows the route already.

/** No id contains a line break, and a router path that ends in `*` does not match one. */
const LINE_BREAK = /%0[ad]|%e2%80%a[89]/i

/**
 * @typedef {import('@remix-run/node').ServerBuild} ServerBuild
 * @param {ServerBuild} build
 * @param {(path: string) => string} routePattern app/routes/route-patterns.test.ts proves that both tables agree
 * @param {(build: ServerBuild) => import('express').RequestHandler} routerOf
 * @returns {import('express').RequestHandler} passes on pages and unknown addresses
 */
export function callRouters(build, routePattern, routerOf) {
  /** @type {Map<string, import('express').RequestHandler>} */
  const routers = new Map()
  for (const route of Object.values(build.routes)) {
    if (!route || route.id === 'root' || route.path === undefined || route.path === '*') continue
    // The same test by which Remix distinguishes calls from pages.
    if ('default' in route.module || 'ErrorBoundary' in route.module) continue
    const routes = /** @type {ServerBuild['routes']} */ ({ root: build.routes.root, [route.id]: route })
    routers.set(`/${route.path}`.replace(/^\/+/, '/'), routerOf({ ...build, routes }))
  }
  return (req, res, next) => {
    // `_data` requests the data of any route through any address.
    const pattern = routePattern(req.path)
    if (pattern.startsWith('/api/') && LINE_BREAK.test(req.path))
      return void res.status(404).json({ message: 'Not found' })
    const known = routers.get(pattern) ?? (pattern.startsWith('/api/') ? routers.get('/api/*') : undefined)
    const router = '_data' in req.query ? undefined : known
    if (router) router(req, res, next)
    else next()
  }
}
