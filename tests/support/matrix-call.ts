// A row of the matrix of accounts and calls.

/** The account's objects that others must not reach. */
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
  /** Built with the ids of the owner's account. */
  path(ids: OwnedIds): string
  body?(ids: OwnedIds): unknown
  /**
   * The page's own form, instead of a body. Sent for the owner's account, and the caller's own with the owner's ids.
   */
  form?(ids: OwnedIds): Record<string, string>
  /** Status without a session, and with another account's. `page` = the sign-in gate or a refusal, never its page. */
  stranger: number | 'page'
  other: number | 'page'
  /** The owner's own call is skipped: not worth testing here, or it ends something the next calls need. */
  ownerSkips?: true
  /** Signs its caller out, so a series of calls leaves it out. */
  signsOut?: true
}
