import { expect, test } from 'vitest'
import { isSecurityContact, securityText } from './security-contact.ts'

const origin = 'https://fieldhook.example.com'

test('names the contact, half a year ahead', () => {
  expect(
    securityText({ securityContact: 'mailto:security@example.com', origin }, Date.parse('2026-11-22T03:10:00Z')),
  ).toBe(
    [
      'Contact: mailto:security@example.com',
      'Expires: 2027-05-21T00:00:00.000Z',
      'Preferred-Languages: en',
      'Canonical: https://fieldhook.example.com/.well-known/security.txt',
      '',
    ].join('\n'),
  )
})

test('is nothing where nobody is named', () => {
  expect(securityText({ securityContact: null, origin }, 0)).toBeNull()
})

test('takes an e-mail address or a page, and nothing that could be more than one line', () => {
  expect(['mailto:a@example.com', 'https://example.com/report'].every(isSecurityContact)).toBe(true)
  expect(
    ['a@example.com', 'http://example.com', 'mailto:', 'https://example.com/\nContact: x', 'https:// x'].filter(
      isSecurityContact,
    ),
  ).toEqual([])
})
