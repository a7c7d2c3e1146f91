import type { Millis } from '#app/lib/clock.ts'

/** Erases an account: everything that acts for it stops at once; its data is deleted in steps. */
export interface ErasureStore {
  /**
   * In one transaction: deletes rules, webhooks and forwarding rules, cancels runs and replays, makes its addresses
   * answer 410, ends every session and ticket, and notes that the account is being erased. Work in progress may still
   * finish until `removeAt`. `code` = the reason for runs and e-mails, `reason` = the reason for addresses, in words.
   * Returns the addresses that may have pending deliveries. Null = no such account.
   */
  beginErasure(
    accountUuid: string,
    input: { code: string; reason: string; at: Millis; removeAt: Millis },
  ): Promise<{ endpointIds: number[] } | null>
  /** Accounts being erased, and when their rows may be deleted. */
  erasuresUnderWay(): Promise<{ accountUuid: string; removeAt: Millis }[]>
  /** Removes up to `limit` rows of the account's history. False = none are left. */
  eraseHistoryStep(accountUuid: string, limit: number): Promise<boolean>
  /**
   * Deletes the rest, with its credentials, in one transaction. `answerGone` = the platform may still have our
   * addresses: they keep answering 410, and the account stays as a bare uuid for them. Always kept: the audit log, the
   * plan, and the daily counts for billing. The note stays until `closeErasure`: the key goes before that.
   */
  endErasure(accountUuid: string, input: { answerGone: boolean }): Promise<void>
  /** Removes the note: the erasure is complete. */
  closeErasure(accountUuid: string): Promise<void>
}
