// Secrets sealed with keys of accounts.
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { memoryKeyring } from '#tests/support/memory-keyring.ts'
import { createOpenedKeys } from './opened-keys.server.ts'
import { SecretBoxError, sealText } from './sealed-text.server.ts'
import { createSecretBox } from './secret-box.server.ts'
import { accountOfPlace, accountOfPurpose } from './secret-box.ts'

const newKey = () => randomBytes(32).toString('base64')
const K1 = `k1:${newKey()}`
const K2 = `k2:${newKey()}`
const LEEDS = 'credential|leeds|access_token'
const YORK = 'credential|york|access_token'

function codeOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof SecretBoxError) return error.code
    throw error
  }
  return 'nothing thrown'
}

test('a secret of an account is sealed with a key of its own, made once and kept sealed', () => {
  const keyring = memoryKeyring()
  const box = createSecretBox(K1, keyring)
  const sealed = box.seal(LEEDS, 'token')
  expect(sealed).toMatch(/^v2\.[\w-]{8}\.[\w-]{16}\.[\w-]+\.[\w-]{22}$/)
  expect(box.open(LEEDS, sealed)).toBe('token')
  expect(keyring.rows.get('leeds')).toEqual({
    sealedWith: 'k1',
    keySealed: expect.stringMatching(/^v1\.k1\.[\w-]{16}\.[\w-]{58}\.[\w-]{22}$/),
  })
  const [, idOfLeeds] = sealed.split('.')
  expect(box.seal('automation|leeds|trigger', 'x').split('.')[1]).toBe(idOfLeeds)
  expect(box.seal(YORK, 'x').split('.')[1]).not.toBe(idOfLeeds)
  expect([...keyring.rows.keys()]).toEqual(['leeds', 'york'])
})

test('what belongs to no account, or is sealed without a keyring, is sealed with ENC_KEYS', () => {
  const keyring = memoryKeyring()
  const box = createSecretBox(K1, keyring)
  for (const place of ['flash', 'document link', 'a|b', 'a|b|c|d', '|b|c', 'a||c', 'a|b|']) {
    const sealed = box.seal(place, 'x')
    expect(sealed).toMatch(/^v1\.k1\./)
    expect(box.open(place, sealed)).toBe('x')
  }
  expect(keyring.rows.size).toBe(0)
  expect(createSecretBox(K1).seal(LEEDS, 'x')).toMatch(/^v1\.k1\./)
})

test('what was sealed before accounts had keys still opens', () => {
  const old = createSecretBox(K1).seal(LEEDS, 'token')
  expect(createSecretBox(`${K2},${K1}`, memoryKeyring()).open(LEEDS, old)).toBe('token')
})

test('moved to another account or column nothing opens, and neither does a key in the row of another account', () => {
  const keyring = memoryKeyring()
  const box = createSecretBox(K1, keyring)
  const sealed = box.seal(LEEDS, 'token')
  box.seal(YORK, 'x')
  expect(codeOf(() => box.open(YORK, sealed))).toBe('unknown_key')
  expect(codeOf(() => box.open('credential|leeds|refresh_token', sealed))).toBe('altered_or_moved')
  expect(codeOf(() => box.open('credential|nobody|access_token', sealed))).toBe('unknown_key')
  const ofLeeds = keyring.rows.get('leeds') ?? { sealedWith: '', keySealed: '' }
  keyring.rows.set('york', ofLeeds)
  expect(codeOf(() => box.open(YORK, sealed))).toBe('altered_or_moved')
  expect(codeOf(() => box.seal(YORK, 'x'))).toBe('altered_or_moved')
})

test('one changed character anywhere is noticed', () => {
  const box = createSecretBox(K1, memoryKeyring())
  const sealed = box.seal(LEEDS, 'a token of some length')
  for (let i = 0; i < sealed.length; i += 1) {
    const other = sealed[i] === 'A' ? 'B' : 'A'
    expect(() => box.open(LEEDS, sealed.slice(0, i) + other + sealed.slice(i + 1))).toThrow(SecretBoxError)
  }
})

test('a text of another version, or of an account where there are no accounts, is no sealed secret', () => {
  const sealed = createSecretBox(K1, memoryKeyring()).seal(LEEDS, 'x')
  expect(codeOf(() => createSecretBox(K1).open(LEEDS, sealed))).toBe('unreadable')
  expect(codeOf(() => createSecretBox(K1, memoryKeyring()).open('flash', sealed))).toBe('unreadable')
  expect(codeOf(() => createSecretBox(K1, memoryKeyring()).open(LEEDS, sealed.replace('v2', 'v3')))).toBe('unreadable')
})

