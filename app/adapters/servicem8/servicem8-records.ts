// Converts the platform's JSON to our types. Tolerant of format, strict about required values.
import { isRecord } from '#app/lib/json.ts'
import { isZone } from '../../lib/zone.ts'
import type { PlatformRecord, RemoteSubscription, Vendor } from '../platform.ts'
import { isFlagSet, textOf } from './servicem8-answer.ts'

/** `vendor.json` is a list of exactly one record, whose uuid is the account (facts: 2.3). Null when it is not. */
export function readVendor(body: unknown): Vendor | null {
  const record = Array.isArray(body) ? (body.length === 1 ? body[0] : null) : body
  if (!isRecord(record)) return null
  const uuid = textOf(record.uuid).toLowerCase()
  if (uuid === '') return null
  const zone = textOf(record.timezone_name)
  const timezone = isZone(zone) ? zone : 'UTC'
  return { uuid, name: textOf(record.name), timezone, email: textOf(record.email) }
}

/** The list of webhook subscriptions (facts: 4.1). Drops entries without uuid or address; null when not a list. */
export function readSubscriptions(body: unknown): RemoteSubscription[] | null {
  if (!Array.isArray(body)) return null
  const found: RemoteSubscription[] = []
  for (const entry of body as unknown[]) {
    if (!isRecord(entry)) continue
    const uuid = textOf(entry.uuid)
    const callbackUrl = textOf(entry.callback_url)
    if (uuid === '' || callbackUrl === '') continue
    const object = textOf(entry.object)
    const kind = textOf(entry.type) === 'event' || (object === '' && textOf(entry.event) !== '') ? 'event' : 'object'
    found.push({
      uuid,
      kind,
      subject: (kind === 'event' ? textOf(entry.event) : object).toLowerCase(),
      callbackUrl,
      fields: fieldNames(entry.fields),
      active: isFlagSet(entry.active),
      lastFailureReason: textOf(entry.last_failure_reason) || null,
      lastFailureAt: momentText(entry.last_failure_at),
    })
  }
  return found
}

/** Zeros mean no time (facts: 5.4). */
function momentText(value: unknown): string | null {
  const text = textOf(value)
  return text === '' || text.startsWith('0000') ? null : text
}

function fieldNames(value: unknown): string[] {
  const names = Array.isArray(value) ? (value as unknown[]).map(textOf) : textOf(value).split(',')
  return names.map((name) => name.trim()).filter((name) => name !== '')
}

/** Null when it is not a list. Drops entries that are not records. */
export function readRecords(body: unknown): PlatformRecord[] | null {
  return Array.isArray(body) ? (body as unknown[]).filter(isRecord) : null
}

/** A single record, also as a list of one. */
export function readRecord(body: unknown): PlatformRecord | null {
  const record: unknown = Array.isArray(body) && body.length === 1 ? body[0] : body
  return isRecord(record) ? record : null
}
