/** The state of the sign-in gate: no account in the URL, ready to sign in, or sign-in opened and awaited. */
export type GateState = 'no_account' | 'ready' | 'opened'

/** Shown once above the gate (spec, section 8). */
export const GATE_GREETINGS = {
  newAccount: 'New account detected: Please sign in to link this account.',
  checkFailed: 'Account check failed: Please sign in to authenticate.',
} as const

/**
 * Returns the greeting for a browser that may not see the account in its URL. Never depends on whether that account
 * exists, so that it reveals nothing to strangers.
 * @param heldSession the browser sent a session of ours that has ended
 * @param proofRefused the URL contained a proof for linking, which was refused
 */
export function greetingAtGate({ heldSession, proofRefused }: { heldSession: boolean; proofRefused: boolean }): string {
  return heldSession || proofRefused ? GATE_GREETINGS.checkFailed : GATE_GREETINGS.newAccount
}

/** Whether a URL's `token` can link an account: a one-time ticket or the platform's signed text. Else it's a marker. */
export function isLinkProof(token: string | null): token is string {
  return token !== null && token.length <= 8192 && /^[\w-]{43}$|^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)
}

/** The longer paths first. */
const PLACES: readonly (readonly [path: string, name: string])[] = [
  ['/automation/runs', 'History'],
  ['/automation/settings', 'Automation settings'],
  ['/automation/templates', 'the template'],
  ['/automation', 'Automations'],
  ['/deliveries/', 'the delivery'],
  ['/deliveries', 'Find a delivery'],
  ['/webhook-activity', 'Webhook Activity'],
  ['/subscription', 'Subscription'],
  ['/account', 'Account and security'],
]

/** Where the page behind the gate leads, in words; null for the start page, which the gate speaks of already. */
export function placeBehindGate(path: string): string | null {
  // With a slash behind it the address leads to the same page.
  const page = path.endsWith('/') ? path.slice(0, -1) : path
  return PLACES.find(([start]) => page.startsWith(start))?.[1] ?? null
}