test('a key that is removed opens nothing any more, whoever removed it; a new one does not open what was before', () => {
  const keyring = memoryKeyring()
  const box = createSecretBox(K1, keyring)
  const first = box.seal(LEEDS, 'token')
  keyring.forget('leeds')
  expect(codeOf(() => box.open(LEEDS, first))).toBe('unknown_key')
  const second = box.seal(LEEDS, 'token')
  expect(codeOf(() => box.open(LEEDS, first))).toBe('unknown_key')
  // Behind its back, as another process would.
  keyring.rows.delete('leeds')
  expect(codeOf(() => box.open(LEEDS, second))).toBe('unknown_key')
})

test('the key in the row is the one that counts: as another process left it, not as it is remembered', () => {
  const keyring = memoryKeyring()
  const here = createSecretBox(K1, keyring)
  const mine = here.seal(LEEDS, 'mine')
  keyring.rows.clear()
  const theirs = createSecretBox(K1, keyring).seal(LEEDS, 'theirs')
  expect(here.open(LEEDS, theirs)).toBe('theirs')
  expect(codeOf(() => here.open(LEEDS, mine))).toBe('unknown_key')
})

test('when two make the first key at once, both use the one that was kept', () => {
  const keyring = memoryKeyring()
  const other = createSecretBox(K1, keyring)
  let sealedByOther = ''
  const box = createSecretBox(K1, {
    ...keyring,
    keep(accountUuid, key) {
      sealedByOther = other.seal(LEEDS, 'theirs')
      keyring.keep(accountUuid, key)
    },
  })
  const sealed = box.seal(LEEDS, 'mine')
  expect(other.open(LEEDS, sealed)).toBe('mine')
  expect(box.open(LEEDS, sealedByOther)).toBe('theirs')
})

test('a key that could not be kept seals nothing', () => {
  const box = createSecretBox(K1, { ...memoryKeyring(), keep: () => {} })
  expect(() => box.seal(LEEDS, 'x')).toThrow('could not be kept')
})

test('more accounts than are remembered all open', () => {
  const opened = createOpenedKeys(3)
  const box = createSecretBox(K1, memoryKeyring(), opened)
  const sealed = Array.from({ length: 9 }, (_, i) => box.seal(`credential|a${i}|access_token`, `token ${i}`))
  sealed.forEach((text, i) => {
    expect(box.open(`credential|a${i}|access_token`, text)).toBe(`token ${i}`)
  })
  expect(opened.size()).toBe(3)
})

test('an opened key is remembered under its row, and wiped the moment it is removed, whoever removed it', () => {
  const keyring = memoryKeyring()
  const opened = createOpenedKeys(9)
  const box = createSecretBox(K1, keyring, opened)
  const keptAs = (account: string) => opened.find(account, keyring.rows.get(account)?.keySealed ?? '')
  box.seal(LEEDS, 'x')
  const first = keptAs('leeds')
  box.seal(LEEDS, 'x')
  expect(keptAs('leeds')).toBe(first)
  expect(first?.key).toHaveLength(32)
  keyring.forget('leeds')
  expect([opened.size(), first?.key.every((byte) => byte === 0)]).toEqual([0, true])

  const sealed = box.seal(LEEDS, 'x')
  const second = keptAs('leeds')
  keyring.rows.delete('leeds')
  expect(codeOf(() => box.open(LEEDS, sealed))).toBe('unknown_key')
  expect([opened.size(), second?.key.every((byte) => byte === 0)]).toEqual([0, true])
})

test('what was written by an earlier version opens: the form of keys, names and hashes is fixed', () => {
  const master = Buffer.alloc(32, 1)
  const keySealed = sealText(
    'v1',
    { id: 'k1', key: master },
    'account_key|leeds|key',
    Buffer.alloc(32, 2).toString('base64url'),
  )
  const keyring = memoryKeyring(new Map([['leeds', { sealedWith: 'k1', keySealed }]]))
  const box = createSecretBox(`k1:${master.toString('base64')}`, keyring)
  expect(box.seal(LEEDS, 'x').split('.')[1]).toBe('PVB2Rp2s')
  expect(box.fingerprints('customer message|leeds', '+447700900123')).toEqual([
    'Irgeno87_LT_NU5wKcAS5BxY7Era332ImX1oYP8cYeQ',
    'Sj35n-Kn1lJ61mFH_ppXYBW-f28Ggvf89N6pzDawjJ8',
  ])
})

