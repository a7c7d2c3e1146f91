// The search for deliveries as pages and calls see it: its filters, its answers, and their texts.

import type { DeliveryCause } from '#app/domain/deliveries/delivery.ts'
import type { SearchedRow } from '#app/domain/deliveries/stored-delivery.ts'
import { planHoldText } from '#app/domain/plan-hold.ts'
import { ALL_HELD, QUARANTINED } from '#app/domain/quarantine.ts'
import { fullName, type RecordName } from '#app/domain/record-name.ts'
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
export const SEARCH_FIELDS = ['id', 'status', 'webhook', 'code', 'object', 'record', 'field', 'from', 'until'] as const

export type SearchField = (typeof SEARCH_FIELDS)[number]
export type SearchForm = Record<SearchField, string>

/** What the form offers. From the server: the catalogue is too long for a page. */
export interface SearchChoices {
  /** Key and name: webhooks, then forwarding rules. */
  webhooks: readonly (readonly [string, string])[]
  /** Type and label. */
  objects: readonly (readonly [string, string])[]
  /** Suggestions while typing. */
  fields: readonly string[]
}

/** Reads the form's values from a URL. */
export function searchFormOf(params: URLSearchParams): SearchForm {
  const form = {} as SearchForm
  for (const field of SEARCH_FIELDS) form[field] = params.get(field)?.trim() ?? ''
  return form
}

/** The whole day that the form asks for, `2026-11-21`; null = another time, or any. */
export function dayAsked({ from, until }: Pick<SearchForm, 'from' | 'until'>): string | null {
  const date = from.slice(0, 10)
  return date !== '' && from === wholeDay(date).from && until === wholeDay(date).until ? date : null
}

export function wholeDay(date: string): Pick<SearchForm, 'from' | 'until'> {
  return { from: `${date}T00:00`, until: `${date}T23:59` }
}

/** Whether the form has no filter at all. */
export function asksNothing(form: SearchForm): boolean {
  return SEARCH_FIELDS.every((field) => form[field] === '')
}

