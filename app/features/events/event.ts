// Parses the platform's posts to our address into events: the object kind (names of changed fields, never values), the
// event kind (a named event with the record), and either of them inside the envelope of a signed call.
import { normalizeObjectType } from '#app/domain/object-catalog.ts'
import { isRecord, isTooDeep, TOO_DEEP } from '#app/lib/json.ts'
import { type JsonRecord, readPayload } from './wire.ts'

/** One change, as the platform reports it. Only our address identifies its account. */
export interface PlatformEvent {
  source: 'object' | 'event'
  /** Lower case, no underscores: `jobactivity`. */
  object: string
  objectUuid: string
  /** Empty when the platform did not say. */
  changedFields: string[]
  /** Equal text = the same event. Null when nothing distinguishes a repeat from a second event. */
  identity: string | null
  /** The JSON text that is forwarded. */
  body: string
}

type PlatformMessage =
  | { kind: 'challenge'; challenge: string }
  | { kind: 'events'; events: PlatformEvent[] }
  /** `reason`: one sentence for the log and the answer; never quotes the received text. */
  | { kind: 'unreadable'; reason: string }
  /** A form that is too long, or entries that together take more storage than one call may use. */
  | { kind: 'too_large'; reason: string }

/** The result of a platform call. `waitMs`: time until there is room again. */
export type Received =
  | { outcome: 'stored' }
  | { outcome: 'challenged'; challenge: string }
  | { outcome: 'unreadable' | 'too_large'; reason: string }
  | { outcome: 'wrong_method' | 'unknown_address' | 'deleted_subscription' | 'body_too_large' }
  /** The address received more events per second than the operator allows. */
  | { outcome: 'too_fast'; waitMs: number }
  /** The account has too much waiting, or exceeds its share of storage that is nearly full. */
  | { outcome: 'over_limit' }
  /** This event could not be stored · nothing could: the platform should send it again. */
  | { outcome: 'rejected' | 'unavailable' }

interface PlatformCallText {
  /** Query of the URL, without the question mark. */
  query: string
  body: string
}

/** The size limit of a call, and of everything stored and forwarded from it. Characters. */
export const LARGEST_BODY = 256 * 1024

/** The platform sends one entry per call; a few are fine, thousands are an attack. */
export const MOST_ENTRIES = 200
const MOST_FIELDS = 500
const LONGEST_FIELD = 100

/** Parses any text without throwing. */
export function readPlatformCall({ query, body }: PlatformCallText): PlatformMessage {
  const inQuery = challengeOf(Object.fromEntries(new URLSearchParams(query)))
  if (inQuery) return inQuery
  const payload = readPayload(body)
  if (payload.outcome !== 'read') return { kind: payload.outcome, reason: payload.reason }
  if (isTooDeep(payload.record)) return unreadable(TOO_DEEP)
  return challengeOf(payload.record) ?? readEvents(payload.record, payload.json)
}

/**
 * Challenges that are echoed: letters, digits and the punctuation of base64 and URLs. Anything else could be markup,
 * served from our own host.
 */
const CHALLENGE = /^[A-Za-z0-9._~+/=:-]{1,256}$/

function challengeOf(record: JsonRecord): PlatformMessage | null {
  if (record.mode !== 'subscribe' || record.challenge === undefined) return null
  const challenge = typeof record.challenge === 'number' ? String(record.challenge) : record.challenge
  return typeof challenge === 'string' && CHALLENGE.test(challenge)
    ? { kind: 'challenge', challenge }
    : unreadable('We do not echo this challenge. Allowed: up to 256 letters, digits and . _ ~ + / = : -')
}

function readEvents(record: JsonRecord, json: string | null): PlatformMessage {
  const { eventArgs } = record
  if (isRecord(eventArgs) && eventArgs.entry !== undefined) return readObjectKind(eventArgs, null)
  if (record.entry !== undefined) return readObjectKind(record, json)
  const event = readEventKind(record, json)
  return event ? { kind: 'events', events: [event] } : unreadable('The body has neither an entry nor an event type.')
}

const TOO_LARGE: PlatformMessage = { kind: 'too_large', reason: 'The events of this call come to more than 256 KB.' }

