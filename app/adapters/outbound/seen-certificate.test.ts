import { expect, test } from 'vitest'
import { seenCertificate } from './outbound-dial.server.ts'

const UNTIL = 'Nov 22 10:00:00 2026 GMT'
const until = Date.UTC(2026, 10, 22, 10)

test.each([
  ['the organisation', { O: 'Some Authority', CN: 'R3' }, 'Some Authority'],
  ['else its name', { CN: 'R3' }, 'R3'],
  ['else its name, when the organisation is empty', { O: '', CN: 'R3' }, 'R3'],
  ['the first of several', { O: ['First', 'Second'] }, 'First'],
  ['nothing of none', {}, null],
  ['nothing of a list of none', { O: [], CN: [] }, null],
  ['a hundred characters of a long one', { O: 'x'.repeat(150) }, 'x'.repeat(100)],
])('of who issued a certificate: %s', (_what, issuer, name) => {
  expect(seenCertificate({ valid_to: UNTIL, issuer })).toEqual({ validUntil: until, issuer: name })
})

test('a certificate without an end, or of a connection that is gone, is none', () => {
  expect(seenCertificate({})).toBeNull()
  expect(seenCertificate({ valid_to: 'some day', issuer: { O: 'x' } })).toBeNull()
  expect(seenCertificate({ valid_to: UNTIL })).toEqual({ validUntil: until, issuer: null })
})
