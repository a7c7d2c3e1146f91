import { expect, test } from 'vitest'
import {
  decimalAt,
  flagAt,
  metadataAt,
  nodeAt,
  parseForm,
  requiredAt,
  requireKnownNames,
  textAt,
  textsAt,
  treesAt,
  wholeAt,
  wordAt,
} from './stripe-form.ts'

test('nested names become trees and lists', () => {
  const { tree, names } = parseForm(
    'items[0][price]=p1&items[1][price]=p2&metadata[a]=1&expand[]=x&expand[]=y&cancel=true&n=5',
  )
  expect(treesAt(tree, 'items').map((item) => textAt(item, 'price'))).toEqual(['p1', 'p2'])
  expect(textsAt(tree, 'expand')).toEqual(['x', 'y'])
  expect(textAt(tree, 'metadata.a')).toBe('1')
  expect(flagAt(tree, 'cancel')).toBe(true)
  expect(wholeAt(tree, 'n')).toBe(5)
  expect(names).toEqual(['items[].price', 'items[].price', 'metadata.a', 'expand[]', 'expand[]', 'cancel', 'n'])
})

test('names that mean something to the language mean nothing here', () => {
  const { tree } = parseForm('metadata[__proto__]=1&metadata[constructor]=2&__proto__[x]=3')
  expect(metadataAt(tree)).toEqual(
    Object.fromEntries([
      ['__proto__', '1'],
      ['constructor', '2'],
    ]),
  )
  expect('x' in {}).toBe(false)
  expect(nodeAt(tree, 'toString')).toBeUndefined()
})

test('metadata is laid over what is there, and empty values take away', () => {
  const before = { a: '1', b: '2' }
  expect(metadataAt(parseForm('metadata[a]=&metadata[c]=3').tree, before)).toEqual({ b: '2', c: '3' })
  expect(metadataAt(parseForm('metadata=').tree, before)).toEqual({})
  expect(metadataAt(parseForm('').tree, before)).toEqual(before)
  expect(() => metadataAt(parseForm(`metadata[a]=${'x'.repeat(501)}`).tree)).toThrow('500')
})

test('unknown names and wrong values are refused by name', () => {
  const takes = ['items[].price', 'metadata.*', 'cancel_at']
  const form = (text: string) => parseForm(text)
  expect(() => requireKnownNames(form('items[0][price]=1&metadata[x]=1&metadata=&expand[]=a'), takes)).not.toThrow()
  expect(() => requireKnownNames(form('items='), takes)).not.toThrow()
  expect(() => requireKnownNames(form('items[0][colour]=1'), takes)).toThrow(
    'Received unknown parameter: items[].colour',
  )
  expect(() => wholeAt(form('n=1.5').tree, 'n')).toThrow('Invalid integer: 1.5')
  expect(() => flagAt(form('f=yes').tree, 'f')).toThrow('Invalid boolean: yes')
  expect(() => wordAt(form('w=c').tree, 'w', ['a', 'b'])).toThrow('a, b')
  expect(() => decimalAt(form('d=x').tree, 'd')).toThrow('Invalid decimal: x')
  expect(() => requiredAt(form('d=').tree, 'd')).toThrow('Missing required param: d.')
})
