import routes from './table.ts'

interface Known {
  pattern: string
  /** Lower case; a name that stands for any text is null. */
  segments: (string | null)[]
  named: number
}

/**
 * Gives the pattern of the route that answers a path (`/hooks/platform/:token`): paths carry capabilities, so logs and
 * metrics hold patterns only. Asked for every request, so the table is read once, where the router ranks it anew each time.
 */
export function routePatterns(): (path: string) => string {
  const whole = new Map<number, Known[]>()
  const beginnings: Known[] = []
  for (const { path = '' } of routes) {
    const segments = path.split('/').filter((segment) => segment !== '')
    const open = segments.at(-1) === '*'
    const known: Known = {
      pattern: patternOf(path),
      segments: segments.slice(0, open ? -1 : undefined).map((one) => (one.startsWith(':') ? null : one.toLowerCase())),
      named: segments.filter((segment) => !segment.startsWith(':')).length,
    }
    const list = open ? beginnings : (whole.get(segments.length) ?? [])
    list.push(known)
    if (!open) whole.set(segments.length, list)
  }
  // What names more of a path goes first; of two that name as much, the one that stands first in the table.
  for (const list of [...whole.values(), beginnings]) list.sort((a, b) => b.named - a.named)

  return (path) => {
    const asked = segmentsOf(path)
    const fits = ({ segments }: Known) => segments.every((segment, at) => answers(segment, asked[at]))
    const match = whole.get(asked.length)?.find(fits) ?? beginnings.find(fits)
    if (match !== undefined && match.pattern !== '/*') return match.pattern
    return path.startsWith('/assets/') ? '/assets/*' : '/*'
  }
}

function answers(segment: string | null, asked: string | undefined): boolean {
  return segment === null ? asked !== undefined && asked !== '' : segment === asked
}

/** As the router reads a path: without regard to case, decoded where all of it can be, and without slashes at its end. */
function segmentsOf(path: string): string[] {
  let end = path.length
  while (end > 0 && path[end - 1] === '/') end -= 1
  if (end === 0) return []
  const segments = path.slice(1, end).split('/')
  return (path.includes('%') ? decoded(segments) : segments).map((segment) => segment.toLowerCase())
}

function decoded(segments: string[]): string[] {
  try {
    return segments.map(decodeURIComponent)
  } catch {
    return segments
  }
}

/** Every pattern there is. */
export function allPatterns(): string[] {
  return [...new Set([...routes.map((route) => patternOf(route.path)), '/assets/*', '/*'])]
}

function patternOf(path: string | undefined): string {
  return `/${path ?? ''}`.replace(/^\/+/, '/')
}
