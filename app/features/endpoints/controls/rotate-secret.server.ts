// Rotates the signing secret. The old secret stays valid for one day.
import { randomBytes } from 'node:crypto'
import type { App } from '#app/context/app-context.ts'
import { type EndpointKey, refOf } from '#app/domain/endpoint-key.ts'
import { signingSecretPlace } from '#app/domain/sealed-places.ts'
import type { Millis } from '#app/lib/clock.ts'
import { hours, minutes } from '#app/lib/duration.ts'

/** How long events are signed with both secrets. */
export const SECRET_OVERLAP = hours(24)

/** A second click, or a call repeated after a lost answer, must not replace the secret that is still in use. */
const SAME_WISH = minutes(1)

type RotateOutcome =
  /** `previousUntil` = until when events are also signed with the previous secret. */
  { outcome: 'rotated'; secret: string; previousUntil: Millis } | { outcome: 'not_found' }

/** Creates a new `whsec_…` secret: 32 random bytes. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

/** Rotates the secret. A second request within a minute returns the same new secret. */
export async function rotateSecret(
  app: Pick<App, 'store' | 'secrets' | 'clock' | 'log'>,
  accountUuid: string,
  key: EndpointKey,
): Promise<RotateOutcome> {
  const record = await app.store.endpoints.findEndpoint(accountUuid, refOf(key))
  if (!record) return { outcome: 'not_found' }
  const place = signingSecretPlace(accountUuid)
  const rotation = await app.store.endpoints.rotateSecret(accountUuid, record.endpoint.id, {
    secretSealed: await app.secrets.seal(place, newSecret()),
    overlapMs: SECRET_OVERLAP,
    sameRequestMs: SAME_WISH,
    at: app.clock.now(),
  })
  if (!rotation) return { outcome: 'not_found' }
  if (rotation.rotated) app.log.info({ account: accountUuid, endpoint: record.endpoint.id }, 'endpoint.secret_rotated')
  const secret = await app.secrets.open(place, rotation.secretSealed)
  return { outcome: 'rotated', secret, previousUntil: rotation.previousSecretUntil }
}
