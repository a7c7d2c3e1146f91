import { createHash, createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** A new secret: 32 random bytes as 43 characters of base64url. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Stored and looked up instead of the secret: sha256, base64url. Secrets of 256 bits need no salt. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'base64url')
}

/**
 * The same for sessions, keyed with the operator's `SESSION_SECRET`: someone who can write to the database but does not
 * know the secret cannot create a session, and a new secret signs everyone out.
 */
export function sessionHasher(secret: string): (token: string) => string {
  return (token) => createHmac('sha256', secret).update(`session|${token}`).digest('base64url')
}

/** Compares two texts so that the duration does not reveal where they differ. */
export function sameSecret(a: string, b: string): boolean {
  const left = createHash('sha256').update(a).digest()
  const right = createHash('sha256').update(b).digest()
  return timingSafeEqual(left, right)
}
