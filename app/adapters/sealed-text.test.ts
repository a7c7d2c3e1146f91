import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { openText, readSealed, SecretBoxError, sealText } from './sealed-text.server.ts'

const key = randomBytes(32)
const sealed = sealText('v1', { id: 'k1', key }, 'place', 'grüße')
const [, , iv = '', body = '', tag = ''] = sealed.split('.')

function errorOf(run: () => unknown): SecretBoxError {
  try {
    run()
  } catch (error) {
    if (error instanceof SecretBoxError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

test('a sealed text says its version and key, and opens in its place', () => {
  const text = readSealed(sealed)
  expect(text).toMatchObject({ version: 'v1', keyId: 'k1' })
  expect([text.iv.length, text.tag.length, text.body.length]).toEqual([12, 16, Buffer.byteLength('grüße')])
  expect(openText(text, key, 'place')).toBe('grüße')
})

test('another key, another place, another text: one error, which names neither', () => {
  const text = readSealed(sealed)
  const wrong = [
    () => openText(text, randomBytes(32), 'place'),
    () => openText(text, key, 'place '),
    () => openText({ ...text, body: Buffer.from('other') }, key, 'place'),
    () => openText({ ...text, iv: randomBytes(12) }, key, 'place'),
  ]
  for (const open of wrong) {
    const error = errorOf(open)
    expect([error.name, error.code]).toEqual(['SecretBoxError', 'altered_or_moved'])
    expect(error.message).not.toContain('place ')
  }
})

test.each([
  ['too few parts', ['v1', 'k1', iv, body].join('.')],
  ['too many parts', `${sealed}.x`],
  ['an empty part behind', `${sealed}.`],
  ['no key', ['v1', '', iv, body, tag].join('.')],
  ['a short iv', ['v1', 'k1', iv.slice(0, 12), body, tag].join('.')],
  ['a long iv', ['v1', 'k1', `${iv}AAAA`, body, tag].join('.')],
  ['a short tag', ['v1', 'k1', iv, body, tag.slice(0, 20)].join('.')],
  ['a long tag', ['v1', 'k1', iv, body, Buffer.alloc(17).toString('base64url')].join('.')],
  ['padding', ['v1', 'k1', iv, body, `${tag}==`].join('.')],
  ['a blank', ['v1', 'k1', iv, `${body} `, tag].join('.')],
  [
    'bits that mean nothing',
    ['v1', 'k1', iv, body, `${Buffer.alloc(16).toString('base64url').slice(0, -1)}B`].join('.'),
  ],
  ['the other alphabet', ['v1', 'k1', '++++++++++++++++', body, tag].join('.')],
  ['nothing', ''],
])('is no sealed text: %s', (_what, text) => {
  expect(errorOf(() => readSealed(text)).code).toBe('unreadable')
})

test('an empty text is sealed too', () => {
  const empty = sealText('v1', { id: 'k', key }, '', '')
  expect(openText(readSealed(empty), key, '')).toBe('')
})
