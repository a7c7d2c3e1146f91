// The search for deliveries as pages and calls see it: what can be asked, what is answered, and the words for it.
import type { DeliveryCause } from '#app/domain/deliveries/delivery.ts'
import type { Millis } from '#app/lib/clock.ts'
import type { Flash } from '#app/lib/flash.ts'
import { DELIVERY_STATUSES, type DeliveryStatus } from './delivery-status.ts'

/** `not_forwarded` = an event that nothing was to be sent for. */
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

/** What is offered; any status or group of statuses can be typed. */
export const CODE_SUGGESTIONS = ['200', '400', '401', '403', '404', '410', '429', '500', '4xx', '5xx', 'none'] as const

/** What can be asked, in the order of the form. Texts as typed; empty = does not matter. */
export const SEARCH_FIELDS = ['id', 'status', 'code', 'object', 'record', 'field', 'from', 'until'] as const

export type SearchField = (typeof SEARCH_FIELDS)[number]
export type SearchForm = Record<SearchField, string>

/** The form as an address holds it. */
export function searchFormOf(params: URLSearchParams): SearchForm {
  const form = {} as SearchForm
  for (const field of SEARCH_FIELDS) form[field] = params.get(field)?.trim() ?? ''
  return form
}

/** Is anything asked at all? */
export function asksNothing(form: SearchForm): boolean {
  return SEARCH_FIELDS.every((field) => form[field] === '')
}

/** One line of the result: an event on its way to one address, or (`delivery` null) one that was not forwarded. */
export interface SearchHit {
  eventId: string
  /** A sample a person asked for. */
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
    /** Attempts made. */
    attempts: number
    /** Of the last attempt; null = no answer, or none was made. */
    lastCode: number | null
    /** How it stands, in a sentence. */
    sentence: string
    /** When it is tried next, as far as that is known. */
    nextAt: Millis | null
    /** There is somewhere to send it again, and something to send. */
    canSendAgain: boolean
  } | null
}

export interface SearchAnswer {
  /** Newest event first. */
  hits: SearchHit[]
  /** all = there is nothing older · full = the page is full · limit = enough was looked at for one request. */
  end: 'all' | 'full' | 'limit'
  /** Where to go on, for `before`; null at the end. */
  next: string | null
  /** When the oldest event was received that was looked at; null = there was none. */
  lookedBackTo: Millis | null
  /** How many rows were looked at. */
  looked: number
}

/** What a search says about itself when nothing was found, or when it did not look at everything. */
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

/** `why` null = it is not there any more. */
export function notSentAgainFlash(why: string | null): Flash {
  return { kind: 'error', title: 'Failed to send again', description: why ?? 'This delivery is no longer kept.' }
}
