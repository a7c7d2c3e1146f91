// Secrets sealed with keys of accounts.
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { memoryKeyring } from '#tests/support/memory-keyring.ts'
import { SecretBoxError, sealText } from './sealed-text.server.ts'
import { createOpenedKeys, createSecretBox } from './secret-box.server.ts'
import { accountOfPlace, accountOfPurpose } from './secret-box.ts'

const newKey = () => randomBytes(32).toString('base64')
const K1 = `k1:${newKey()}`
const K2 = `k2:${newKey()}`
const LEEDS = 'credential|leeds|access_token'
const YORK = 'credential|york|access_token'

async function codeOf(run: () => unknown): Promise<string> {
  try {
    await run()
  } catch (error) {
    if (error instanceof SecretBoxError) return error.code
    throw error
  }
  return 'nothing thrown'
}

/** Reads the row at once and answers late, as a database does. */
function heldKeyring() {
  const keyring = memoryKeyring()
  let held = Promise.resolve()
  return {
    ...keyring,
    async find(accountUuid: string) {
      const kept = await keyring.find(accountUuid)
      await held
      return kept
    },
    /** Answers nothing until the returned function is called. */
    hold(): () => void {
      let release = () => {}
      held = new Promise((resolve) => {
        release = resolve
      })
      return () => release()
    },
  }
}

test('a secret of an account is sealed with a key of its own, made once and kept sealed', async () => {
  const keyring = memoryKeyring()
  const box = createSecretBox(K1, keyring)
  const sealed = await box.seal(LEEDS, 'token')
  expect(sealed).toMatch(/^v2\.[\w-]{8}\.[\w-]{16}\.[\w-]+\.[\w-]{22}$/)
  expect(await box.open(LEEDS, sealed)).toBe('token')
  expect(keyring.rows.get('leeds')).toEqual({
    sealedWith: 'k1',
    keySealed: expect.stringMatching(/^v1\.k1\.[\w-]{16}\.[\w-]{58}\.[\w-]{22}$/),
  })
  const [, idOfLeeds] = sealed.split('.')
  expect((await box.seal('automation|leeds|trigger', 'x')).split('.')[1]).toBe(idOfLeeds)
  expect((await box.seal(YORK, 'x')).split('.')[1]).not.toBe(idOfLeeds)
  expect([...keyring.rows.keys()]).toEqual(['leeds', 'york'])
})

test('what belongs to no account, or is sealed without a keyring, is sealed with ENC_KEYS', async () => {
  const keyring = memoryKeyring()
  const box = createSecretBox(K1, keyring)
  for (const place of ['flash', 'document link', 'a|b', 'a|b|c|d', '|b|c', 'a||c', 'a|b|']) {
    const sealed = await box.seal(place, 'x')
    expect(sealed).toMatch(/^v1\.k1\./)
    expect(await box.open(place, sealed)).toBe('x')
  }
  expect(box.direct.open('flash', await box.seal('flash', 'x'))).toBe('x')
  expect(await box.open('flash', box.direct.seal('flash', 'x'))).toBe('x')
  expect(keyring.rows.size).toBe(0)
  expect(await createSecretBox(K1).seal(LEEDS, 'x')).toMatch(/^v1\.k1\./)
})

test('no secret of an account bypasses its key', async () => {
  const box = createSecretBox(K1, memoryKeyring())
  expect(() => box.direct.seal(LEEDS, 'x')).toThrow('not sealed with ENC_KEYS alone')
  expect(() => box.direct.open(LEEDS, 'x')).toThrow('not sealed with ENC_KEYS alone')
  const sealed = await box.seal(LEEDS, 'x')
  expect(() => box.direct.open('flash', sealed)).toThrow(SecretBoxError)
})

test('what was sealed before accounts had keys still opens', async () => {
  const old = await createSecretBox(K1).seal(LEEDS, 'token')
  expect(await createSecretBox(`${K2},${K1}`, memoryKeyring()).open(LEEDS, old)).toBe('token')
})

