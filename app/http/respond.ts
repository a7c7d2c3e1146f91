// JSON answers of the calls. Errors are always `{message}`, with `errors` by field on 400.

/** A thrown or returned answer; `headers` may add, e.g. Set-Cookie. */
export function answer(status: number, body: unknown, headers?: HeadersInit): Response {
  return Response.json(body, headers ? { status, headers } : { status })
}

export function problem(status: number, message: string, headers?: HeadersInit): Response {
  return answer(status, { message }, headers)
}

/** 400. Only the message when there are no field errors. */
export function badInput(message: string, errors?: Record<string, string[]>): Response {
  return answer(400, errors ? { message, errors } : { message })
}

export function unauthenticated(): Response {
  return problem(401, 'Authentication required')
}

/** The same bytes for a missing resource and for another account's. Also for an unknown path under /api. */
export function notFound(): Response {
  return problem(404, 'Not found')
}

export function forbidden(message = 'This needs the role of an admin.'): Response {
  return problem(403, message)
}

export function methodNotAllowed(allowed: readonly string[]): Response {
  return problem(405, `This address takes ${allowed.join(', ')}.`, { Allow: allowed.join(', ') })
}

export function tooLarge(maxBytes: number): Response {
  return problem(413, `The body is larger than ${Math.floor(maxBytes / 1024)} KB.`)
}

export function notJson(): Response {
  return problem(415, 'Send the body as application/json.')
}

/** `retryAfterMs` from now. */
export function tooMany(retryAfterMs: number): Response {
  const wait = Math.max(1, Math.ceil(retryAfterMs / 1000))
  return problem(429, `Too many requests. Please try again in ${wait} s.`, { 'Retry-After': String(wait) })
}

export function failed(): Response {
  return problem(500, 'Something went wrong on our side. Please try again.')
}

type Issue = { path: readonly PropertyKey[]; message: string; code?: string; keys?: readonly string[] }

/** zod's issues as the calls report them: the first sentence as message, all by field. */
export function invalid(issues: readonly Issue[]): Response {
  const byField = Map.groupBy(issues.flatMap(fieldsOf), ({ field }) => field)
  const errors = [...byField].map(([field, all]) => [field, all.map(({ message }) => message)] as const)
  const [first] = issues
  const unknown = first?.code === 'unrecognized_keys' ? `Not allowed: ${(first.keys ?? []).join(', ')}` : null
  // Entries may have any name, even `__proto__`: they become own properties.
  return badInput(unknown ?? first?.message ?? 'Invalid input', Object.fromEntries(errors))
}

function fieldsOf({ code, keys = [], path, message }: Issue): { field: string; message: string }[] {
  if (code === 'unrecognized_keys') return keys.map((field) => ({ field, message: 'Not allowed' }))
  return [{ field: path.map(String).join('.'), message }]
}
