import { describe, expect, it, test } from 'vitest'
import { ACCOUNT_ID_MESSAGES, accountIdIn, decideNamedAs, MOST_IDS_PER_ACCOUNT, readAccountId } from './account-id.ts'

const UUID = '11111111-1111-4111-8111-11111111ABCD'

describe('an id', () => {
  it.each([
    [UUID, UUID.toLowerCase()],
    [` ${UUID} `, UUID.toLowerCase()],
    ['Ext-4711', 'Ext-4711'],
    ['a.b_c:d', 'a.b_c:d'],
    // Longer than a uuid: somebody's own id, and its case is its own.
    [`X${UUID}`, `X${UUID}`],
    [`${UUID}X`, `${UUID}X`],
    ['x'.repeat(100), 'x'.repeat(100)],
  ])('%j is read as %j', (raw, id) => {
    expect(readAccountId(raw)).toBe(id)
  })

  it.each(['', ' ', 'a b', 'a/b', '../x', "a'b", '<b>', 'x'.repeat(101), 'a\u0000', null, undefined, 7, {}])(
    '%j is none',
    (raw) => {
      expect(readAccountId(raw)).toBeNull()
    },
  )

  it('is read in both spellings, the first that is one', () => {
    expect(accountIdIn(new URLSearchParams('accountUUID=a'))).toBe('a')
    expect(accountIdIn(new URLSearchParams('accountuuid=b'))).toBe('b')
    expect(accountIdIn(new URLSearchParams('accountUUID=a&accountuuid=b'))).toBe('a')
    expect(accountIdIn(new URLSearchParams('accountUUID=&accountuuid=b'))).toBe('b')
    expect(accountIdIn(new URLSearchParams('account=a'))).toBeNull()
  })
})

describe('an id named at sign-in', () => {
  it.each([
    ['nothing', '', { isAccount: false, mappedTo: null }, 'same'],
    ['the account itself', 'me', { isAccount: true, mappedTo: null }, 'same'],
    ['the account itself, mapped away before', 'me', { isAccount: false, mappedTo: 'other' }, 'same'],
    ['an unknown id', 'ext', { isAccount: false, mappedTo: null }, 'new'],
    ['an id of the account', 'ext', { isAccount: false, mappedTo: 'me' }, 'same'],
    ["another account's id", 'ext', { isAccount: false, mappedTo: 'other' }, 'taken'],
    ['another account', 'other', { isAccount: true, mappedTo: null }, 'other_account'],
    ['another account, mapped to this one', 'other', { isAccount: true, mappedTo: 'me' }, 'other_account'],
  ] as const)('that is %s', (_what, named, found, expected) => {
    expect(decideNamedAs(named, 'me', found)).toBe(expected)
  })
})

test('an account has at most fifty ids, and what stands in the way is said', () => {
  expect(MOST_IDS_PER_ACCOUNT).toBe(50)
  expect(ACCOUNT_ID_MESSAGES).toEqual({
    required: 'Account UUID is required',
    taken: 'This id already belongs to another account.',
    full: 'An account can have at most 50 external ids.',
  })
})
