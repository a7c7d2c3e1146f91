/** Origins that may frame our pages: our own (the sandbox's stage) and the platform. */
const FRAMED_BY = ["'self'", 'https://*.servicem8.com']

/** Browsers report CSP violations here. */
const CSP_REPORTS = '/csp-report'

/** Origins allowed on the one page with card entry (Stripe's security guide). */
const CARD_ENTRY = {
  script: ' https://js.stripe.com https://*.js.stripe.com',
  connect: ' https://api.stripe.com',
  image: ' https://*.stripe.com',
  frame: 'https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com',
  // "Manage billing" submits a form of ours that redirects there.
  form: ' https://billing.stripe.com',
}

/** Disables device features; a card form may check whether the browser holds a card. */
const UNUSED = [
  ...['accelerometer', 'browsing-topics', 'camera', 'display-capture', 'geolocation', 'gyroscope', 'magnetometer'],
  ...['microphone', 'midi', 'serial', 'usb', 'xr-spatial-tracking'],
]
const PERMISSIONS = [...UNUSED, 'payment'].map((name) => `${name}=()`).join(', ')
const PERMISSIONS_WITH_CARDS = [...UNUSED.map((name) => `${name}=()`), 'payment=(self "https://js.stripe.com")'].join(
  ', ',
)

/** Images shown by ServiceM8 and in link previews. */
function isPictureForOthers(path: string): boolean {
  return /^\/(icon-\d+\.png|social\.png|favicon\.(ico|svg)|apple-touch-icon\.png)$/.test(path)
}

/**
 * The headers of every answer. Calls and ingress get a policy that allows nothing, and are never cached (the two polled
 * lists set their own revalidation); pages (the signed opening and the launch page included) get scripts by nonce and
 * no inline styles.
 * @param input.secure the public address is https
 * @param input.framedBy further origins that may show our pages in a frame
 * @param input.realPayments Stripe itself takes the cards: only the subscription page allows it
 */
export function securityHeaders(input: {
  path: string
  nonce: string
  secure: boolean
  framedBy?: readonly string[]
  realPayments?: boolean
}): Record<string, string> {
  const machine = isMachinePath(input.path)
  return {
    ...(machine ? {} : { 'Reporting-Endpoints': `csp="${CSP_REPORTS}"` }),
    'Content-Security-Policy': machine
      ? "default-src 'none'; frame-ancestors 'none'"
      : pagePolicy(input.nonce, input.framedBy ?? [], Boolean(input.realPayments) && isCardPage(input.path)),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
    'Cross-Origin-Resource-Policy': isPictureForOthers(input.path) ? 'cross-origin' : 'same-origin',
    'Permissions-Policy': input.realPayments && isCardPage(input.path) ? PERMISSIONS_WITH_CARDS : PERMISSIONS,
    ...(input.secure ? { 'Strict-Transport-Security': 'max-age=31536000; includeSubDomains' } : {}),
    ...((machine && !isAskedAgain(input.path)) || input.path === '/launch' || input.path === '/hooks/servicem8'
      ? { 'Cache-Control': 'no-store' }
      : {}),
  }
}

/** The router ignores the case of addresses and decodes letters such as `%61`. */
function isMachinePath(address: string): boolean {
  const path = decoded(address).toLowerCase()
  return path === CSP_REPORTS || path.startsWith('/api/') || (path.startsWith('/hooks/') && path !== '/hooks/servicem8')
}

function decoded(address: string): string {
  try {
    return decodeURIComponent(address)
  } catch {
    return address
  }
}

/** Matches like the router: any case, with or without a trailing slash. */
function isCardPage(address: string): boolean {
  return /^\/subscription\/?$/i.test(address)
}

/** Lists with an `ETag`: their routes set their own `Cache-Control`, and a second one would contradict it. */
function isAskedAgain(path: string): boolean {
  return /^\/api\/((webhook|api)-activity|openapi\.json)\/?$/.test(path)
}

function pagePolicy(nonce: string, framedBy: readonly string[], cards: boolean): string {
  const also = (part: keyof typeof CARD_ENTRY) => (cards ? CARD_ENTRY[part] : '')
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'${also('script')}`,
    "style-src 'self'",
    `img-src 'self' data:${also('image')}`,
    "font-src 'self'",
    `connect-src 'self'${also('connect')}`,
    ...(cards ? [`frame-src ${CARD_ENTRY.frame}`] : []),
    "manifest-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    `form-action 'self'${also('form')}`,
    `frame-ancestors ${[...FRAMED_BY, ...framedBy].join(' ')}`,
    // The old and the new way: browsers differ in their support.
    `report-uri ${CSP_REPORTS}`,
    'report-to csp',
  ].join('; ')
}
