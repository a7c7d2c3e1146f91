import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fillBlanks, openBlanks, placeholdersIn, readPieces } from './placeholder-syntax.ts'

const one = (text: string) => {
  const [found] = placeholdersIn(text)
  return found && [found.name, found.fallback, found.format ?? found.unknownFormat]
}
const plain = (text: string) =>
  readPieces(text).map((piece) => (piece.kind === 'text' ? piece.text : `<${piece.written}>`))

describe('a placeholder', () => {
  it('is a name in braces', () => {
    expect(one('Hi {name}!')).toEqual(['name', null, null])
    expect(one('{ entry.0.job_address }')).toEqual(['entry.0.job_address', null, null])
    expect(one('{first name}')).toEqual(['first name', null, null])
    expect(one('{count.Work Order}')).toEqual(['count.Work Order', null, null])
    expect(one('{job_list by status}')).toEqual(['job_list by status', null, null])
    expect(one('{TODAY+3}')).toEqual(['TODAY+3', null, null])
    expect(one('{entry[1].status}')).toEqual(['entry[1].status', null, null])
  })

  it('may say what stands in, in any quotation marks an editor makes', () => {
    for (const quoted of [
      '"your job"',
      '“your job”',
      '„your job“',
      '&quot;your job&quot;',
      "'your job'",
      '‘your job’',
    ]) {
      expect(one(`{x or ${quoted}}`)).toEqual(['x', 'your job', null])
    }
    expect(one('{x or ""}')).toEqual(['x', '', null])
    expect(one('{x or "a } b {y}"}')).toEqual(['x', 'a } b {y}', null])
    expect(one('{x or &quot;Tom &amp; Co&quot;}')).toEqual(['x', 'Tom & Co', null])
  })

  it('may say how it is written out, before or after that', () => {
    expect(one('{x as money}')).toEqual(['x', null, 'money'])
    expect(one('{x as First  Name}')).toEqual(['x', null, 'first name'])
    expect(one('{x or "soon" as date}')).toEqual(['x', 'soon', 'date'])
    expect(one('{x as date or "soon"}')).toEqual(['x', 'soon', 'date'])
    expect(one('{x as roman}')).toEqual(['x', null, 'roman'])
  })

  it('is not everything in braces', () => {
    for (const text of [
      '.a { color: red; }',
      '{"a":{"b":1}}',
      '{}',
      '{ }',
      '{1}',
      '{',
      '}',
      '{a',
      '{a\tb}{',
      '{x or "open}',
      'a {$b} c',
    ]) {
      expect([text, placeholdersIn(text)]).toEqual([text, []])
      expect(plain(text).join('')).toBe(text)
    }
  })
})

describe('doubled braces', () => {
  it('are braces', () => {
    expect(plain('{{name}}')).toEqual(['{name}'])
    expect(plain('a {{ b }} {c}')).toEqual(['a { b } ', '<{c}>'])
  })

  it('that nobody opened stay as they are', () => {
    expect(plain('@media{.a{color:red}}')).toEqual(['@media{.a{color:red}}'])
    expect(plain('{x}}')).toEqual(['<{x}>', '}'])
  })
})

describe('blanks', () => {
  it('are found once each, and filled in', () => {
    const text = 'Hi, [[Business name]] here. [[ Review link ]] [[Business name]] [[]] [[a\nb]]'
    expect(openBlanks(text)).toEqual(['Business name', 'Review link'])
    expect(fillBlanks(text, { 'Business name': '[[Review link]] & $&' })).toBe(
      'Hi, [[Review link]] & $& here. [[ Review link ]] [[Review link]] & $& [[]] [[a\nb]]',
    )
    expect(fillBlanks('[[toString]]', {})).toBe('[[toString]]')
  })
})

it('any text is read in full, and quickly', () => {
  const part = fc.oneof(
    fc.constantFrom('{', '}', '}}', '[[', ']]', '"', ' or ', ' as ', 'x', '.', ' ', '\n', 'date'),
    fc.string({ maxLength: 5 }),
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
      const text = parts.join('')
      // Doubled braces become single ones.
      fc.pre(!text.includes('{{'))
      const whole = readPieces(text).map((piece) => (piece.kind === 'text' ? piece.text : piece.written))
      expect(whole.join('')).toBe(text)
    }),
    { numRuns: 2_000 },
  )
  for (const hostile of ['{a or "', '{a or “', '{a ', '[[a', '{{', "{a or '"]) {
    expect(readPieces(hostile.repeat(3_000)).length).toBeGreaterThan(0)
  }
})
