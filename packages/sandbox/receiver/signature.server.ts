// Verifies a request as a careful developer would: Standard Webhooks, with the secrets registered here.
import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Millis } from '#app/lib/clock.ts'
import { minutes } from '#app/lib/duration.ts'
import { sameSecret } from '#app/lib/token.server.ts'
import type { SignatureVerdict } from './received.ts'

const TOLERANCE = minutes(5)

/** Bytes of a secret written as `whsec_<base64>`, or null unless it has 24 to 64 bytes. */
export function secretKey(secret: string): Buffer | null {
  const text = secret.trim().replace(/^whsec_/, '')
  if (!/^[\w+/=-]+$/.test(text)) return null
  const key = Buffer.from(text, 'base64')
  return key.length >= 24 && key.length <= 64 ? key : null
}

/** @param body exactly the bytes that arrived. One matching registered secret is enough. */
export function checkSignature(
  headers: IncomingHttpHeaders,
  body: Buffer,
  keys: readonly Buffer[],
  now: Millis,
): SignatureVerdict {
  if (keys.length === 0) return 'no_secret'
  const id = single(headers['webhook-id'])
  const timestamp = single(headers['webhook-timestamp'])
  const signatures = single(headers['webhook-signature'])
  if (id === '' || timestamp === '' || signatures === '') return 'unsigned'
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body])
  const given = signatures.split(' ').flatMap((one) => (one.startsWith('v1,') ? [one.slice(3)] : []))
  const right = keys.some((key) => {
    const expected = createHmac('sha256', key).update(signed).digest('base64')
    return given.some((one) => sameSecret(one, expected))
  })
  if (!right) return 'invalid'
  return Math.abs(now - Number(timestamp) * 1000) > TOLERANCE ? 'stale' : 'valid'
}

function single(value: string | string[] | undefined): string {
  return typeof value === 'string' ? value : ''
}
