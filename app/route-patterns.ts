import { matchRoutes } from '@remix-run/react'
import routes from './routes.ts'

/**
 * Gives the pattern of the route that answers a path (`/hooks/platform/:token`): paths carry capabilities, so logs and
 * metrics hold patterns only.
 */
export function routePatterns(): (path: string) => string {
  const table = routes.map((route) => ({ path: `/${route.path ?? ''}`, handle: `/${route.path ?? ''}` }))
  return (path) => {
    const match = matchRoutes(table, path)?.at(-1)
    return match?.route.handle ?? (path.startsWith('/assets/') ? '/assets/*' : '/*')
  }
}