test('after a change of keys an account key is wrapped anew, and its secrets stay as they are', () => {
  const keyring = memoryKeyring()
  const sealed = createSecretBox(K1, keyring).seal(LEEDS, 'token')
  const kept = keyring.rows.get('leeds') ?? { sealedWith: '', keySealed: '' }
  const both = createSecretBox(`${K2},${K1}`, keyring)
  const wrapped = both.rewrap('leeds', kept)
  expect(wrapped?.sealedWith).toBe('k2')
  expect(wrapped?.keySealed).toMatch(/^v1\.k2\./)
  expect(both.rewrap('leeds', wrapped ?? kept)).toBeNull()
  keyring.rows.set('leeds', wrapped ?? kept)
  expect(createSecretBox(K2, keyring).open(LEEDS, sealed)).toBe('token')
  expect(codeOf(() => createSecretBox(K1, keyring).open(LEEDS, sealed))).toBe('unknown_key')
  expect(codeOf(() => both.rewrap('york', kept))).toBe('altered_or_moved')
  expect(codeOf(() => createSecretBox(K2, keyring).rewrap('leeds', kept))).toBe('unknown_key')
  expect(codeOf(() => both.rewrap('leeds', { sealedWith: 'k1', keySealed: sealed }))).toBe('unreadable')
  // A row whose two columns disagree is put right.
  expect(both.rewrap('leeds', { ...kept, sealedWith: 'k2' })?.keySealed).toMatch(/^v1\.k2\./)
  expect(both.rewrap('leeds', { ...(wrapped ?? kept), sealedWith: 'k1' })?.sealedWith).toBe('k2')
})

test('an old secret is sealed anew with the key of its account, and only once', () => {
  const keyring = memoryKeyring()
  const old = createSecretBox(K1).seal(LEEDS, 'token')
  const box = createSecretBox(`${K2},${K1}`, keyring)
  const fresh = box.reseal(LEEDS, old) ?? ''
  expect(fresh).toMatch(/^v2\./)
  expect(box.open(LEEDS, fresh)).toBe('token')
  expect(box.reseal(LEEDS, fresh)).toBeNull()
  const link = createSecretBox(K1).seal('document link', 'x')
  expect(box.reseal('document link', link)).toMatch(/^v1\.k2\./)
  expect(box.reseal('document link', box.seal('document link', 'x'))).toBeNull()
  expect(codeOf(() => createSecretBox(K2, keyring).reseal(LEEDS, old))).toBe('unknown_key')
  expect(codeOf(() => box.reseal(YORK, old))).toBe('altered_or_moved')
})

test('names of keys are told, in order', () => {
  const box = createSecretBox(`${K2},${K1}`)
  expect(box.firstKey).toBe('k2')
  expect(box.keyNames).toEqual(['k2', 'k1'])
})

test('what a customer is recognised by does not change with ENC_KEYS, and is gone with the key', () => {
  const keyring = memoryKeyring()
  const box = createSecretBox(K1, keyring)
  const purpose = 'customer message|leeds'
  const [before] = box.fingerprints(purpose, '+447700900123')
  // Counted under the old key before the account had its own: still looked for.
  box.seal(LEEDS, 'token')
  const prints = box.fingerprints(purpose, '+447700900123')
  expect(prints).toHaveLength(2)
  expect(prints[1]).toBe(before)
  const kept = keyring.rows.get('leeds') ?? { sealedWith: '', keySealed: '' }
  keyring.rows.set('leeds', createSecretBox(`${K2},${K1}`, keyring).rewrap('leeds', kept) ?? kept)
  expect(createSecretBox(K2, keyring).fingerprints(purpose, '+447700900123')[0]).toBe(prints[0])
  expect(box.fingerprints('customer message|york', '+447700900123')).toHaveLength(1)
  keyring.forget('leeds')
  expect(box.fingerprints(purpose, '+447700900123')).toEqual([before])
})

test('whose a place or a purpose is', () => {
  expect(accountOfPlace(LEEDS)).toBe('leeds')
  expect(accountOfPlace('customer message|leeds')).toBeNull()
  expect(accountOfPlace('x|a|b|c')).toBeNull()
  expect(accountOfPurpose('customer message|leeds')).toBe('leeds')
  expect(accountOfPurpose('customer')).toBeNull()
  expect(accountOfPurpose(LEEDS)).toBeNull()
})
