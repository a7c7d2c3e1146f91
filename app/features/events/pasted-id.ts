// An id as somebody pastes it, from a log, a header or a page: what it may be the id of.
import type { Millis } from '#app/lib/clock.ts'

export type PastedId =
  /** The number of a delivery, or of an event where there is no such delivery: calls show both as numbers. */
  | { kind: 'number'; number: number }
  /** What a receiver sees in `webhook-id`: the event and the endpoint. */
  | { kind: 'webhook_id'; eventId: string; receivedAt: Millis; endpointId: number }
  /** Made by us, with the moment in it; or a record's that happens to look the same. */
  | { kind: 'event_or_record'; eventId: string; receivedAt: Millis }
  | { kind: 'record'; objectUuid: string }

/** As `webhookId` writes it. */
const WEBHOOK_ID = /^evt_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})_(\d{1,15})$/i
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** What we take for the uuid of a record when events come in. */
const RECORD = /^[\w.:-]{1,100}$/

/** Null = it cannot be an id of anything here. */
export function readPastedId(raw: string): PastedId | null {
  const text = raw.trim().replace(/^(["'`])(.*)\1$/, '$2')
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
  return RECORD.test(text) ? { kind: 'record', objectUuid: text.toLowerCase() } : null
}

/** A time-ordered uuid (version 7) begins with 48 bits of milliseconds: for an event, those of its receipt. */
function momentIn(uuid: string): Millis {
  return Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16)
}
