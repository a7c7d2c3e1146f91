/** The space each account uses, and freeing space in small steps. Never touches pending deliveries. */
import type { Millis } from '#app/lib/clock.ts'

interface WeighStep {
  /** Bytes of the scanned events with everything that belongs to them, by account. */
  bytes: { accountUuid: string; bytes: number }[]
  /** Where the next step continues; null = all were scanned. */
  nextSeq: number | null
}

export interface ShortenStep {
  /** Rows removed in this step. */
  removed: number
  /** Their size in bytes, estimated as in `weighEventsStep`. */
  bytes: number
  /** Where to continue: everything before it has been scanned and is old enough. */
  nextSeq: number
  /** True = the remaining events are not old enough yet. */
  done: boolean
}

export interface SpaceStore {
  /**
   * Scans up to `limit` events from `fromSeq` on and returns each account's bytes in them: event, body, deliveries,
   * attempts and their share of the indexes, accurate enough to compare accounts. Does not block the writer.
   */
  weighEventsStep(fromSeq: number, limit: number): Promise<WeighStep>
  /** Removes up to `limit` bodies of an account's fully delivered events received before `before`. */
  shortenBodiesStep(accountUuid: string, before: Millis, fromSeq: number, limit: number): Promise<ShortenStep>
  /** The same for the events themselves, with all their rows. */
  shortenLogStep(accountUuid: string, before: Millis, fromSeq: number, limit: number): Promise<ShortenStep>
  /**
   * Writes the WAL into the file and empties it. Waits at most `waitMs` for a blocking reader, and blocks all other
   * work meanwhile. False = a reader blocked it, and the WAL keeps its size.
   */
  emptyLog(waitMs: number): Promise<boolean>
}
