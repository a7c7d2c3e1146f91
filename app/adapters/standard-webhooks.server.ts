// Signs forwards by the Standard Webhooks specification, so receivers can verify them with its ready-made libraries:
// HMAC-SHA-256 over `id.timestamp.body`.
import { createHmac, createSecretKey, randomBytes } from 'node:crypto'
import { remembered } from '../lib/remembered.ts'

const PREFIX = 'whsec_'
const NEW_SECRET_BYTES = 32
const MIN_SECRET_BYTES = 24
const MAX_SECRET_BYTES = 64
/** Cached keys: more than the number of endpoints in use at a time. */
const MOST_KEYS = 5_000

interface ForwardToSign {
  /** The same for every attempt and replay of one event to one endpoint: receivers detect repeats by it. */
  id: string
  /** Unix time of this attempt. */
  timestampSeconds: number
  /** The exact text that is sent. */
  body: string
  /** All currently valid secrets, newest first: two during a rotation. */
  secrets: readonly string[]
}

type SignatureHeaders = Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>

/** A new secret: `whsec_` and the base64 of 32 random bytes. */
export function newSigningSecret(): string {
  return PREFIX + randomBytes(NEW_SECRET_BYTES).toString('base64')
}

/**
 * The three headers of a forward, with one `v1` signature per secret. Throws when an id, a time or a secret violates
 * the specification: an unsigned or wrongly signed forward must not leave.
 */
export function signForward({ id, timestampSeconds, body, secrets }: ForwardToSign): SignatureHeaders {
  // A full stop would make `id.timestamp.body` ambiguous.
  if (!/^[\w:-]+$/.test(id)) throw new Error('webhook-id must consist of letters, digits, "-", "_" and ":"')
  if (!Number.isSafeInteger(timestampSeconds) || timestampSeconds < 0)
    throw new Error('webhook-timestamp must be whole seconds')
  if (secrets.length === 0) throw new Error('a forward needs at least one signing secret')
  const signatures = secrets.map((secret) => {
    const signature = createHmac('sha256', readyKey(secret)).update(`${id}.${timestampSeconds}.${body}`)
    return `v1,${signature.digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signatures.join(' '),
  }
}

/** Decoding and checking a secret costs as much as signing, so it is cached. */
const readyKey = remembered(MOST_KEYS, (secret) => {
  const bytes = signingKey(secret)
  if (!bytes) throw new Error('a signing secret must be whsec_ and the base64 of 24 to 64 bytes')
  return createSecretKey(bytes)
})

function signingKey(secret: string): Buffer | null {
  if (!secret.startsWith(PREFIX)) return null
  const encoded = secret.slice(PREFIX.length)
  const key = Buffer.from(encoded, 'base64')
  const canonical = key.toString('base64') === encoded
  return canonical && key.length >= MIN_SECRET_BYTES && key.length <= MAX_SECRET_BYTES ? key : null
}
