import { describe, expect, it } from 'vitest'
import { distinct, readEmail, splitReceivers } from './receivers.ts'

describe('a field with receivers', () => {
  it('is cut at commas, semicolons and line ends, not inside placeholders', () => {
    expect(splitReceivers('a@b.example, c@d.example;e@f.example\r\n g@h.example ,,')).toEqual([
      'a@b.example',
      'c@d.example',
      'e@f.example',
      'g@h.example',
    ])
    expect(splitReceivers('{contact_email or "x@y.example, z@y.example"}, b@c.example')).toEqual([
      '{contact_email or "x@y.example, z@y.example"}',
      'b@c.example',
    ])
    expect(splitReceivers('')).toEqual([])
  })

  it('counts the same address once', () => {
    expect(distinct(['A@b.example', 'a@B.example', 'c@d.example'])).toEqual(['A@b.example', 'c@d.example'])
  })
})

describe('an e-mail address', () => {
  it.each([
    ['margaret@smith.example', 'margaret@smith.example'],
    [' Margaret Smith <margaret@smith.example> ', 'margaret@smith.example'],
    ['mailto:margaret@smith.example', 'margaret@smith.example'],
    ["o'neill+jobs@mail.smith.example", "o'neill+jobs@mail.smith.example"],
    ['margaret@smith.example\r\nBcc: all@x.example', 'margaret@smith.example'],
  ])('is read out of %j', (text, address) => {
    expect(readEmail(text)).toBe(address)
  })

  it.each([
    '',
    'margaret',
    'margaret@',
    '@smith.example',
    'a@b',
    'a b@c.example',
    'a@b.example,c@d.example',
    'a@b..example',
    'a@b.example.',
    `${'x'.repeat(250)}@b.example`,
    '<script>@x.example',
  ])('is not %j', (text) => {
    expect(readEmail(text)).toBeNull()
  })
})
