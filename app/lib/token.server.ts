import { createHash, createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** A new secret: 32 random bytes as 43 characters of base64url. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** What is stored and looked up instead of the secret itself: sha256, base64url. Secrets of 256 bits need no salt. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'base64url')
}

/**
 * The same for sessions, keyed with the operator's `SESSION_SECRET`: whoever can write into the database, but does not know the
 * secret, cannot make a session in it, and a new secret signs everybody out.
 */
export function sessionHasher(secret: string): (token: string) => string {
  return (token) => createHmac('sha256', secret).update(`session|${token}`).digest('base64url')
}

/** Compares two texts without telling by its duration where they differ. */
export function sameSecret(a: string, b: string): boolean {
  const left = createHash('sha256').update(a).digest()
  const right = createHash('sha256').update(b).digest()
  return timingSafeEqual(left, right)
}
