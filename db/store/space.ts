/** How much of the file is whose, and making room in small steps. What waits to be sent is never touched. */
import type { Millis } from '#app/lib/clock.ts'

interface WeighStep {
  /** Bytes of the events looked at, with everything that belongs to them, by account. */
  bytes: { accountUuid: string; bytes: number }[]
  /** Where the next step goes on; null = all were looked at. */
  nextSeq: number | null
}

export interface ShortenStep {
  /** Rows removed in this step. */
  removed: number
  /** Bytes they held, weighed as in `weighEventsStep`. */
  bytes: number
  /** Where to go on: everything before it has been looked at and is old enough. */
  nextSeq: number
  /** True = what follows is not old enough yet. */
  done: boolean
}

export interface SpaceStore {
  /**
   * Looks at up to `limit` events from `fromSeq` on and says how many bytes each account has there: event, body, deliveries,
   * attempts and their share of the indexes, near enough to compare accounts. Reads beside the writer.
   */
  weighEventsStep(fromSeq: number, limit: number): Promise<WeighStep>
  /** Removes up to `limit` bodies of one account's events that everybody got and that were received before `before`. */
  shortenBodiesStep(accountUuid: string, before: Millis, fromSeq: number, limit: number): Promise<ShortenStep>
  /** The same for the events themselves, with everything that belongs to them. */
  shortenLogStep(accountUuid: string, before: Millis, fromSeq: number, limit: number): Promise<ShortenStep>
  /**
   * Brings the log into the file and empties it. A reader that is in the way is waited for at most `waitMs`: meanwhile nothing
   * else is done. False = it was in the way, and the log stays as long as it is.
   */
  emptyLog(waitMs: number): Promise<boolean>
}
