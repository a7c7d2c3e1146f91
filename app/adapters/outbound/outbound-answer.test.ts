import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readHeaders, readText } from './outbound-answer.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (type: string | null, body: Uint8Array, cut = false, max = 4096) =>
  readText(type === null ? {} : { 'content-type': type }, body, cut, max)

test('header names are lower case, values latin1, repeated ones joined, and a prototype is just a name', () => {
  const raw = ['X-Name', 'caf\xe9', 'set-cookie', 'a=1', 'Set-Cookie', 'b=2', '__proto__', 'x', 'constructor', 'y']
  const headers = readHeaders(raw.map((one) => Buffer.from(one, 'latin1')))
  expect(headers['x-name']).toBe('café')
  expect(headers['set-cookie']).toBe('a=1, b=2')
  expect(Object.keys(headers)).toEqual(['x-name', 'set-cookie', '__proto__', 'constructor'])
  expect(Object.getPrototypeOf(headers)).toBe(Object.prototype)
})

describe('the text that is kept of an answer', () => {
  test.each([
    ['text/html; charset=utf-8'],
    ['application/json'],
    ['Application/Problem+JSON'],
    ['application/xml'],
    ['application/soap+xml'],
    ['application/x-www-form-urlencoded'],
  ])('is read from %s', (type) => {
    expect(text(type, bytes('ok'))).toEqual({ text: 'ok', truncated: false })
  })

  test.each([['image/png'], ['application/octet-stream'], ['application/pdf'], ['video/mp4'], ['nonsense']])(
    'is empty for %s',
    (type) => {
      expect(text(type, bytes('ok'))).toEqual({ text: '', truncated: false })
    },
  )

  test('is empty for a compressed body', () => {
    expect(readText({ 'content-type': 'text/plain', 'content-encoding': 'gzip' }, bytes('ok'), false, 4096).text).toBe(
      '',
    )
  })

  test('is read without a type when it looks like text', () => {
    expect(text(null, bytes('Accepted €')).text).toBe('Accepted €')
    expect(text(null, Uint8Array.of(0x89, 0x50, 0x4e, 0x47)).text).toBe('')
    expect(text(null, bytes('a\u0000b')).text).toBe('')
  })

  test('follows the named character set, and falls back to UTF-8', () => {
    expect(text('text/plain; charset=iso-8859-1', Uint8Array.of(0x63, 0x61, 0x66, 0xe9)).text).toBe('café')
    expect(text('text/plain; charset=klingon', bytes('é')).text).toBe('é')
  })

  test('holds no control characters but tab and line ends', () => {
    expect(text('text/plain', bytes('a\u0000\u001b[31m\tb\r\n')).text).toBe('a\ufffd\ufffd[31m\tb\r\n')
  })

  test('stops at the limit without cutting a character in two, and says so', () => {
    expect(text('text/plain', bytes('ééé'), false, 5)).toEqual({ text: 'éé', truncated: true })
    expect(text('text/plain', bytes('ééé'), false, 6)).toEqual({ text: 'ééé', truncated: false })
    expect(text('text/plain', bytes('éé').subarray(0, 3), true)).toEqual({ text: 'é', truncated: true })
  })

  test('never takes more than the limit in UTF-8, whatever arrives', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        fc.constantFrom('text/plain', 'text/plain; charset=latin1', 'text/plain; charset=utf-16'),
        fc.boolean(),
        (body, type, cut) => {
          expect(bytes(text(type, body, cut, 64).text).length).toBeLessThanOrEqual(64)
        },
      ),
    )
  })
})
