/** Half-written forms of the page without scripts, each found by the hash of its token. */
import type { Millis } from '#app/lib/clock.ts'

export interface NewFormDraft {
  accountUuid: string
  tokenHash: string
  formSealed: string
  /** Characters of the form. */
  weight: number
  expiresAt: Millis
}

/** Beyond these, the oldest go. */
interface DraftLimits {
  ofAccount: number
  /** Weight of all accounts together. */
  heaviest: number
}

export interface FormDraftStore {
  /**
   * Stores a form, and removes what has expired or is beyond the limits. When the account still has a draft with the
   * hash `before`, the new one takes its place. Resolves with the hash under which it is found.
   */
  keepFormDraft(draft: NewFormDraft, before: string | null, limits: DraftLimits, now: Millis): Promise<string>
  /** Returns the sealed form. Null = another account's, expired, or never stored. */
  findFormDraft(accountUuid: string, tokenHash: string, now: Millis): Promise<string | null>
}
