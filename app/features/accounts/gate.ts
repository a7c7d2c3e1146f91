/** What the sign-in gate shows: no account in the address, ready to sign in, or sign-in opened and awaited. */
export type GateState = 'no_account' | 'ready' | 'opened'

/** Said once above the gate (spec, section 8). */
export const GATE_GREETINGS = {
  newAccount: 'New account detected: Please sign in to link this account.',
  checkFailed: 'Account check failed: Please sign in to authenticate.',
} as const

/**
 * What to say to somebody whose browser cannot show the account it names. Never depends on whether such an account exists:
 * a stranger learns nothing by asking.
 * @param heldSession the browser sent what was a session of ours, and it is over
 * @param proofRefused the address brought a proof for linking, and it was not taken
 */
export function greetingAtGate({ heldSession, proofRefused }: { heldSession: boolean; proofRefused: boolean }): string {
  return heldSession || proofRefused ? GATE_GREETINGS.checkFailed : GATE_GREETINGS.newAccount
}

/** Could the `token` of an address link an account: a one-time ticket, or the platform's signed text? Else it is a marker. */
export function isLinkProof(token: string | null): token is string {
  return token !== null && token.length <= 8192 && /^[\w-]{43}$|^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)
}
