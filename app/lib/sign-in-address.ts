// Where a browser begins a sign-in. Written once, so that every link carries the same.

/** The `token` of a sign-in whose page was opened without one: a marker of the flow, no secret and no proof. */
const FLOW_MARKER = 'fieldhook'

/** `accountUUID` as the address names it, `token` as the page was opened with; '' = neither. */
export function signInAddress(accountUUID: string, token = ''): string {
  return `/api/oauth/authorize?${new URLSearchParams({ accountuuid: accountUUID, token: token || FLOW_MARKER })}`
}
