// The refusals that a call may return: those that follow from its definition, and its own.
import { type OwnerAct, wantsFreshProof } from '#app/domain/people.ts'
import type { Operation, RefusedStatus } from './operation.ts'

export const REFUSAL_TEXTS: Readonly<Record<RefusedStatus, string>> = {
  400: 'Something in the request is wrong: `errors` says what, by field.',
  401: 'Nobody is signed in.',
  402: 'The payment was declined.',
  403: 'The call came from another site.',
  404: "It is not there. Another account's ids get the identical answer.",
  409: 'It cannot be done as things stand.',
  413: 'The body is larger than 100 KB.',
  415: 'The body is not sent as `application/json`.',
  422: 'It takes too long to check. Make its texts shorter.',
  429: 'Too many requests. `Retry-After` says when, in seconds.',
  500: 'Something went wrong on our side.',
  502: 'ServiceM8 refused or cannot be reached.',
  503: 'Not now. Please try again.',
}

/** 403 of calls that only owners may make. */
export function ownersOnly(act: OwnerAct): string {
  const recent = wantsFreshProof(act) ? ', or no opening or sign-in within 10 minutes' : ''
  return `Not an owner${recent}; or the call came from another site.`
}

export interface Refusal {
  status: RefusedStatus
  says: string
  /** Adds nothing to the status's usual text: `REFUSAL_TEXTS`. */
  usual: boolean
}

/** Sorted by status. */
export function refusalsOf(operation: Operation): Refusal[] {
  const { who, parameters = [], body, method, refusals = {} } = operation
  const own = (status: RefusedStatus) => typeof refusals[status] === 'string'
  const signedIn = who === 'session' || who === 'admin'
  const follow: Record<RefusedStatus, boolean> = {
    400: true,
    401: signedIn,
    402: false,
    403: (signedIn && method !== 'GET') || who === 'admin',
    404: signedIn ? body !== undefined || parameters.length > 0 : who === 'key',
    409: false,
    413: body !== undefined,
    415: body !== undefined,
    422: false,
    429: who !== 'anyone' || operation.limit !== undefined,
    500: true,
    502: false,
    503: false,
  }
  const statuses = (Object.keys(REFUSAL_TEXTS).map(Number) as RefusedStatus[]).filter(
    (status) => refusals[status] !== null && (follow[status] || own(status)),
  )
  return statuses.map((status) => {
    const usual = !own(status) && (status !== 403 || who !== 'admin')
    return { status, says: refusals[status] ?? usualText(operation, status), usual }
  })
}

function usualText({ who, method }: Operation, status: RefusedStatus): string {
  if (status !== 403 || who !== 'admin') return REFUSAL_TEXTS[status]
  return method === 'GET'
    ? 'It needs the role of an admin.'
    : 'It needs the role of an admin; or the call came from another site.'
}
