/** Finding deliveries, and one delivery with everything that is known about it. All reads are of one account. */
import type { FoundRow, SearchCursor, SearchedRow, StoredDelivery } from '#app/domain/deliveries/stored-delivery.ts'
import type { Millis } from '#app/lib/clock.ts'

export interface DeliverySearch {
  /** Of one object only: then its own index is walked. */
  object: string | null
  /** Only this event. */
  seq: number | null
  /** Bounds of the walk. What belongs into the answer is decided by `matches` alone. */
  from: Millis | null
  until: Millis | null
  /** Go on behind this row; null = from the newest. */
  before: SearchCursor | null
  /** With the status codes of the attempts. */
  withCodes: boolean
  /** Pure. */
  matches: (row: SearchedRow) => boolean
  /** Most hits of the answer. */
  limit: number
  /** Most rows that are looked at. */
  scanAtMost: number
}

export interface SearchedPage {
  hits: FoundRow[]
  /** all = nothing is left · full = `limit` reached, and there is more · limit = `scanAtMost` reached. */
  end: 'all' | 'full' | 'limit'
  /** Behind which row to go on; null when nothing is left. */
  next: SearchCursor | null
  looked: number
  /** When the oldest event was received that was looked at. */
  lookedBackTo: Millis | null
}

export interface SearchStore {
  /**
   * Newest event first, in steps that give way to events; at most `scanAtMost` rows are looked at. A row is an event with one
   * of its deliveries, or alone where it has none.
   */
  searchDeliveries(accountUuid: string, search: DeliverySearch): Promise<SearchedPage>
  /** The event a delivery is of. Null = no such delivery of this account. */
  eventOfDelivery(accountUuid: string, deliveryId: number): Promise<number | null>
  /** Is there an event of this number? */
  hasEvent(accountUuid: string, seq: number): Promise<boolean>
  /** The number of an event, from its id and the moment in it. Null = no such event of this account. */
  findEventSeq(accountUuid: string, event: { id: string; receivedAt: Millis }): Promise<number | null>
  /** Null = no such delivery of this account. */
  findDelivery(accountUuid: string, deliveryId: number): Promise<StoredDelivery | null>
}