/** Parses `{object, entry: [{uuid, changed_fields, time}], resource_url}`. */
function readObjectKind(record: JsonRecord, json: string | null): PlatformMessage {
  const object = objectName(record.object)
  if (object === null) return unreadable('The object is missing or not a name.')
  const entries = Array.isArray(record.entry) ? record.entry : [record.entry]
  if (entries.length === 0) return unreadable('The list of entries is empty.')
  if (entries.length > MOST_ENTRIES) return unreadable(`More than ${MOST_ENTRIES} entries in one call.`)
  // Every entry is forwarded with a copy of the fields next to it.
  const beside = entries.length === 1 ? 0 : JSON.stringify({ ...record, entry: [] }).length
  let copied = beside * entries.length
  if (copied > LARGEST_BODY) return TOO_LARGE
  const events: PlatformEvent[] = []
  for (const entry of entries) {
    const event = entryEvent(record, object, entry, entries.length === 1 ? json : null)
    if (event === null) return unreadable('An entry has no uuid.')
    copied += event.body.length - beside
    if (entries.length > 1 && copied > LARGEST_BODY) return TOO_LARGE
    events.push(event)
  }
  return { kind: 'events', events }
}

/** `json` = the text of the call when it contains only this `entry`. */
function entryEvent(record: JsonRecord, object: string, entry: unknown, json: string | null): PlatformEvent | null {
  const objectUuid = isRecord(entry) ? uuidText(entry.uuid) : null
  if (!isRecord(entry) || objectUuid === null) return null
  const changedFields = fieldNames(entry.changed_fields)
  const time = momentText(entry.time)
  return {
    source: 'object',
    object,
    objectUuid,
    changedFields,
    // Each kind of identity has a different prefix, so that they never collide.
    identity: time === null ? null : JSON.stringify(['object', object, objectUuid, [...changedFields].sort(), time]),
    body: json !== null && !SECRET_LIKE.test(json) ? json : withoutSecrets({ ...record, entry: [entry] }),
  }
}

/** `{id, type, createdAt, data}`, `{event_type, timestamp, data, metadata}` or, signed, `{eventName, eventArgs}`. */
function readEventKind(record: JsonRecord, json: string | null): PlatformEvent | null {
  const type = [record.type, record.event_type, record.eventName].find((name) => typeof name === 'string')
  const data = [record.data, record.eventArgs].find(isRecord)
  const object = objectName(OBJECT_OF_EVENT[String(type).split('.')[0] ?? ''] ?? String(type).split('.')[0])
  const objectUuid = data ? uuidText(data.uuid ?? data.jobUUID ?? data.companyUUID) : null
  if (typeof type !== 'string' || !data || object === null || objectUuid === null) return null
  const id = momentText(record.id)
  const time = momentText(record.createdAt ?? record.timestamp ?? data.time)
  return {
    source: 'event',
    object,
    objectUuid,
    changedFields: fieldNames(data.changed_fields),
    identity:
      id !== null
        ? JSON.stringify(['id', id])
        : time === null
          ? null
          : JSON.stringify(['event', type, objectUuid, time]),
    body: json !== null && !SECRET_LIKE.test(json) ? json : withoutSecrets(record),
  }
}

/** Event names begin with an object, but sometimes not with its exact name. */
const OBJECT_OF_EVENT: Record<string, string> = { form: 'formresponse' }

function objectName(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > 100) return null
  const name = normalizeObjectType(value)
  return /^[a-z][a-z0-9]{0,63}$/.test(name) ? name : null
}

function uuidText(value: unknown): string | null {
  return typeof value === 'string' && /^[\w.:-]{1,100}$/.test(value) ? value.toLowerCase() : null
}

/** Returns unique names. The platform sends a list; a form may turn it into one name or a comma-separated text. */
export function fieldNames(value: unknown): string[] {
  const parts = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : []
  const names = parts.filter((part): part is string => typeof part === 'string').map((part) => part.trim())
  return [...new Set(names.filter((name) => name !== '' && name.length <= LONGEST_FIELD))].slice(0, MOST_FIELDS)
}

function momentText(value: unknown): string | null {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  return typeof value === 'string' && value.trim() !== '' && value.length <= 200 ? value.trim() : null
}

function unreadable(reason: string): PlatformMessage {
  return { kind: 'unreadable', reason }
}

/** Matches text that may contain the platform's token, and must therefore be rewritten without it. */
const SECRET_LIKE = /token|secret|"auth/i
const SECRET_NAME = /^(access|refresh|id)_?token(_?expir\w*)?$|^client_?secret$|^authorization$/i

/** A signed call carries a live access token of the account, which must never be stored, shown or forwarded. */
function withoutSecrets(record: JsonRecord): string {
  const { auth } = record
  const clean = isRecord(auth)
    ? { ...record, auth: { accountUUID: auth.accountUUID, staffUUID: auth.staffUUID } }
    : record
  return JSON.stringify(clean, (name, value: unknown) => (SECRET_NAME.test(name) ? undefined : value))
}
