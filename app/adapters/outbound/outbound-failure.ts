// Maps a connection failure to a class and a sentence. The sentences name no host and no address: the user who typed
// the address sees them, and a name may turn out to be an internal one.
import type { OutboundOutcome } from './outbound.ts'
import { ADDRESS_SENTENCES, type AddressReason } from './safe-address.ts'

export type FailureClass = Exclude<OutboundOutcome['outcome'], 'response'>

/** How far the exchange got. Up to `securing`, no byte of the request was sent. */
export type ExchangePhase = 'connecting' | 'securing' | 'waiting' | 'answering'

interface Failure {
  outcome: FailureClass
  sentence: string
  /** Blocked because of the address, and why. */
  refused?: AddressReason
}

/** The relevant part of an error: Node's `code`, and the reason for a refused address. */
export interface Fault {
  code: string | null
  message: string
  reason?: AddressReason | null
}

const CERTIFICATE_SENTENCES: Record<string, string> = {
  CERT_HAS_EXPIRED: 'The certificate of this address has expired. Renew it on the receiving server.',
  CERT_NOT_YET_VALID: 'The certificate of this address is not valid yet. Check the clock of the receiving server.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate of this address is self-signed. Use one from a public authority.',
  SELF_SIGNED_CERT_IN_CHAIN:
    'The certificate of this address comes from a private authority. Use one from a public authority.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The certificate chain of this address is incomplete, or from an unknown authority.',
  UNABLE_TO_GET_ISSUER_CERT: 'The certificate chain of this address is incomplete, or from an unknown authority.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'The certificate chain of this address is incomplete, or from an unknown authority.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate of this address was issued for another name.',
}

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'EADDRNOTAVAIL',
  'EACCES',
  'EPERM',
])
const CLOSED = new Set([
  'ECONNRESET',
  'EPIPE',
  'ECONNABORTED',
  'DIAL_CLOSED',
  'UND_ERR_SOCKET',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'HPE_INVALID_EOF_STATE',
])

/** `connectMs`: the connection timeout, for the sentence. */
export function describeFailure(fault: Fault, phase: ExchangePhase, connectMs: number): Failure {
  const code = fault.code ?? ''
  switch (code) {
    case 'DIAL_BLOCKED': {
      const refused = fault.reason ?? 'private_address'
      return { outcome: 'blocked', sentence: ADDRESS_SENTENCES[refused], refused }
    }
    case 'DIAL_NAME_UNKNOWN':
      return { outcome: 'dns', sentence: 'The name in this address does not exist. Check the spelling.' }
    case 'DIAL_NAME_UNAVAILABLE':
      return { outcome: 'dns', sentence: 'The name in this address could not be looked up just now.' }
    case 'DIAL_TIMEOUT':
    case 'ETIMEDOUT':
      return { outcome: 'timeout', sentence: timeoutSentence(phase, connectMs) }
    case 'INFORMATIONAL_FLOOD':
      return { outcome: 'protocol', sentence: 'The server sent interim answers without end and no final one.' }
    case 'UND_ERR_HEADERS_OVERFLOW':
      return { outcome: 'protocol', sentence: 'The headers of the answer were larger than 16 KB.' }
  }
  if (UNREACHABLE.has(code)) {
    return {
      outcome: 'refused',
      sentence:
        code === 'ECONNREFUSED'
          ? 'The server refused the connection. Is it running?'
          : 'The server of this address could not be reached.',
    }
  }
  // undici reports an unsolicited 100 or 101 as a socket error; only the text differs from a closed connection.
  if (CLOSED.has(code) && !/^bad (response|upgrade)$/.test(fault.message)) {
    return { outcome: 'reset', sentence: CLOSED_SENTENCES[phase] }
  }
  if (phase === 'securing' || code in CERTIFICATE_SENTENCES) {
    return {
      outcome: 'tls',
      sentence: CERTIFICATE_SENTENCES[code] ?? 'No secure connection (TLS) could be set up with this address.',
    }
  }
  return { outcome: 'protocol', sentence: 'The answer was not valid HTTP.' }
}

/** Nothing arrived in time. `ms` is the limit that was reached. */
export function timeoutSentence(phase: ExchangePhase, ms: number): string {
  const limit = `${Math.round(ms / 100) / 10} second${ms === 1000 ? '' : 's'}`
  const sentences: Record<ExchangePhase, string> = {
    connecting: `No connection within ${limit}.`,
    securing: `The secure connection (TLS) was not ready within ${limit}.`,
    waiting: `No answer within ${limit}.`,
    answering: `The answer had begun but was not complete within ${limit}.`,
  }
  return sentences[phase]
}

export function wasSent(phase: ExchangePhase): boolean {
  return phase === 'waiting' || phase === 'answering'
}

/** Whether an immediate retry is safe: the request was not sent, so it cannot arrive twice. */
export function maySafelyRepeat(failure: Failure, phase: ExchangePhase): boolean {
  return !wasSent(phase) && (failure.outcome === 'refused' || failure.outcome === 'reset')
}

const NOT_SENT = 'The server closed the connection before the request could be sent.'

const CLOSED_SENTENCES: Record<ExchangePhase, string> = {
  connecting: NOT_SENT,
  securing: NOT_SENT,
  waiting: 'The server closed the connection without an answer.',
  answering: 'The server closed the connection in the middle of its answer.',
}