test('moved to another account or column nothing opens, and neither does a key in the row of another account', async () => {
  const keyring = memoryKeyring()
  const box = createSecretBox(K1, keyring)
  const sealed = await box.seal(LEEDS, 'token')
  await box.seal(YORK, 'x')
  expect(await codeOf(() => box.open(YORK, sealed))).toBe('unknown_key')
  expect(await codeOf(() => box.open('credential|leeds|refresh_token', sealed))).toBe('altered_or_moved')
  expect(await codeOf(() => box.open('credential|nobody|access_token', sealed))).toBe('unknown_key')
  const ofLeeds = keyring.rows.get('leeds') ?? { sealedWith: '', keySealed: '' }
  keyring.rows.set('york', ofLeeds)
  expect(await codeOf(() => box.open(YORK, sealed))).toBe('altered_or_moved')
  expect(await codeOf(() => box.seal(YORK, 'x'))).toBe('altered_or_moved')
})

test('one changed character anywhere is noticed', async () => {
  const box = createSecretBox(K1, memoryKeyring())
  const sealed = await box.seal(LEEDS, 'a token of some length')
  for (let i = 0; i < sealed.length; i += 1) {
    const other = sealed[i] === 'A' ? 'B' : 'A'
    const altered = sealed.slice(0, i) + other + sealed.slice(i + 1)
    await expect(box.open(LEEDS, altered)).rejects.toThrow(SecretBoxError)
  }
})

test('a text of another version, or of an account where there are no accounts, is no sealed secret', async () => {
  const sealed = await createSecretBox(K1, memoryKeyring()).seal(LEEDS, 'x')
  expect(await codeOf(() => createSecretBox(K1).open(LEEDS, sealed))).toBe('unreadable')
  expect(await codeOf(() => createSecretBox(K1, memoryKeyring()).open('flash', sealed))).toBe('unreadable')
  expect(await codeOf(() => createSecretBox(K1, memoryKeyring()).open(LEEDS, sealed.replace('v2', 'v3')))).toBe(
    'unreadable',
  )
})

test('a key that is removed opens nothing any more, whoever removed it; a new one does not open what was before', async () => {
  const keyring = memoryKeyring()
  const box = createSecretBox(K1, keyring)
  const first = await box.seal(LEEDS, 'token')
  keyring.forget('leeds')
  expect(await codeOf(() => box.open(LEEDS, first))).toBe('unknown_key')
  const second = await box.seal(LEEDS, 'token')
  expect(await codeOf(() => box.open(LEEDS, first))).toBe('unknown_key')
  // Behind its back, as another process would.
  keyring.rows.delete('leeds')
  expect(await codeOf(() => box.open(LEEDS, second))).toBe('unknown_key')
})

test('the key in the row is the one that counts: as another process left it, not as it is remembered', async () => {
  const keyring = memoryKeyring()
  const here = createSecretBox(K1, keyring)
  const mine = await here.seal(LEEDS, 'mine')
  keyring.rows.clear()
  const theirs = await createSecretBox(K1, keyring).seal(LEEDS, 'theirs')
  expect(await here.open(LEEDS, theirs)).toBe('theirs')
  expect(await codeOf(() => here.open(LEEDS, mine))).toBe('unknown_key')
})

test('when two make the first key at once, both use the one that was kept', async () => {
  const keyring = memoryKeyring()
  const other = createSecretBox(K1, keyring)
  let sealedByOther = ''
  const box = createSecretBox(K1, {
    ...keyring,
    async keep(accountUuid, key) {
      sealedByOther = await other.seal(LEEDS, 'theirs')
      return keyring.keep(accountUuid, key)
    },
  })
  const sealed = await box.seal(LEEDS, 'mine')
  expect(await other.open(LEEDS, sealed)).toBe('mine')
  expect(await box.open(LEEDS, sealedByOther)).toBe('theirs')
})

test('first uses at once, in one process and in two, make one key', async () => {
  const keyring = heldKeyring()
  const [here, there] = [createSecretBox(K1, keyring), createSecretBox(K1, keyring)]
  const release = keyring.hold()
  const sealing = [here, here, there, there].map((box, i) => box.seal(LEEDS, `${i}`))
  release()
  const sealed = await Promise.all(sealing)
  expect(new Set(sealed.map((text) => text.split('.')[1])).size).toBe(1)
  expect(await Promise.all(sealed.map((text) => createSecretBox(K1, keyring).open(LEEDS, text)))).toEqual([...'0123'])
})

test('a key that could not be kept seals nothing', async () => {
  const box = createSecretBox(K1, { ...memoryKeyring(), keep: async () => null })
  await expect(box.seal(LEEDS, 'x')).rejects.toThrow('could not be kept')
})

