// Certificates for tests, created on demand: no key is in the repository and none expires by surprise.
import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

export interface Issued {
  /** PEM. */
  cert: string
  /** PEM. */
  key: string
  subject: string
}

/**
 * Issues a certificate for `names` and IPv4 `ips`. Self-signed without `issuer`. `validFrom` and `validTo` are relative
 * to now, in days.
 */
export function issueCertificate(input: {
  subject: string
  names?: readonly string[]
  ips?: readonly string[]
  issuer?: Issued
  authority?: boolean
  validFrom?: number
  validTo?: number
}): Issued {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const signer: KeyObject = input.issuer ? createPrivateKey(input.issuer.key) : privateKey
  const alternatives = [
    ...(input.names ?? []).map((name) => der(0x82, Buffer.from(name))),
    ...(input.ips ?? []).map((ip) => der(0x87, Buffer.from(ip.split('.').map(Number)))),
  ]
  const extensions = [
    ...(input.authority ? [extension('551d13', sequence(der(0x01, Buffer.from([0xff]))))] : []),
    ...(alternatives.length > 0 ? [extension('551d11', sequence(...alternatives))] : []),
  ]
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    SIGNED_BY,
    name(input.issuer?.subject ?? input.subject),
    sequence(time(input.validFrom ?? -1), time(input.validTo ?? 1)),
    name(input.subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  )
  const certificate = sequence(body, SIGNED_BY, bitString(sign('sha256', body, signer)))
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    subject: input.subject,
  }
}

// The few parts of DER that a certificate needs (X.690, RFC 5280).
function der(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts))
}

function objectId(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'))
}

function bitString(content: Buffer): Buffer {
  return der(0x03, Buffer.concat([Buffer.from([0]), content]))
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(objectId(id), der(0x04, value))
}

function name(commonName: string): Buffer {
  return sequence(der(0x31, sequence(objectId('550403'), der(0x0c, Buffer.from(commonName)))))
}

function time(days: number): Buffer {
  const iso = new Date(Date.now() + days * 86_400_000).toISOString()
  return der(0x17, Buffer.from(`${iso.slice(2, 19).replace(/[-:T]/g, '')}Z`))
}

/** ecdsa-with-SHA256 */
const SIGNED_BY = sequence(objectId('2a8648ce3d040302'))
