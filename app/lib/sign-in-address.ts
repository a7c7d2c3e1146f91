// The address that starts a sign-in, so every link carries the same parameters.

/** The `token` of a sign-in from a page opened without one: a marker of the flow, not a secret and not a proof. */
const FLOW_MARKER = 'fieldhook'

/** `accountUUID` as the address names it, `token` as in the page's address; '' = missing. */
export function signInAddress(accountUUID: string, token = ''): string {
  return `/api/oauth/authorize?${new URLSearchParams({ accountuuid: accountUUID, token: token || FLOW_MARKER })}`
}
