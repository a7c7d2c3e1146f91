/** Who may show our pages in a frame: ourselves (the sandbox's stage) and the platform. */
const FRAMED_BY = ["'self'", 'https://*.servicem8.com']

/**
 * The headers every answer carries. Calls and ingress get a policy that allows nothing, and are never cached (the two
 * polled lists say themselves that they must be asked for again); pages (the signed opening and the launch page among
 * them) get scripts by nonce and no inline styles.
 * @param input.secure the public address is https
 * @param input.framedBy further origins that may show our pages in a frame
 */
export function securityHeaders(input: {
  path: string
  nonce: string
  secure: boolean
  framedBy?: readonly string[]
}): Record<string, string> {
  const machine = isMachinePath(input.path)
  return {
    'Content-Security-Policy': machine
      ? "default-src 'none'; frame-ancestors 'none'"
      : pagePolicy(input.nonce, input.framedBy ?? []),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
    ...(input.secure ? { 'Strict-Transport-Security': 'max-age=31536000; includeSubDomains' } : {}),
    ...((machine && !isAskedAgain(input.path)) || input.path === '/launch' || input.path === '/hooks/servicem8'
      ? { 'Cache-Control': 'no-store' }
      : {}),
  }
}

/** The router matches addresses whatever their case. */
function isMachinePath(address: string): boolean {
  const path = address.toLowerCase()
  return path.startsWith('/api/') || (path.startsWith('/hooks/') && path !== '/hooks/servicem8')
}

/** Lists with an `ETag`: their routes bring a `Cache-Control` of their own, and a second one would contradict it. */
function isAskedAgain(path: string): boolean {
  return /^\/api\/(webhook|api)-activity\/?$/.test(path)
}

function pagePolicy(nonce: string, framedBy: readonly string[]): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    `frame-ancestors ${[...FRAMED_BY, ...framedBy].join(' ')}`,
  ].join('; ')
}
