import { matchRoutes } from '@remix-run/react'
import routes from './routes.ts'

/**
 * Gives the pattern of the route that answers a path (`/hooks/platform/:token`): paths carry capabilities, so logs and
 * metrics hold patterns only.
 */
export function routePatterns(): (path: string) => string {
  const table = routes.map((route) => ({ path: `/${route.path ?? ''}`, handle: patternOf(route.path) }))
  return (path) => {
    const match = matchRoutes(table, path)?.at(-1)
    return match?.route.handle ?? (path.startsWith('/assets/') ? '/assets/*' : '/*')
  }
}

/** Every pattern there is. */
export function allPatterns(): string[] {
  return [...new Set([...routes.map((route) => patternOf(route.path)), '/assets/*', '/*'])]
}

function patternOf(path: string | undefined): string {
  return `/${path ?? ''}`.replace(/^\/+/, '/')
}
