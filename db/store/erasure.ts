import type { Millis } from '#app/lib/clock.ts'

/** Ending an account: everything that acts for it stops at once; what it left behind goes in steps. */
export interface ErasureStore {
  /**
   * In one transaction: rules, webhooks and forwarding rules are deleted, runs and replays cancelled, its addresses answer 410,
   * every session and ticket is over, and it is noted that the account is being erased. What is under way at this moment may
   * still end until `removeAt`. `code` = the reason of runs and e-mails, `reason` = that of addresses, in words. Answers the addresses that deliveries may wait for. Null = it is being erased already, or there is
   * no such account.
   */
  beginErasure(
    accountUuid: string,
    input: { code: string; reason: string; at: Millis; removeAt: Millis },
  ): Promise<{ endpointIds: number[] } | null>
  /** Accounts that are being erased, and from when on their rows may go. */
  erasuresUnderWay(): Promise<{ accountUuid: string; removeAt: Millis }[]>
  /** Removes up to `limit` rows of what the account has received and done. False = none are left. */
  eraseHistoryStep(accountUuid: string, limit: number): Promise<boolean>
  /**
   * The rest, in one transaction, its credentials with it. `answerGone` = the platform may still hold our addresses: they go on
   * answering 410, and the account stays as a bare uuid for them. What stays in any case: the audit log, the plan, and the daily
   * counts it is billed by. The note stays until `closeErasure`: the key is still to go.
   */
  endErasure(accountUuid: string, input: { answerGone: boolean }): Promise<void>
  /** Nothing is left to do: the note goes. */
  closeErasure(accountUuid: string): Promise<void>
}
