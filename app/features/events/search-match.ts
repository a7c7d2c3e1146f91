// Decides row by row whether a stored event and its delivery to one address match the search, so that the page's words
// and the filter always mean the same.
import type { SearchedDelivery, SearchedRow } from '#app/domain/deliveries/stored-delivery.ts'
import type { Millis } from '#app/lib/clock.ts'
import { deliveryStatus } from './delivery-status.ts'
import type { SearchStatus } from './search-view.ts'

/** exact = this status · group = 4 for 4xx · none = no answer arrived. */
export type CodeFilter = { kind: 'exact'; code: number } | { kind: 'group'; first: number } | { kind: 'none' }

/** Null = no filter. */
export interface SearchFilter {
  status: SearchStatus | null
  /** At least one attempt got this answer. */
  code: CodeFilter | null
  /** Normalized type. */
  object: string | null
  /** Lower case. */
  record: string | null
  /** Name of a changed field, in any case. */
  field: string | null
  /** The address of one webhook or rule, and its object. */
  webhook: { endpointId: number; object: string } | null
  /** Received at or after. */
  from: Millis | null
  /** Received at or before. */
  until: Millis | null
}

/** The meaning of what was searched for, besides the event it leads to: the delivery, another event, or one of the records. */
export interface SearchTarget {
  seq: number | null
  deliveryId: number | null
  endpointId: number | null
  /** Lower case. */
  records: ReadonlySet<string> | null
}

export function matchesSearch(row: SearchedRow, filter: SearchFilter, target: SearchTarget, now: Millis): boolean {
  const { delivery, receivedAt } = row
  const record = row.objectUuid.toLowerCase()
  return (
    isWanted(filter.object, row.object) &&
    isWanted(filter.record, record) &&
    receivedAt >= (filter.from ?? receivedAt) &&
    receivedAt <= (filter.until ?? receivedAt) &&
    isTarget(target, row) &&
    isWanted(target.endpointId, delivery?.endpointId) &&
    isWanted(filter.webhook?.endpointId ?? null, delivery?.endpointId) &&
    (filter.field === null || namesField(row.changedFields, filter.field)) &&
    (filter.status === null || statusOf(delivery, now) === filter.status) &&
    (filter.code === null || (delivery !== null && hasCode(delivery.codes, filter.code)))
  )
}

function isTarget({ seq, deliveryId, records }: SearchTarget, row: SearchedRow): boolean {
  if (seq === null && deliveryId === null && records === null) return true
  const isDelivery = deliveryId !== null && row.delivery?.id === deliveryId
  return isDelivery || row.seq === seq || (records?.has(row.objectUuid.toLowerCase()) ?? false)
}

function isWanted<Value>(wanted: Value | null, value: Value | undefined): boolean {
  return wanted === null || value === wanted
}

export function statusOf(delivery: SearchedDelivery | null, now: Millis): SearchStatus {
  return delivery === null ? 'not_forwarded' : deliveryStatus(delivery, now)
}

function namesField(changedFields: readonly string[], field: string): boolean {
  const wanted = field.toLowerCase()
  return changedFields.some((name) => name.toLowerCase() === wanted)
}

function hasCode(codes: readonly (number | null)[], filter: CodeFilter): boolean {
  switch (filter.kind) {
    case 'exact':
      return codes.includes(filter.code)
    case 'group':
      return codes.some((code) => code !== null && Math.floor(code / 100) === filter.first)
    case 'none':
      return codes.includes(null)
  }
}
