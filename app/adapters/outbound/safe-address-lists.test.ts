// The lists and the edges of the address rules, entry by entry.
import { expect, test } from 'vitest'
import { ADDRESS_SENTENCES, addressRules, checkAddress, findExceptionFault } from './safe-address.ts'

const rules = addressRules({
  selfHosts: ['own.example.com', 'https://[2600::1]', 'dot.example.com.'],
  egressAllow: ['inside.lan:80', '[fd00::7]:9000', 'own.example.com:443'],
})

function reasonFor(url: string): string {
  const verdict = checkAddress(url, rules)
  return verdict.outcome === 'refused' ? verdict.reason : 'allowed'
}

test.each([
  'localhost',
  'localdomain',
  'local',
  'internal',
  'intranet',
  'private',
  'flycast',
  'lan',
  'corp',
  'home',
  'home.arpa',
  'svc',
  'onion',
  'invalid',
  'test',
  'example',
])('names below .%s are inside of some network, names that only end alike are not', (suffix) => {
  expect(reasonFor(`https://a.${suffix}/`)).toBe('internal_name')
  expect(reasonFor(`https://a.b.${suffix}./`)).toBe('internal_name')
  expect(reasonFor(`https://${suffix}.com/`)).toBe('allowed')
  expect(reasonFor(`https://a.x${suffix}/`)).toBe('allowed')
})

test('every port from 1024 up that browsers refuse is refused, and its neighbours are not', () => {
  const bad = [
    1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
  ]
  for (const port of bad) expect([port, reasonFor(`https://a.com:${port}/`)]).toEqual([port, 'port'])
  const near = bad.flatMap((port) => [port - 1, port + 1]).filter((port) => !bad.includes(port))
  for (const port of near) expect([port, reasonFor(`https://a.com:${port}/`)]).toEqual([port, 'allowed'])
})

test('an address of 2,048 characters is read, one of 2,049 is not, and a person is told', () => {
  const of = (length: number) => `https://a.com/${'x'.repeat(length - 'https://a.com/'.length)}`
  expect([reasonFor(of(2048)), reasonFor(of(2049))]).toEqual(['allowed', 'too_long'])
  expect(ADDRESS_SENTENCES.too_long).toBe('That address is longer than 2,048 characters.')
})

test('a name has 253 characters at most', () => {
  const name = (length: number) =>
    [length - 193, 62, 62, 62]
      .map((n) => 'a'.repeat(n))
      .join('.')
      .concat('.com')
  expect(name(253)).toHaveLength(253)
  expect([reasonFor(`https://${name(253)}/`), reasonFor(`https://${name(254)}/`)]).toEqual(['allowed', 'not_a_url'])
})

test('the scheme stands at the beginning, and is one of two', () => {
  for (const url of ['xhttps://a.com/', 'javascript://https://a.com', 'blob:https://a.com/', '//a.com/', 'a.com']) {
    expect([url, reasonFor(url)]).toEqual([url, 'not_a_url'])
  }
})

test('a target is told as it is dialled', () => {
  expect(checkAddress('https://A.com.:8443/x?y#z', rules)).toEqual({
    outcome: 'allowed',
    target: {
      protocol: 'https:',
      hostname: 'a.com',
      port: 8443,
      origin: 'https://a.com:8443',
      path: '/x?y',
      literal: false,
      excepted: false,
    },
  })
  expect(checkAddress('http://[fd00::7]:9000/', rules)).toEqual({
    outcome: 'allowed',
    target: {
      protocol: 'http:',
      hostname: 'fd00::7',
      port: 9000,
      origin: 'http://[fd00::7]:9000',
      path: '/',
      literal: true,
      excepted: true,
    },
  })
  const plain = checkAddress('http://inside.lan/', rules)
  expect(plain).toMatchObject({ target: { protocol: 'http:', port: 80, excepted: true, literal: false } })
  expect(checkAddress('https://8.8.8.8/', rules)).toMatchObject({
    target: { hostname: '8.8.8.8', literal: true, port: 443 },
  })
})

test('our own names are ours in every spelling; an exception opens them, but not where events come in', () => {
  expect(reasonFor('https://dot.example.com/')).toBe('own_address')
  expect(reasonFor('https://[2600::1]/')).toBe('own_address')
  expect(reasonFor('https://own.example.com/x')).toBe('allowed')
  for (const path of ['/hooks/x', '//hooks//x', '/HOOKS/x', '/%68ooks/x']) {
    expect([path, reasonFor(`https://own.example.com${path}`)]).toEqual([path, 'own_address'])
  }
  expect(reasonFor('https://own.example.com/%E0%A4%A/hooks/')).toBe('allowed')
  expect(() => addressRules({ selfHosts: ['not a host'], egressAllow: [] })).toThrow('not a host name')
})

test.each(['a:0', 'a:123456', 'a:1x', 'a', ':1', 'a/b:1', 'a@b:1', 'http://a:1', 'a:65536', 'a:1\n'])(
  '%j is no exception',
  (entry) => {
    expect(findExceptionFault(entry)).toBe(`EGRESS_ALLOW: "${entry}" must be host:port, such as localhost:4000`)
    expect(() => addressRules({ selfHosts: [], egressAllow: [entry] })).toThrow('must be host:port')
  },
)
