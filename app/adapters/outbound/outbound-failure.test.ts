import { describe, expect, test } from 'vitest'
import { describeFailure, maySafelyRepeat, timeoutSentence } from './outbound-failure.ts'

describe('what went wrong on a connection', () => {
  test.each([
    ['ECONNREFUSED', 'connecting', 'refused', 'The server refused the connection. Is it running?'],
    ['EHOSTUNREACH', 'connecting', 'refused', 'The server of this address could not be reached.'],
    ['ETIMEDOUT', 'connecting', 'timeout', 'No connection within 5 seconds.'],
    ['DIAL_TIMEOUT', 'securing', 'timeout', 'The secure connection (TLS) was not ready within 5 seconds.'],
    ['DIAL_NAME_UNKNOWN', 'connecting', 'dns', 'The name in this address does not exist. Check the spelling.'],
    ['ECONNRESET', 'securing', 'reset', 'The server closed the connection before the request could be sent.'],
    ['ECONNRESET', 'waiting', 'reset', 'The server closed the connection without an answer.'],
    ['EPIPE', 'waiting', 'reset', 'The server closed the connection without an answer.'],
    ['UND_ERR_SOCKET', 'answering', 'reset', 'The server closed the connection in the middle of its answer.'],
    [
      'CERT_HAS_EXPIRED',
      'securing',
      'tls',
      'The certificate of this address has expired. Renew it on the receiving server.',
    ],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'securing', 'tls', 'The certificate of this address was issued for another name.'],
    ['EPROTO', 'securing', 'tls', 'No secure connection (TLS) could be set up with this address.'],
    ['SOMETHING_NEW', 'securing', 'tls', 'No secure connection (TLS) could be set up with this address.'],
    ['HPE_INVALID_CONSTANT', 'answering', 'protocol', 'The answer was not valid HTTP.'],
    ['SOMETHING_NEW', 'answering', 'protocol', 'The answer was not valid HTTP.'],
  ] as const)('%s while %s is %s', (code, phase, outcome, sentence) => {
    expect(describeFailure({ code, message: '' }, phase, 5_000)).toEqual({ outcome, sentence })
  })

  test('an interim answer nobody asked for is told from a closed connection', () => {
    expect(describeFailure({ code: 'UND_ERR_SOCKET', message: 'bad response' }, 'waiting', 5_000).outcome).toBe(
      'protocol',
    )
    expect(describeFailure({ code: 'UND_ERR_SOCKET', message: 'other side closed' }, 'waiting', 5_000).outcome).toBe(
      'reset',
    )
  })

  test('only a connection that was refused or lost before the request had left is repeated at once', () => {
    const refused = describeFailure({ code: 'ECONNREFUSED', message: '' }, 'connecting', 5_000)
    const reset = describeFailure({ code: 'ECONNRESET', message: '' }, 'securing', 5_000)
    const expired = describeFailure({ code: 'CERT_HAS_EXPIRED', message: '' }, 'securing', 5_000)
    expect([maySafelyRepeat(refused, 'connecting'), maySafelyRepeat(reset, 'securing')]).toEqual([true, true])
    expect([maySafelyRepeat(reset, 'waiting'), maySafelyRepeat(reset, 'answering')]).toEqual([false, false])
    expect(maySafelyRepeat(expired, 'securing')).toBe(false)
  })

  test('limits are told in seconds', () => {
    expect(timeoutSentence('waiting', 15_000)).toBe('No answer within 15 seconds.')
    expect(timeoutSentence('answering', 1_000)).toBe('The answer had begun but was not complete within 1 second.')
    expect(timeoutSentence('waiting', 2_500)).toBe('No answer within 2.5 seconds.')
  })
})
