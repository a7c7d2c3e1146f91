import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import type { SecretBox } from './secret-box.ts'

const ALGORITHM = 'aes-256-gcm'
const VERSION = 'v1'
const KEY_BYTES = 32
const IV_BYTES = 12
/** Always given: Node would accept a tag of four bytes otherwise. */
const TAG = { authTagLength: 16 }

export type SecretBoxErrorCode = 'wrong_configuration' | 'unreadable' | 'unknown_key' | 'altered_or_moved'

/** Carries a code, never the secret. */
export class SecretBoxError extends Error {
  readonly code: SecretBoxErrorCode
  constructor(code: SecretBoxErrorCode, message: string) {
    super(message)
    this.name = 'SecretBoxError'
    this.code = code
  }
}

/**
 * `encKeys` as in `ENC_KEYS`: `k2:<base64 of 32 bytes>,k1:…`. The first key seals, all of them open, so that a key is
 * replaced by putting a new one in front. Throws a sentence for the operator when a key is missing, short or named twice.
 */
export function createSecretBox(encKeys: string): SecretBox {
  const keys = parseKeys(encKeys)
  const [first] = keys
  if (!first) throw wrong('holds no key')
  const [currentId, currentKey] = first
  const ring = new Map(keys)
  // A key has one use: what encrypts does not also hash.
  const hashKeys = keys.map(([, key]) => Buffer.from(hkdfSync('sha256', key, '', 'fieldhook fingerprint', KEY_BYTES)))

  return {
    seal(place, plain) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv(ALGORITHM, currentKey, iv, TAG)
      cipher.setAAD(Buffer.from(place))
      const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return [VERSION, currentId, text(iv), text(sealed), text(cipher.getAuthTag())].join('.')
    },
    open(place, sealed) {
      const parts = sealed.split('.')
      const [version, id, iv, body, tag] = parts
      if (parts.length !== 5 || version !== VERSION || !id) throw unreadable()
      const key = ring.get(id)
      if (!key)
        throw new SecretBoxError(
          'unknown_key',
          `the secret was sealed with the key "${id}", which ENC_KEYS does not hold`,
        )
      const ivBytes = bytes(iv)
      const tagBytes = bytes(tag)
      if (ivBytes.length !== IV_BYTES || tagBytes.length !== TAG.authTagLength) throw unreadable()
      const decipher = createDecipheriv(ALGORITHM, key, ivBytes, TAG)
      decipher.setAAD(Buffer.from(place))
      decipher.setAuthTag(tagBytes)
      try {
        return Buffer.concat([decipher.update(bytes(body)), decipher.final()]).toString('utf8')
      } catch {
        throw new SecretBoxError('altered_or_moved', 'the secret was altered, or belongs to another place')
      }
    },
    fingerprints(purpose, plain) {
      // The length keeps purpose and value apart.
      const bound = `${purpose.length}|${purpose}|${plain}`
      return hashKeys.map((key) => createHmac('sha256', key).update(bound).digest('base64url'))
    },
  }
}

function parseKeys(encKeys: string): [string, Buffer][] {
  const entries = encKeys.split(',').map((entry) => entry.trim())
  const keys = entries.filter((entry) => entry !== '').map(parseKey)
  const ids = keys.map(([id]) => id)
  const twice = ids.find((id, i) => ids.indexOf(id) !== i)
  if (twice !== undefined) throw wrong(`names the key "${twice}" twice`)
  return keys
}

function parseKey(entry: string): [string, Buffer] {
  const [, id, encoded] = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/_-]+={0,2})$/.exec(entry) ?? []
  // The entry itself is not repeated: it may well be a key without its name.
  if (!id || !encoded) throw wrong('must look like k1:<base64 of 32 bytes>, several separated by commas')
  const key = Buffer.from(encoded, 'base64')
  if (key.length !== KEY_BYTES) throw wrong(`has a key "${id}" of ${key.length} bytes instead of ${KEY_BYTES}`)
  return [id, key]
}

function wrong(fault: string): SecretBoxError {
  return new SecretBoxError('wrong_configuration', `ENC_KEYS ${fault}`)
}

function unreadable(): SecretBoxError {
  return new SecretBoxError('unreadable', 'the text is not a sealed secret')
}

function text(value: Buffer): string {
  return value.toString('base64url')
}

/** Strict base64url: another spelling of the same bytes is refused, so that a sealed text has exactly one form. */
function bytes(value: string | undefined): Buffer {
  const decoded = Buffer.from(value ?? '', 'base64url')
  if (text(decoded) !== value) throw unreadable()
  return decoded
}
