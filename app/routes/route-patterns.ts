import routes from './table.ts'

interface Known {
  path: string
  /** Lower case; null for a parameter. */
  segments: (string | null)[]
  /** Parameter names by segment; null = fixed. */
  names: (string | null)[]
}

export interface FoundPath {
  /** As written in the list: `api/webhooks/:key`. */
  path: string
  /** Decoded values of the path's parameters. */
  params: Record<string, string>
}

/** Finds the path that an address matches, like the router; null = none. Prepared once: every request needs it. */
export function pathFinder(paths: readonly string[]): (pathname: string) => FoundPath | null {
  const whole = new Map<number, Known[]>()
  const beginnings: Known[] = []
  for (const path of paths) {
    const segments = path.split('/').filter((segment) => segment !== '')
    const open = segments.at(-1) === '*'
    const counted = open ? segments.slice(0, -1) : segments
    const known: Known = {
      path,
      segments: counted.map((one) => (one.startsWith(':') ? null : one.toLowerCase())),
      names: counted.map((one) => (one.startsWith(':') ? one.slice(1) : null)),
    }
    const list = open ? beginnings : (whole.get(segments.length) ?? [])
    list.push(known)
    if (!open) whole.set(segments.length, list)
  }
  // The more specific path goes first; of two equally specific, the first in the list.
  const fixed = ({ path }: Known) => path.split('/').filter((one) => one !== '' && !one.startsWith(':')).length
  for (const list of [...whole.values(), beginnings]) list.sort((a, b) => fixed(b) - fixed(a))

  return (pathname) => {
    const asked = segmentsOf(pathname)
    const lower = asked.map((segment) => segment.toLowerCase())
    const fits = ({ segments }: Known) => segments.every((segment, at) => answers(segment, lower[at]))
    const match = whole.get(asked.length)?.find(fits) ?? beginnings.find(fits)
    if (!match) return null
    const named = match.names.flatMap((name, at) => (name === null ? [] : [[name, asked[at] ?? '']]))
    return { path: match.path, params: Object.fromEntries(named) }
  }
}

/**
 * Returns the pattern of a path (`/hooks/platform/:token`): paths carry capabilities, so logs and metrics contain
 * patterns only. `callPaths` = the paths behind the `api/*` of the table.
 */
export function routePatterns(callPaths: readonly string[]): (path: string) => string {
  const find = pathFinder([...tablePaths(), ...callPaths])
  return (path) => {
    const pattern = patternOf(find(path)?.path ?? '*')
    return pattern === '/*' && path.startsWith('/assets/') ? '/assets/*' : pattern
  }
}

function answers(segment: string | null, asked: string | undefined): boolean {
  return segment === null ? asked !== undefined && asked !== '' : segment === asked
}

/** Splits a path like the router: decoded where all of it can be, without trailing slashes. */
function segmentsOf(path: string): string[] {
  let end = path.length
  while (end > 0 && path[end - 1] === '/') end -= 1
  if (end === 0) return []
  const segments = path.slice(1, end).split('/')
  return path.includes('%') ? decoded(segments) : segments
}

function decoded(segments: string[]): string[] {
  try {
    return segments.map(decodeURIComponent)
  } catch {
    return segments
  }
}

export function allPatterns(callPaths: readonly string[]): string[] {
  return [...new Set([...[...tablePaths(), ...callPaths].map(patternOf), '/assets/*', '/*'])]
}

function tablePaths(): string[] {
  return routes.map(({ path = '' }) => path)
}

function patternOf(path: string): string {
  return `/${path}`.replace(/^\/+/, '/')
}
