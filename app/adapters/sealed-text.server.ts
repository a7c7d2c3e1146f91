// A sealed text and its format: `<version>.<id of the key>.<iv>.<ct>.<tag>`, base64url, with exactly one valid form.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
const IV_BYTES = 12
/** Always set: otherwise Node would accept a tag of four bytes. */
const TAG = { authTagLength: 16 }

type SecretBoxErrorCode = 'wrong_configuration' | 'unreadable' | 'unknown_key' | 'altered_or_moved'

/** Contains a code, never the secret. */
export class SecretBoxError extends Error {
  readonly code: SecretBoxErrorCode
  constructor(code: SecretBoxErrorCode, message: string) {
    super(message)
    this.name = 'SecretBoxError'
    this.code = code
  }
}

export interface NamedKey {
  id: string
  key: Buffer
}

/** The readable parts of a sealed text, before it is opened. */
export interface SealedText {
  version: string
  keyId: string
  iv: Buffer
  body: Buffer
  tag: Buffer
}

/** Binds the text to `place`: it does not open elsewhere. */
export function sealText(version: string, { id, key }: NamedKey, place: string, plain: string): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, iv, TAG)
  cipher.setAAD(Buffer.from(place))
  const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
  return [version, id, spell(iv), spell(sealed), spell(cipher.getAuthTag())].join('.')
}

/** Throws when the text is not a sealed one. */
export function readSealed(sealed: string): SealedText {
  const parts = sealed.split('.')
  const [version = '', keyId = '', iv, body, tag] = parts
  if (parts.length !== 5 || keyId === '') throw unreadable()
  const read = { version, keyId, iv: bytes(iv), body: bytes(body), tag: bytes(tag) }
  if (read.iv.length !== IV_BYTES || read.tag.length !== TAG.authTagLength) throw unreadable()
  return read
}

/** Throws for the wrong key, an altered text, or a text from another place. */
export function openText({ iv, body, tag }: SealedText, key: Buffer, place: string): string {
  const decipher = createDecipheriv(ALGORITHM, key, iv, TAG)
  decipher.setAAD(Buffer.from(place))
  decipher.setAuthTag(tag)
  try {
    return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
  } catch {
    throw new SecretBoxError('altered_or_moved', 'the secret was altered, or belongs to another place')
  }
}

export function unreadable(): SecretBoxError {
  return new SecretBoxError('unreadable', 'the text is not a sealed secret')
}

/** Strict base64url: refuses another spelling of the same bytes, so that a sealed text has exactly one form. */
function bytes(value: string | undefined): Buffer {
  const decoded = Buffer.from(value ?? '', 'base64url')
  if (spell(decoded) !== value) throw unreadable()
  return decoded
}

function spell(value: Buffer): string {
  return value.toString('base64url')
}
