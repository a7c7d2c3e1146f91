import { describe, expect, test } from 'vitest'
import { parseEndpointKey, ruleIdOf, ruleKey } from './endpoint-key.ts'

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

  test('of a rule leads back to it', () => {
    expect(ruleKey(12)).toBe('rule-12')
    expect(ruleIdOf(ruleKey(12))).toBe(12)
  })
})
