// Chooses the addresses an event goes to.
import { normalizeObjectType } from '#app/domain/object-catalog.ts'

/** The part of an endpoint that this choice needs. */
interface FanOutCandidate {
  objectType: string
  /** Comma-separated; empty for every event of the object. */
  fieldFilter: string
  /** Empty when nothing is forwarded. */
  url: string
  /** active | paused | stopped | failing | deleted */
  state: string
}

/**
 * Returns the endpoints of the event's account that receive it. For a paused or failing endpoint the delivery waits;
 * for a stopped one it is "stopped" and can be sent again later; a deleted one, or one without an address, gets none.
 */
export function chooseEndpoints<T extends FanOutCandidate>(
  event: { object: string; changedFields: readonly string[] },
  endpoints: readonly T[],
): T[] {
  return endpoints.filter(
    (endpoint) =>
      endpoint.state !== 'deleted' &&
      endpoint.url !== '' &&
      (endpoint.objectType === event.object || normalizeObjectType(endpoint.objectType) === event.object) &&
      passesFields(endpoint.fieldFilter, event.changedFields),
  )
}

/** An event that names no fields passes every filter: one event too many is better than one silently missing. */
export function passesFields(fieldFilter: string, changedFields: readonly string[]): boolean {
  if (fieldFilter === '' || changedFields.length === 0) return true
  const wanted = new Set(fieldFilter.split(',').map((field) => field.trim().toLowerCase()))
  wanted.delete('')
  return wanted.size === 0 || changedFields.some((field) => wanted.has(field.toLowerCase()))
}