test('more accounts than are remembered all open', async () => {
  const opened = createOpenedKeys(3)
  const box = createSecretBox(K1, memoryKeyring(), opened)
  const places = Array.from({ length: 9 }, (_, i) => `credential|a${i}|access_token`)
  for (const place of places) expect(await box.open(place, await box.seal(place, place))).toBe(place)
  expect(opened.size()).toBe(3)
})

test('keys that push each other out of the cache are never used after they were wiped', async () => {
  const keyring = memoryKeyring()
  const box = createSecretBox(K1, keyring, createOpenedKeys(1))
  const places = Array.from({ length: 9 }, (_, i) => `credential|a${i}|access_token`)
  const sealed = await Promise.all(places.map((place) => box.seal(place, place)))
  const openAll = (by: typeof box) => Promise.all(places.map((place, i) => by.open(place, sealed[i] ?? '')))
  expect(await openAll(box)).toEqual(places)
  expect(await openAll(createSecretBox(K1, keyring))).toEqual(places)
})

test('an opened key is remembered under its row, and wiped the moment it is removed, whoever removed it', async () => {
  const keyring = memoryKeyring()
  const opened = createOpenedKeys(9)
  const box = createSecretBox(K1, keyring, opened)
  const keptAs = (account: string) => opened.find(account, keyring.rows.get(account)?.keySealed ?? '')
  await box.seal(LEEDS, 'x')
  const first = keptAs('leeds')
  await box.seal(LEEDS, 'x')
  expect(keptAs('leeds')).toBe(first)
  expect(first?.key).toHaveLength(32)
  keyring.forget('leeds')
  expect([opened.size(), first?.key.every((byte) => byte === 0)]).toEqual([0, true])

  const sealed = await box.seal(LEEDS, 'x')
  const second = keptAs('leeds')
  keyring.rows.delete('leeds')
  expect(await codeOf(() => box.open(LEEDS, sealed))).toBe('unknown_key')
  expect([opened.size(), second?.key.every((byte) => byte === 0)]).toEqual([0, true])
})

test('a secret that is being opened while the key is removed does not open, and brings no key back', async () => {
  const keyring = heldKeyring()
  const opened = createOpenedKeys(9)
  const box = createSecretBox(K1, keyring, opened)
  const sealed = await box.seal(LEEDS, 'token')
  const release = keyring.hold()
  const opening = codeOf(() => box.open(LEEDS, sealed))
  const printing = box.fingerprints('customer message|leeds', 'x')
  keyring.forget('leeds')
  release()
  expect(await opening).toBe('unknown_key')
  expect(await printing).toHaveLength(1)
  expect(opened.size()).toBe(0)
})

test('a secret that is being sealed while the key is removed is sealed with a new one', async () => {
  const keyring = heldKeyring()
  const opened = createOpenedKeys(9)
  const box = createSecretBox(K1, keyring, opened)
  const first = await box.seal(LEEDS, 'before')
  const release = keyring.hold()
  const sealing = box.seal(LEEDS, 'after')
  keyring.forget('leeds')
  release()
  const second = await sealing
  expect(second.split('.')[1]).not.toBe(first.split('.')[1])
  expect(await createSecretBox(K1, keyring).open(LEEDS, second)).toBe('after')
  expect([...keyring.rows.keys()]).toEqual(['leeds'])
  expect(opened.find('leeds', keyring.rows.get('leeds')?.keySealed ?? '')).not.toBeNull()
})

test('what was written by an earlier version opens: the form of keys, names and hashes is fixed', async () => {
  const master = Buffer.alloc(32, 1)
  const keySealed = sealText(
    'v1',
    { id: 'k1', key: master },
    'account_key|leeds|key',
    Buffer.alloc(32, 2).toString('base64url'),
  )
  const keyring = memoryKeyring(new Map([['leeds', { sealedWith: 'k1', keySealed }]]))
  const box = createSecretBox(`k1:${master.toString('base64')}`, keyring)
  expect((await box.seal(LEEDS, 'x')).split('.')[1]).toBe('PVB2Rp2s')
  expect(await box.fingerprints('customer message|leeds', '+447700900123')).toEqual([
    'Irgeno87_LT_NU5wKcAS5BxY7Era332ImX1oYP8cYeQ',
    'Sj35n-Kn1lJ61mFH_ppXYBW-f28Ggvf89N6pzDawjJ8',
  ])
})

