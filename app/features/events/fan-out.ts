// Which addresses an event goes to.
import { normalizeObjectType } from '#app/domain/object-catalog.ts'

/** An endpoint as far as this choice needs it. */
interface FanOutCandidate {
  objectType: string
  /** Comma-separated; empty = every event of the object. */
  fieldFilter: string
  /** Empty = nothing is forwarded. */
  url: string
  /** active | paused | stopped | failing | deleted */
  state: string
}

/**
 * The endpoints of the event's account that get it. A paused or failing endpoint gets it and keeps it waiting, a stopped one
 * gets it as "stopped", so that it can be sent again later; a deleted one, or one without an address, does not get it.
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

/** An event that names no fields passes every filter: better one too many than one silently missing. */
export function passesFields(fieldFilter: string, changedFields: readonly string[]): boolean {
  if (fieldFilter === '' || changedFields.length === 0) return true
  const wanted = new Set(fieldFilter.split(',').map((field) => field.trim().toLowerCase()))
  wanted.delete('')
  return wanted.size === 0 || changedFields.some((field) => wanted.has(field.toLowerCase()))
}
