// Malicious and broken input: values of every wrong type, texts that other programs choke on, malformed bodies. The
// same seed gives the same input, so that a failure can be repeated.
import fc from 'fast-check'

/** Texts that have each broken some program. */
const TEXTS = [
  '',
  ' ',
  '0',
  '-1',
  '1e309',
  'NaN',
  'null',
  'undefined',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  '../../etc/passwd',
  '%00',
  '\u0000',
  '\r\nX-Injected: 1',
  "'; DROP TABLE webhook; --",
  '{entry.0.__proto__.x}',
  '{{{{{{{{',
  '$' + '{7*7}',
  '<script>alert(1)</script>',
  'https://user:secret@127.0.0.1:1/',
  'javascript:alert(1)',
  'file:///etc/passwd',
  '\u202e\ufeff\u0000\ud800',
  '٣',
  'a'.repeat(70_000),
  'é'.repeat(5_000),
  `${'('.repeat(3_000)}a${')*'.repeat(3_000)}`,
] as const

const text = fc.oneof(fc.constantFrom(...TEXTS), fc.string(), fc.string({ unit: 'binary' }))
const number = fc.oneof(
  fc.constantFrom(0, -0, -1, 1.5, 2 ** 31, 2 ** 53, 1e308, Number.MIN_VALUE),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
)
const key = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'id', 'accountUUID', 'active', 'name', ''),
  fc.string(),
)

/** Any JSON value, often with keys and texts that have a special meaning somewhere. */
export const anyValue: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    text,
    number,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 6 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 6 }).map((pairs) => Object.fromEntries(pairs)),
  ),
})).value

/** As written in an address or a header. */
export const anyText = text

/** Bodies that are no JSON, or JSON that is hard to parse. */
export const anyBody = fc.oneof(
  anyValue.map((value) => JSON.stringify(value)),
  text,
  fc.constantFrom(
    '{',
    '[',
    '{"a":1,"a":2}',
    '{"__proto__":{"admin":true}}',
    `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
    `{"a":${'1'.repeat(50_000)}}`,
    'object=job&entry=1',
    '\ufeff{}',
  ),
)

/** A correct object except for one field. */
export function spoilt(right: Readonly<Record<string, unknown>>): fc.Arbitrary<unknown> {
  const names = Object.keys(right)
  if (names.length === 0) return anyValue
  return fc
    .tuple(fc.constantFrom(...names), anyValue, fc.boolean())
    .map(([name, value, more]) => ({ ...right, [name]: value, ...(more ? { unasked: value } : {}) }))
}

export function inputs<T>(of: fc.Arbitrary<T>, seed: number, count: number): T[] {
  return fc.sample(of, { seed, numRuns: count })
}