/** One line of the result: an event on its way to one address, or (`delivery` null) an event that was not forwarded. */
export interface SearchHit extends Omit<SearchedRow, 'seq' | 'delivery'>, Pick<RecordName, 'what' | 'who'> {
  eventId: string
  /** A test event sent on request. */
  test: boolean
  delivery: {
    id: number
    status: DeliveryStatus
    cause: DeliveryCause
    url: string
    /** The present address: its next attempt and another sending go there. */
    goesTo: string
    endpointId: number
    /** Name of the forwarding rule; null = the webhook's own address. */
    rule: string | null
    /** Number of attempts made. */
    attempts: number
    /** Status of the last attempt; null when no answer arrived or no attempt was made. */
    lastCode: number | null
    /** Duration of the last attempt; null when nothing was sent. */
    lastMs: number | null
    /** Its address got the event later, with another delivery. */
    deliveredSince?: boolean
    /** The delivery's state, as a sentence. */
    sentence: string
    /** When the next try is due, if known. */
    nextAt: Millis | null
    /** Its address fails: one event at a time is tried. */
    takesTurns?: boolean
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
  /** More records are called that than `MOST_RECORDS`: their deliveries may be missing. */
  more: boolean
}

/** Records that one name may mean: as many as a walk over the snapshots compares at once. */
export const MOST_RECORDS = 10_000

/** How many of the newest rows have each status. */
export interface StatusCounts {
  counts: Record<SearchStatus, number>
  /** False = only the newest were counted. */
  complete: boolean
}

/** One day of attempts, by the account's calendar. */
export interface DayVolume {
  /** `2026-11-21` */
  date: string
  delivered: number
  failed: number
}

/** Several hits that share an address and a reason. */
export interface Trouble extends Pick<NonNullable<SearchHit['delivery']>, 'url' | 'goesTo' | 'endpointId' | 'rule'> {
  sentence: string
  count: number
  /** The earliest next attempt; null = none is planned. */
  nextAt: Millis | null
  /** The deliveries to send again. */
  again: number[]
}

/** Groups what is not delivered, the largest group first. Of each event only the newest delivery to an address counts. */
export function troublesOf(hits: readonly SearchHit[]): Trouble[] {
  const troubles = new Map<string, Trouble>()
  const seen = new Set<string>()
  for (const { eventId, delivery } of hits) {
    if (delivery === null) continue
    const { url, goesTo, endpointId, rule, sentence, nextAt } = delivery
    if (seen.has(`${eventId}|${endpointId}`)) continue
    seen.add(`${eventId}|${endpointId}`)
    if (delivery.status === 'delivered' || delivery.deliveredSince) continue
    const key = `${endpointId}|${url}|${sentence}`
    const known = troubles.get(key) ?? { url, goesTo, endpointId, rule, sentence, count: 0, nextAt: null, again: [] }
    const next = nextAt === null ? known.nextAt : Math.min(nextAt, known.nextAt ?? nextAt)
    const again = hasFailed(delivery) ? [...known.again, delivery.id] : known.again
    troubles.set(key, { ...known, count: known.count + 1, nextAt: next, again })
  }
  return [...troubles.values()].sort((a, b) => b.count - a.count)
}

/** What is on hold, takes turns, or is about to be tried for the first time needs no press. */
function hasFailed({ canSendAgain, status, attempts, takesTurns }: NonNullable<SearchHit['delivery']>): boolean {
  return canSendAgain && !takesTurns && status !== 'held' && (status !== 'waiting' || attempts > 0)
}

/** Characters of an address that fit a row. */
const LONGEST_ADDRESS = 32

/** `hooks.example.com/catch/1`, or `hooks.example.com/…/1`: enough to tell addresses apart. */
export function shortAddress(url: string): string {
  const address = url
    .replace(/^https?:\/\//, '')
    .replace(/[?#].*$/, '')
    .replace(/\/$/, '')
  if (address.length <= LONGEST_ADDRESS) return address
  const [host = '', ...path] = address.split('/')
  const last = path.at(-1) ?? ''
  return last === '' ? host : `${host}/…${path.length > 1 ? '/' : ''}${last.slice(-12)}`
}

/** The address, and the rule it belongs to: two may have the same one. */
export function receiverName({ url, rule }: Pick<Trouble, 'url' | 'rule'>): string {
  return rule === null ? shortAddress(url) : `${rule} (${shortAddress(url)})`
}

/** `Note on job 3128 · Joan Hartley → hooks.example.com/catch/1`. */
export function deliveryTitle({
  event: { what, who },
  request: { url },
}: {
  event: { what: string; who: string }
  request: { url: string }
}): string {
  const about = fullName({ what, who })
  return url === '' ? about : `${about} → ${shortAddress(url)}`
}

/** Explains a search that found nothing or did not read everything. */
export function limitSentence(answer: Pick<SearchAnswer, 'hits' | 'looked'>): string {
  const looked = answer.looked.toLocaleString('en-AU')
  const found = answer.hits.length === 0 ? 'nothing matched' : `${answer.hits.length} matched`
  return `${looked} entries searched, ${found}. There are older ones.`
}

/** How many of those asked for were sent, or wait for the end of `hold`; `why` = what kept the last of the others. */
export function sentAgainFlash(sent: number, asked: number, why: string | null, hold: string | null): Flash {
  if (sent === 0) return notSentAgainFlash(why)
  if (sent < asked) {
    const done = hold === null ? 'sent again' : sent === 1 ? 'waits' : 'wait'
    const description = [why ?? NO_LONGER_KEPT, ...(hold === null ? [] : [heldText(hold)])].join(' ')
    return { kind: 'info', title: `${sent} of ${asked} ${done}`, description }
  }
  // No word about the list: a filter may hide what is new.
  const description = sent === 1 ? 'Its page shows the result.' : `${sent} new deliveries are on their way.`
  return unlessHeld({ kind: 'success', title: 'Sent again', description }, hold)
}

export const NO_LONGER_KEPT = 'This delivery is no longer kept.'

export const SENT_AGAIN_HERE: Flash = {
  kind: 'success',
  title: 'Sent again',
  description: 'This is the new delivery. Its result follows within seconds.',
}

/** What a press asks us to send waits while the account, or this copy, is on hold. `hold` = why; null = it is not. */
export function unlessHeld(flash: Flash, hold: string | null, title = 'On hold'): Flash {
  if (hold === null || flash.kind !== 'success') return flash
  return { kind: 'info', title, description: heldText(hold) }
}

function heldText(hold: string): string {
  return hold === ALL_HELD ? QUARANTINED : `${planHoldText(hold)}. Until then everything waits, for 72 hours at most.`
}

/** `why` is null when the delivery does not exist any more. */
export function notSentAgainFlash(why: string | null): Flash {
  return { kind: 'error', title: 'Failed to send again', description: why ?? NO_LONGER_KEPT }
}
