import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SecretBoxError } from './sealed-text.server.ts'
import { createSecretBox } from './secret-box.server.ts'

const newKey = () => randomBytes(32).toString('base64')
const K1 = `k1:${newKey()}`
const K2 = `k2:${newKey()}`
const PLACE = 'credential|account-1|access_token'

async function codeOf(run: () => unknown): Promise<string> {
  try {
    await run()
  } catch (error) {
    if (error instanceof SecretBoxError) return error.code
    throw error
  }
  return 'nothing thrown'
}

test('what was sealed opens in its place, whatever the text', async () => {
  const box = createSecretBox(K1)
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.string(), async (plain, place) => {
      expect(await box.open(place, await box.seal(place, plain))).toBe(plain)
    }),
  )
})

test('the sealed form names version and key, and never repeats itself', async () => {
  const box = createSecretBox(`${K2}, ${K1}`)
  const sealed = await box.seal(PLACE, 'token')
  expect(sealed).toMatch(/^v1\.k2\.[\w-]{16}\.[\w-]+\.[\w-]{22}$/)
  expect(await box.seal(PLACE, 'token')).not.toBe(sealed)
})

test('a sealed secret moved to another account or column does not open', async () => {
  const box = createSecretBox(K1)
  const sealed = await box.seal(PLACE, 'token')
  expect(await codeOf(() => box.open('credential|account-2|access_token', sealed))).toBe('altered_or_moved')
  expect(await codeOf(() => box.open('credential|account-1|refresh_token', sealed))).toBe('altered_or_moved')
})

test('one changed character anywhere is noticed', async () => {
  const box = createSecretBox(K1)
  const sealed = await box.seal(PLACE, 'a token of some length')
  for (let i = 0; i < sealed.length; i += 1) {
    const other = sealed[i] === 'A' ? 'B' : 'A'
    const altered = sealed.slice(0, i) + other + sealed.slice(i + 1)
    await expect(box.open(PLACE, altered)).rejects.toThrow(SecretBoxError)
  }
})

test('a shortened tag is refused', async () => {
  const box = createSecretBox(K1)
  const parts = (await box.seal(PLACE, 'token')).split('.')
  const tag = Buffer.from(parts[4] ?? '', 'base64url')
    .subarray(0, 4)
    .toString('base64url')
  expect(await codeOf(() => box.open(PLACE, [...parts.slice(0, 4), tag].join('.')))).toBe('unreadable')
})

test('after a new key is put in front, old secrets open and new ones use it; without the old key they stay shut', async () => {
  const sealed = await createSecretBox(K1).seal(PLACE, 'token')
  const rotated = createSecretBox(`${K2},${K1}`)
  expect(await rotated.open(PLACE, sealed)).toBe('token')
  expect(await rotated.seal(PLACE, 'token')).toMatch(/^v1\.k2\./)
  expect(await codeOf(() => createSecretBox(K2).open(PLACE, sealed))).toBe('unknown_key')
  expect(await codeOf(() => createSecretBox(`k1:${newKey()}`).open(PLACE, sealed))).toBe('altered_or_moved')
})

test('a box with the new key behind opens what one with it in front seals; one without it does not', async () => {
  const sealed = await createSecretBox(`${K2},${K1}`).seal(PLACE, 'token')
  expect(await createSecretBox(`${K1},${K2}`).open(PLACE, sealed)).toBe('token')
  expect(await codeOf(() => createSecretBox(K1).open(PLACE, sealed))).toBe('unknown_key')
})

test.each([
  [''],
  ['token'],
  ['v1.k1.a.b'],
  ['v2.k1.AAAAAAAAAAAAAAAA.AA.AAAAAAAAAAAAAAAAAAAAAA'],
  ['v1..AAAAAAAAAAAAAAAA.AA.AA'],
  ['v1.k1.AA.AA.AA'],
])('text that is no sealed secret is refused: "%s"', async (text) => {
  expect(await codeOf(() => createSecretBox(K1).open(PLACE, text))).toBe('unreadable')
})

test.each([
  ['', 'holds no key'],
  [newKey(), 'must look like k1:'],
  [`k1:${randomBytes(16).toString('base64')}`, 'has a key "k1" of 16 bytes instead of 32'],
  [`k1:${randomBytes(33).toString('base64')}`, 'of 33 bytes instead of 32'],
  [`${K1},k1:${newKey()}`, 'names the key "k1" twice'],
  [`${K1};${K2}`, 'must look like k1:'],
])('wrong keys are refused with a sentence that does not repeat them (%#)', async (encKeys, sentence) => {
  expect(await codeOf(() => createSecretBox(encKeys))).toBe('wrong_configuration')
  expect(() => createSecretBox(encKeys)).toThrow(sentence)
  for (const key of encKeys.match(/[A-Za-z0-9+/]{20,}={0,2}/g) ?? [])
    expect(() => createSecretBox(encKeys)).not.toThrow(key)
})

test('a fingerprint is the same for the same value and purpose, and for no other', async () => {
  const box = createSecretBox(K1)
  const [print] = await box.fingerprints('customer', '+447700900123')
  expect(await createSecretBox(K1).fingerprints('customer', '+447700900123')).toEqual([print])
  expect(print).toMatch(/^[\w-]{43}$/)
  expect(await box.fingerprints('customer', '+447700900124')).not.toEqual([print])
  expect(await box.fingerprints('staff', '+447700900123')).not.toEqual([print])
  // Where the purpose ends is part of it.
  expect(await box.fingerprints('a|b', 'c')).not.toEqual(await box.fingerprints('a', 'b|c'))
  expect(await createSecretBox(K2).fingerprints('customer', '+447700900123')).not.toEqual([print])
})

test('after a change of keys an old fingerprint is still found, and new ones are of the new key', async () => {
  const [old] = await createSecretBox(K1).fingerprints('customer', 'x')
  const [fresh] = await createSecretBox(K2).fingerprints('customer', 'x')
  expect(await createSecretBox(`${K2},${K1}`).fingerprints('customer', 'x')).toEqual([fresh, old])
})
