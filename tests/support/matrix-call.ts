// A row of the matrix of accounts and calls.

/** What belongs to the account that others must not reach. */
export interface OwnedIds {
  account: string
  webhook: number
  rule: number
  delivery: number
  automation: number
  run: number
  mute: number
  template: number
}

export interface MatrixCall {
  /** The route's path in `app/routes/table.ts`. */
  route: string
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** With the ids of the account that owns them. */
  path(ids: OwnedIds): string
  body?(ids: OwnedIds): unknown
  /** Instead of a body: the fields of the page's own form. Sent for the owner's account, and for the caller's own with the owner's ids. */
  form?(ids: OwnedIds): Record<string, string>
  /** Status without a session, and with the session of another account. `page` = the sign-in gate or a refusal, never the account's page. */
  stranger: number | 'page'
  other: number | 'page'
  /** The owner's own call has no effect worth the walk, or ends what the next calls need: it is not made. */
  ownerSkips?: true
  /** Signs its caller out: who makes many calls one after the other leaves it out. */
  signsOut?: true
}
