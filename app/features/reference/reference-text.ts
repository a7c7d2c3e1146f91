// Text about all calls, before the individual calls.

export const GENERAL_TEXTS = [
  'JSON over HTTPS, with the session cookie of a signed-in browser. `accountUUID` (also read as `accountuuid`) selects one of the accounts of that session.',
  "Dates are ISO 8601 in UTC. Ids are whole numbers. We may add fields; ignore those you don't know. Fields and filters that a call does not know are refused. A call that takes no body reads none.",
  'Errors are `{"message": "…"}`, on 400 with `errors` by field. Without a session: 401. Unknown ids and ids of other accounts return 404. Other methods return 405 with `Allow`.',
  'Calls that change something need a same-origin request: `Sec-Fetch-Site: same-origin`, or `Origin` equal to the address of this installation. With neither, the cookie is not read, and the answer is 401. Other sites get 403, and there is no CORS. Other programs start automations with their own link and key, and receive events.',
  'A session may make 1,200 requests a minute (`REQUESTS_PER_MINUTE`). Above that, and above the limit of a call, the answer is 429 with `Retry-After`.',
] as const

export const WHO_TEXTS = {
  session: 'A signed-in browser of the account',
  admin: 'An admin: a signed-in browser of an account in `ADMIN_ACCOUNTS`, with `X-Admin-Mode: true` or `admin=yes`',
  key: 'Anyone with the key in the address',
  anyone: 'No session needed',
} as const

export const WHO_SHORT = { session: 'Session', admin: 'Admin', key: 'Key', anyone: 'Anyone' } as const

/** Addresses that are not JSON calls. */
export const OTHER_ADDRESSES: readonly { address: string; says: string }[] = [
  {
    address: 'POST /hooks/platform/{token}',
    says: 'Webhooks of ServiceM8 and their challenge: 200 once the event is on disk. An unknown token is 404, a deleted subscription 410, more than 256 KB (a form: more than 32 KB or 1,000 fields) 413, and 503 when it cannot be stored. Where the operator sets `INGRESS_PER_SECOND`, an address takes so many events a second and ten times as many at once, then 429 with `Retry-After`, and ServiceM8 sends them again.',
  },
  { address: 'POST /hooks/servicem8', says: 'The signed opening of the add-on and the webhooks of its manifest.' },
  {
    address: 'POST /hooks/stripe',
    says: "The payment provider's events: signed over the exact body, at most 256 KB; 200 once the work is done, 400 for a bad signature, 500 to be sent again.",
  },
  { address: 'GET /healthz', says: 'The process lives. Text, without any I/O.' },
  {
    address: 'GET /readyz',
    says: 'The start has warmed up, the database takes a write and deliveries run: 200, else 503. Text; for the bearer of `METRICS_TOKEN` JSON with the reasons.',
  },
  {
    address: 'GET /metrics',
    says: 'How the process does, as Prometheus text. With `METRICS_TOKEN` set, for its bearer alone; without, for the private network alone. Else 401.',
  },
  { address: 'GET /documents/{token}', says: 'A file that an automation made, for whoever was given the address.' },
  {
    address: 'GET /.well-known/security.txt',
    says: 'Whom to tell about a weakness of this installation, where `SECURITY_CONTACT` is set.',
  },
]

export function groupAnchor(name: string): string {
  return name.toLowerCase().replace(/[^a-z]+/g, '-')
}

/** Calls and types may have the same name. */
export function typeAnchor(name: string): string {
  return `type-${name}`
}