test('after a change of keys an account key is wrapped anew, and its secrets stay as they are', async () => {
  const keyring = memoryKeyring()
  const sealed = await createSecretBox(K1, keyring).seal(LEEDS, 'token')
  const kept = keyring.rows.get('leeds') ?? { sealedWith: '', keySealed: '' }
  const both = createSecretBox(`${K2},${K1}`, keyring)
  const wrapped = both.rewrap('leeds', kept)
  expect(wrapped?.sealedWith).toBe('k2')
  expect(wrapped?.keySealed).toMatch(/^v1\.k2\./)
  expect(both.rewrap('leeds', wrapped ?? kept)).toBeNull()
  keyring.rows.set('leeds', wrapped ?? kept)
  expect(await createSecretBox(K2, keyring).open(LEEDS, sealed)).toBe('token')
  expect(await codeOf(() => createSecretBox(K1, keyring).open(LEEDS, sealed))).toBe('unknown_key')
  expect(await codeOf(() => both.rewrap('york', kept))).toBe('altered_or_moved')
  expect(await codeOf(() => createSecretBox(K2, keyring).rewrap('leeds', kept))).toBe('unknown_key')
  expect(await codeOf(() => both.rewrap('leeds', { sealedWith: 'k1', keySealed: sealed }))).toBe('unreadable')
  // A row whose two columns disagree is put right.
  expect(both.rewrap('leeds', { ...kept, sealedWith: 'k2' })?.keySealed).toMatch(/^v1\.k2\./)
  expect(both.rewrap('leeds', { ...(wrapped ?? kept), sealedWith: 'k1' })?.sealedWith).toBe('k2')
})

test('an old secret is sealed anew with the key of its account, and only once', async () => {
  const keyring = memoryKeyring()
  const old = await createSecretBox(K1).seal(LEEDS, 'token')
  const box = createSecretBox(`${K2},${K1}`, keyring)
  const fresh = (await box.reseal(LEEDS, old)) ?? ''
  expect(fresh).toMatch(/^v2\./)
  expect(await box.open(LEEDS, fresh)).toBe('token')
  expect(await box.reseal(LEEDS, fresh)).toBeNull()
  const link = await createSecretBox(K1).seal('document link', 'x')
  expect(await box.reseal('document link', link)).toMatch(/^v1\.k2\./)
  expect(await box.reseal('document link', await box.seal('document link', 'x'))).toBeNull()
  expect(await codeOf(() => createSecretBox(K2, keyring).reseal(LEEDS, old))).toBe('unknown_key')
  expect(await codeOf(() => box.reseal(YORK, old))).toBe('altered_or_moved')
})

test('names of keys are told, in order', () => {
  const box = createSecretBox(`${K2},${K1}`)
  expect(box.firstKey).toBe('k2')
  expect(box.keyNames).toEqual(['k2', 'k1'])
})

test('what a customer is recognised by does not change with ENC_KEYS, and is gone with the key', async () => {
  const keyring = memoryKeyring()
  const box = createSecretBox(K1, keyring)
  const purpose = 'customer message|leeds'
  const [before] = await box.fingerprints(purpose, '+447700900123')
  // Counted under the old key before the account had its own: still looked for.
  await box.seal(LEEDS, 'token')
  const prints = await box.fingerprints(purpose, '+447700900123')
  expect(prints).toHaveLength(2)
  expect(prints[1]).toBe(before)
  const kept = keyring.rows.get('leeds') ?? { sealedWith: '', keySealed: '' }
  keyring.rows.set('leeds', createSecretBox(`${K2},${K1}`, keyring).rewrap('leeds', kept) ?? kept)
  expect((await createSecretBox(K2, keyring).fingerprints(purpose, '+447700900123'))[0]).toBe(prints[0])
  expect(await box.fingerprints('customer message|york', '+447700900123')).toHaveLength(1)
  keyring.forget('leeds')
  expect(await box.fingerprints(purpose, '+447700900123')).toEqual([before])
})

test('whose a place or a purpose is', () => {
  expect(accountOfPlace(LEEDS)).toBe('leeds')
  expect(accountOfPlace('customer message|leeds')).toBeNull()
  expect(accountOfPlace('x|a|b|c')).toBeNull()
  expect(accountOfPurpose('customer message|leeds')).toBe('leeds')
  expect(accountOfPurpose('customer')).toBeNull()
  expect(accountOfPurpose(LEEDS)).toBeNull()
})
