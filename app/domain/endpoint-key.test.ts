import { describe, expect, test } from 'vitest'
import { keyOf, parseEndpointKey, refOf } from './endpoint-key.ts'

describe('the key of an address', () => {
  test.each([
    ['3', 3],
    ['rule-3', 'rule-3'],
    ['999999999999999', 999_999_999_999_999],
  ])('%s is read', (text, key) => {
    expect(parseEndpointKey(text)).toBe(key)
    expect(String(parseEndpointKey(text))).toBe(text)
  })

  test.each(['', '0', '-1', '1e3', ' 3', '3 ', '03', 'rule-', 'rule-0', 'rule-x', 'rule-3-3', 'rules-3', '1e21'])(
    '“%s” is none',
    (text) => {
      expect(parseEndpointKey(text)).toBeNull()
    },
  )

  test('leads back to its endpoint', () => {
    expect(keyOf({ kind: 'extra', id: 12 })).toBe('rule-12')
    expect(refOf('rule-12')).toEqual({ kind: 'extra', id: 12 })
    expect(keyOf({ kind: 'webhook', id: 12 })).toBe(12)
    expect(refOf(12)).toEqual({ kind: 'webhook', id: 12 })
  })
})
