/** Searches deliveries, and reads one delivery with all details. Every read is for one account. */
import type { FoundRow, SearchCursor, SearchedRow, StoredDelivery } from '#app/domain/deliveries/stored-delivery.ts'
import type { Millis } from '#app/lib/clock.ts'

export interface DeliverySearch {
  /** Only this object: then the scan uses the object's own index. */
  object: string | null
  /** Only deliveries to this endpoint; an event with none is one row without a delivery. */
  endpointId: number | null
  /** Only these events. */
  seqs: readonly number[] | null
  /** Bounds of the scan. `matches` alone decides which rows are in the result. */
  from: Millis | null
  until: Millis | null
  /** Continue after this row; null = from the newest. */
  before: SearchCursor | null
  /** Include the status codes of the attempts. */
  withCodes: boolean
  /** Pure. */
  matches: (row: SearchedRow) => boolean
  /** Maximum number of hits. */
  limit: number
  /** Maximum number of rows scanned. */
  scanAtMost: number
}

export interface SearchedPage {
  hits: FoundRow[]
  /** all = no rows are left · full = `limit` reached, and there is more · limit = `scanAtMost` reached. */
  end: 'all' | 'full' | 'limit'
  /** The row to continue after; null when no rows are left. */
  next: SearchCursor | null
  looked: number
  /** When the oldest scanned event was received. */
  lookedBackTo: Millis | null
}

export interface SearchStore {
  /**
   * Newest event first, in steps that yield to events; scans at most `scanAtMost` rows. A row is an event with one of
   * its deliveries, or an event without deliveries.
   */
  searchDeliveries(accountUuid: string, search: DeliverySearch): Promise<SearchedPage>
  /** The event of a delivery. Null = no such delivery of this account. */
  eventOfDelivery(accountUuid: string, deliveryId: number): Promise<number | null>
  /** Does the account have an event with this number? */
  hasEvent(accountUuid: string, seq: number): Promise<boolean>
  /** The number of an event, from its id and the time in it. Null = no such event of this account. */
  findEventSeq(accountUuid: string, event: { id: string; receivedAt: Millis }): Promise<number | null>
  /** The next deliveries in the order of the search, both ways; null = none within a few hundred events. */
  deliveriesBeside(accountUuid: string, delivery: SearchCursor): Promise<{ newer: number | null; older: number | null }>
  /** Attempts of the account's addresses, by hour since the epoch, from `since` on. From counters. */
  attemptsByHour(accountUuid: string, since: number): Promise<{ hour: number; delivered: number; failed: number }[]>
  /** Null = no such delivery of this account. */
  findDelivery(accountUuid: string, deliveryId: number): Promise<StoredDelivery | null>
}
