import { errors, type JWTPayload, jwtVerify } from 'jose'
import type { Clock } from '#app/lib/clock.ts'
import { minutes, seconds } from '#app/lib/duration.ts'
import { isRecord } from '#app/lib/json.ts'
import { textOf } from './servicem8-answer.ts'
import type { ReadSigned, SignedRequest } from './servicem8-signed.ts'

/** The two companies' clocks differ a little. */
const TOLERANCE_SECONDS = 60
/** Maximum age of an opening without an expiry. One without any time is remembered this long. */
const LIFETIME = minutes(10)

/**
 * Reads the platform's signed bodies: only HS256 with the App Secret (a list of one algorithm: `none` and asymmetric
 * algorithms are refused before any key is used).
 */
export function createSignedReader(options: { appSecret: string; clock: Clock }): ReadSigned {
  const key = new TextEncoder().encode(options.appSecret)
  return async (jwt) => {
    const now = options.clock.now()
    try {
      const { payload } = await jwtVerify(jwt.trim(), key, {
        algorithms: ['HS256'],
        currentDate: new Date(now),
        clockTolerance: TOLERANCE_SECONDS,
      })
      return readClaims(payload, now)
    } catch (error) {
      return { outcome: 'refused', reason: reasonOf(error) }
    }
  }
}

function readClaims(payload: JWTPayload, now: number): SignedRequest {
  const issuedAt = payload.iat === undefined ? null : seconds(payload.iat)
  const endsAt = payload.exp === undefined ? null : seconds(payload.exp)
  if (issuedAt !== null && issuedAt > now + seconds(TOLERANCE_SECONDS)) return { outcome: 'refused', reason: 'claims' }

  const auth = payload.auth
  const accountUuid = isRecord(auth) ? textOf(auth.accountUUID).toLowerCase() : ''
  if (!isRecord(auth) || accountUuid === '') return { outcome: 'refused', reason: 'claims' }
  const eventName = textOf(payload.eventName)
  if (eventName === 'webhook_subscription') {
    const args = isRecord(payload.eventArgs) ? payload.eventArgs : {}
    const object = textOf(args.object).toLowerCase().replaceAll('_', '')
    const claims = { accountUuid, object, entry: args.entry, resourceUrl: textOf(args.resource_url) }
    return { outcome: 'webhook', claims }
  }
  // Only openings expire: a webhook may be resent for days, and its events are deduplicated by content.
  const end = endsAt ?? (issuedAt ?? now) + LIFETIME
  if (now > end + seconds(TOLERANCE_SECONDS)) return { outcome: 'refused', reason: 'expired' }
  const staffUuid = textOf(auth.staffUUID).toLowerCase() || null
  const replayUntil = end + seconds(TOLERANCE_SECONDS)
  return { outcome: 'opening', opening: { accountUuid, staffUuid, eventName, replayUntil } }
}

function reasonOf(error: unknown): 'malformed' | 'signature' | 'expired' | 'claims' {
  if (error instanceof errors.JWTExpired) return 'expired'
  if (error instanceof errors.JWTClaimValidationFailed) return 'claims'
  if (error instanceof errors.JWSSignatureVerificationFailed || error instanceof errors.JOSEAlgNotAllowed)
    return 'signature'
  return 'malformed'
}
