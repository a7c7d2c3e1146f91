// Reads posted forms of the stage.

/** One field as trimmed text; '' when it is missing. */
export function fieldOf(form: URLSearchParams, name: string): string {
  return (form.get(name) ?? '').trim()
}

/** A number within bounds, or null. */
export function numberOf(form: URLSearchParams, name: string, bounds: { min: number; max: number }): number | null {
  const text = fieldOf(form, name)
  const value = Number(text)
  return text !== '' && Number.isFinite(value) && value >= bounds.min && value <= bounds.max ? value : null
}

/** The page to return to: a path of the stage, without the result parameters of an earlier action. */
export function backOf(form: URLSearchParams): string {
  const text = form.get('back') ?? ''
  if (!URL.canParse(text, 'http://path.invalid')) return '/sandbox'
  const url = new URL(text, 'http://path.invalid')
  const inside = url.host === 'path.invalid' && (url.pathname === '/sandbox' || url.pathname.startsWith('/sandbox/'))
  if (!inside || text.startsWith('//')) return '/sandbox'
  for (const name of ['trail', 'said', 'did']) url.searchParams.delete(name)
  return `${url.pathname}${url.search}`
}

/** The same page with one more query parameter, and optionally a fragment. */
export function withParam(path: string, name: string, value: string, place = ''): string {
  const url = new URL(path, 'http://path.invalid')
  url.searchParams.set(name, value)
  return `${url.pathname}${url.search}${place === '' ? '' : `#${place}`}`
}

/**
 * The parts of a path that match `:name` in a pattern, or null when the path does not match.
 * `accounts/:account/jobs/:job` on `accounts/1/jobs/2` → `{ account: '1', job: '2' }`.
 */
export function pathParts(pattern: string, path: string): Record<string, string> | null {
  const wanted = pattern.split('/')
  const given = path.split('/')
  if (wanted.length !== given.length) return null
  const parts: Record<string, string> = {}
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? ''
    if (part.startsWith(':')) {
      if (value === '') return null
      parts[part.slice(1)] = value
    } else if (part !== value) return null
  }
  return parts
}
