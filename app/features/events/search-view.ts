// The search for deliveries as pages and calls see it: its filters, its answers, and their texts.
import type { DeliveryCause } from '#app/domain/deliveries/delivery.ts'
import type { Millis } from '#app/lib/clock.ts'
import type { Flash } from '#app/lib/flash.ts'
import { DELIVERY_STATUSES, type DeliveryStatus } from './delivery-status.ts'

/** `not_forwarded` = an event without any delivery. */
export const SEARCH_STATUSES = [...DELIVERY_STATUSES, 'not_forwarded'] as const

export type SearchStatus = (typeof SEARCH_STATUSES)[number]

export const STATUS_TEXTS: Record<SearchStatus, string> = {
  waiting: 'Waiting',
  delivered: 'Delivered',
  failed: 'Given up',
  held: 'On hold',
  stopped: 'Stopped',
  not_forwarded: 'Not forwarded',
}

/** The suggestions; users can type any status or group of statuses. */
export const CODE_SUGGESTIONS = ['200', '400', '401', '403', '404', '410', '429', '500', '4xx', '5xx', 'none'] as const

/** The filters in the order of the form. Texts as typed; empty = no filter. */
export const SEARCH_FIELDS = ['id', 'status', 'code', 'object', 'record', 'field', 'from', 'until'] as const

export type SearchField = (typeof SEARCH_FIELDS)[number]
export type SearchForm = Record<SearchField, string>

/** Reads the form's values from a URL. */
export function searchFormOf(params: URLSearchParams): SearchForm {
  const form = {} as SearchForm
  for (const field of SEARCH_FIELDS) form[field] = params.get(field)?.trim() ?? ''
  return form
}

/** Whether the form has no filter at all. */
export function asksNothing(form: SearchForm): boolean {
  return SEARCH_FIELDS.every((field) => form[field] === '')
}

/** One line of the result: an event on its way to one address, or (`delivery` null) an event that was not forwarded. */
export interface SearchHit {
  eventId: string
  /** A test event sent on request. */
  test: boolean
  object: string
  objectUuid: string
  changedFields: string[]
  receivedAt: Millis
  delivery: {
    id: number
    status: DeliveryStatus
    cause: DeliveryCause
    url: string
    /** Number of attempts made. */
    attempts: number
    /** Status of the last attempt; null when no answer arrived or no attempt was made. */
    lastCode: number | null
    /** The delivery's state, as a sentence. */
    sentence: string
    /** When the next try is due, if known. */
    nextAt: Millis | null
    /** It has an address and a body, so it can be sent again. */
    canSendAgain: boolean
  } | null
}

export interface SearchAnswer {
  /** Newest event first. */
  hits: SearchHit[]
  /** all = nothing older exists · full = the page is full · limit = the request reached its row limit. */
  end: 'all' | 'full' | 'limit'
  /** The cursor for `before` on the next page; null at the end. */
  next: string | null
  /** When the oldest row read was received; null when there was none. */
  lookedBackTo: Millis | null
  /** Number of rows read. */
  looked: number
}

/** Explains a search that found nothing or did not read everything. */
export function limitSentence(answer: Pick<SearchAnswer, 'hits' | 'looked'>): string {
  const looked = answer.looked.toLocaleString('en-AU')
  const found = answer.hits.length === 0 ? 'nothing matched' : `${answer.hits.length} matched`
  return `We looked through ${looked} entries, and ${found}. There are older ones.`
}

export const SENT_AGAIN_FROM_SEARCH: Flash = {
  kind: 'success',
  title: 'Sent again',
  description: 'The new delivery stands beside the old one; how it went shows there within a few seconds.',
}

export const SENT_AGAIN_FROM_DETAIL: Flash = {
  kind: 'success',
  title: 'Sent again',
  description: 'This is the new delivery. How it goes appears here within a few seconds.',
}

/** `why` is null when the delivery does not exist any more. */
export function notSentAgainFlash(why: string | null): Flash {
  return { kind: 'error', title: 'Failed to send again', description: why ?? 'This delivery is no longer kept.' }
}
