import routes from './table.ts'

interface Known {
  path: string
  /** Lower case; a name that stands for any text is null. */
  segments: (string | null)[]
  /** Of the names, in their order among the segments; null = fixed. */
  names: (string | null)[]
}

export interface FoundPath {
  /** As it stands in the list: `api/webhooks/:key`. */
  path: string
  /** What stands where the path has names, decoded. */
  params: Record<string, string>
}

/** Finds which of these paths an address has, as the router would; null = none. Prepared once, because it is asked for every request. */
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
  // What names more of a path goes first; of two that name as much, the one that stands first in the list.
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
 * Gives the pattern of what answers a path (`/hooks/platform/:token`): paths carry capabilities, so logs and metrics hold patterns
 * only. `callPaths` = what stands behind the `api/*` of the table.
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

/** As the router reads a path: decoded where all of it can be, and without slashes at its end. */
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

/** Every pattern there is. */
export function allPatterns(callPaths: readonly string[]): string[] {
  return [...new Set([...[...tablePaths(), ...callPaths].map(patternOf), '/assets/*', '/*'])]
}

function tablePaths(): string[] {
  return routes.map(({ path = '' }) => path)
}

function patternOf(path: string): string {
  return `/${path}`.replace(/^\/+/, '/')
}
