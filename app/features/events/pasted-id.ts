// Parses what a user searches for: an id from a log, a header or a page, or what people call a record.
import { withoutJobWord } from '#app/domain/record-name.ts'
import type { Millis } from '#app/lib/clock.ts'

export type PastedId =
  /** The number of a job, of a delivery, or of an event: calls show the last two as numbers. */
  | { kind: 'number'; number: number }
  /** The `webhook-id` that receivers see: the event and the endpoint. */
  | { kind: 'webhook_id'; eventId: string; receivedAt: Millis; endpointId: number }
  /** A uuid we made, which contains its moment; or a record's uuid that happens to look the same. */
  | { kind: 'event_or_record'; eventId: string; receivedAt: Millis }
  | { kind: 'record'; objectUuid: string }
  /** A customer's name, an address, a job number with letters. */
  | { kind: 'words'; words: string }

/** The format that `webhookId` produces. */
const WEBHOOK_ID = /^evt_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})_(\d{1,15})$/i
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** The format we accept for a record's uuid in incoming events. */
const RECORD = /^[\w.:-]{1,100}$/

/** Nobody is called more than this. Characters. */
const LONGEST_WORDS = 100

/** Returns null when the text is neither an id of ours nor short enough for a name. */
export function readPastedId(raw: string): PastedId | null {
  const text = withoutJobWord(raw.trim().replace(/^(["'`])(.*)\1$/, '$2'))
  if (/^\d{1,15}$/.test(text)) return { kind: 'number', number: Number(text) }
  const [, a, b, c, d, e, endpoint] = WEBHOOK_ID.exec(text) ?? []
  if (endpoint !== undefined) {
    const eventId = `${a}-${b}-${c}-${d}-${e}`.toLowerCase()
    return { kind: 'webhook_id', eventId, receivedAt: momentIn(eventId), endpointId: Number(endpoint) }
  }
  if (UUID.test(text) && text[14] === '7') {
    const eventId = text.toLowerCase()
    return { kind: 'event_or_record', eventId, receivedAt: momentIn(eventId) }
  }
  if (mayBeRecord(text) && text.length >= 20) return { kind: 'record', objectUuid: text.toLowerCase() }
  return text !== '' && text.length <= LONGEST_WORDS ? { kind: 'words', words: text } : null
}

/** Nobody looks for a record by an id without a digit: it is a name. */
export function mayBeRecord(text: string): boolean {
  return RECORD.test(text) && /\d/.test(text)
}

/** A time-ordered uuid (version 7) begins with 48 bits of milliseconds: for an event, its time of receipt. */
function momentIn(uuid: string): Millis {
  return Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16)
}
