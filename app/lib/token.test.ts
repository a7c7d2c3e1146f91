import { createHash, createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { hashToken, newToken, sameSecret, sessionHasher } from './token.server.ts'

test('a token is 32 random bytes in base64url, never the same', () => {
  const tokens = Array.from({ length: 200 }, newToken)
  for (const token of tokens) expect(token).toMatch(/^[\w-]{43}$/)
  expect(Buffer.from(tokens[0] ?? '', 'base64url')).toHaveLength(32)
  expect(new Set(tokens).size).toBe(200)
})

test('what is stored of it is its sha256', () => {
  expect(hashToken('abc')).toBe(createHash('sha256').update('abc').digest('base64url'))
  expect(hashToken('abc')).toBe('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0')
  expect(hashToken('abd')).not.toBe(hashToken('abc'))
})

test('two secrets are the same only when every character is, whatever their lengths', () => {
  expect(sameSecret('secret', 'secret')).toBe(true)
  expect(sameSecret('', '')).toBe(true)
  expect(sameSecret('secret', 'secreT')).toBe(false)
  expect(sameSecret('secret', 'secret ')).toBe(false)
  expect(sameSecret('secret', '')).toBe(false)
  expect(sameSecret('\u00e4', 'a\u0308')).toBe(false)
})

test('a session is stored as a keyed hash of its token, another one for each secret, and never the plain hash', () => {
  expect(sessionHasher('secret')('abc')).toBe(createHmac('sha256', 'secret').update('session|abc').digest('base64url'))
  expect(sessionHasher('another')('abc')).not.toBe(sessionHasher('secret')('abc'))
  expect(sessionHasher('secret')('abd')).not.toBe(sessionHasher('secret')('abc'))
  expect(sessionHasher('secret')('abc')).not.toBe(hashToken('abc'))
})
