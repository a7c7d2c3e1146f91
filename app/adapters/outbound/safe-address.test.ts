import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isPublicIp } from './ip-address.ts'
import { addressRules, checkAddress, findExceptionFault, forbiddenIp } from './safe-address.ts'

const rules = addressRules({
  selfHosts: ['addon.fieldhook.app', 'https://www.fieldhook.app', 'localhost'],
  selfIps: ['45.76.1.2'],
  egressAllow: ['localhost:3000', '10.0.0.7:9000', '[fd00::7]:9000', 'Receiver.lan:80'],
})

function reasonFor(url: string): string {
  const verdict = checkAddress(url, rules)
  return verdict.outcome === 'refused' ? verdict.reason : 'allowed'
}

describe('an address somebody typed', () => {
  test.each([
    ['https://example.com/hook', 'allowed'],
    ['HTTPS://EXAMPLE.com./hook', 'allowed'],
    ['https://example.com:1024/', 'allowed'],
    ['https://_dmarc.example.com/', 'allowed'],
    ['https://example.com/a b', 'allowed'],
    ['http://example.com/hook', 'not_https'],
    ['ftp://example.com/', 'not_a_url'],
    ['https:example.com', 'not_a_url'],
    ['https:///example.com/', 'not_a_url'],
    ['https://example.com\\@evil.com/', 'not_a_url'],
    ['https://example.com/\u0000', 'not_a_url'],
    [' https://example.com/', 'not_a_url'],
    ['https://example.com/ ', 'not_a_url'],
    ['https://example.com../', 'not_a_url'],
    ['https://exa!mple.com/', 'not_a_url'],
    [`https://${'a'.repeat(64)}.com/`, 'not_a_url'],
    [`https://example.com/${'a'.repeat(2048)}`, 'too_long'],
    ['https://@example.com/', 'credentials'],
    ['https://user:pass@example.com/', 'credentials'],
    ['https://example.com:80/', 'port'],
    ['https://example.com:1023/', 'port'],
    ['https://example.com:6000/', 'port'],
    ['https://printer/', 'internal_name'],
    ['https://nas.home.arpa/', 'internal_name'],
    ['https://api.my-app.internal./', 'internal_name'],
    ['https://10.0.0.8/', 'private_address'],
    ['https://0x7f.1/', 'private_address'],
    ['https://[64:ff9b::8.8.8.8]/', 'private_address'],
    ['https://8.8.8.8/', 'allowed'],
    ['https://ADDON.fieldhook.app./x', 'own_address'],
    ['https://www.fieldhook.app:8443/', 'own_address'],
    ['https://other.fieldhook.app/', 'allowed'],
    ['https://45.76.1.2/', 'own_address'],
    ['https://[::ffff:45.76.1.2]/', 'private_address'],
  ])('%s is judged %s', (url, reason) => {
    expect(reasonFor(url)).toBe(reason)
  })

  test('gets a sentence that repeats neither the host nor an address', () => {
    const verdicts = ['https://db.corp/', 'https://10.0.0.8/', 'https://addon.fieldhook.app/', 'https://a.com:22/'].map(
      (url) => checkAddress(url, rules),
    )
    for (const verdict of verdicts) {
      expect(verdict).toMatchObject({ outcome: 'refused', sentence: expect.stringMatching(/^[A-Z].+\.$/) })
      expect(JSON.stringify(verdict)).not.toMatch(/corp|10\.0|fieldhook|a\.com/)
    }
    expect(checkAddress('example.com', rules)).toMatchObject({ sentence: 'Must be a valid HTTPS URL' })
  })

  test('is taken apart for dialling without its fragment, dot and capitals', () => {
    expect(checkAddress('https://EXAMPLE.com.:8443/Hook?key=a%20b#frag', rules)).toEqual({
      outcome: 'allowed',
      target: {
        protocol: 'https:',
        hostname: 'example.com',
        port: 8443,
        origin: 'https://example.com:8443',
        path: '/Hook?key=a%20b',
        literal: false,
        excepted: false,
      },
    })
    expect(checkAddress('https://[2606:4700:4700::1111]', rules)).toMatchObject({
      target: { hostname: '2606:4700:4700::1111', origin: 'https://[2606:4700:4700::1111]', literal: true, path: '/' },
    })
  })

  test('gets a verdict whatever the text is', () => {
    const host = fc.oneof(
      fc.string(),
      fc.domain(),
      fc.ipV4(),
      fc.ipV4Extended(),
      fc.ipV6().map((ip) => `[${ip}]`),
    )
    const pieces = fc
      .tuple(fc.constantFrom('https://', 'http://', 'https:/', ''), host, fc.string())
      .map((all) => all.join(''))
    const any = fc.oneof(fc.string({ unit: 'binary' }), pieces, fc.webUrl({ size: '-1' }))
    fc.assert(
      fc.property(any, (text) => {
        const verdict = checkAddress(text, rules)
        if (verdict.outcome === 'refused') return verdict.sentence.length > 10
        const { hostname, literal, port, protocol, excepted } = verdict.target
        const reachable = literal ? isPublicIp(hostname) : hostname.includes('.')
        return excepted || (protocol === 'https:' && (port === 443 || port >= 1024) && reachable)
      }),
      { numRuns: 1_000 },
    )
  })

  test('is judged in time that does not explode with its length', () => {
    const started = performance.now()
    for (const text of ['a', ' ', '.', '%', '@', 'a.', '::']) checkAddress(`https://${text.repeat(100_000)}`, rules)
    for (const text of ['a', '.', '%', '@', 'a.', '::']) checkAddress(`https://${text.repeat(1_000)}`, rules)
    expect(performance.now() - started).toBeLessThan(2_000)
  })
})

describe("the operator's exceptions", () => {
  test.each([
    ['http://localhost:3000/sandbox/receiver/a', 'allowed'],
    ['http://LOCALHOST.:3000/', 'allowed'],
    ['http://10.0.0.7:9000/', 'allowed'],
    ['http://0x0a.7:9000/', 'allowed'],
    ['http://[fd00::7]:9000/', 'allowed'],
    ['http://receiver.lan/', 'allowed'],
    ['http://localhost:3001/', 'own_address'],
    ['http://127.0.0.1:3000/', 'not_https'],
    ['https://127.0.0.1:3000/', 'private_address'],
    ['http://10.0.0.7:9001/', 'not_https'],
    ['https://10.0.0.7/', 'private_address'],
    ['http://user@localhost:3000/', 'credentials'],
    ['https://a.receiver.lan:80/', 'port'],
  ])('let %s be judged %s', (url, reason) => {
    expect(reasonFor(url)).toBe(reason)
  })

  test.each([
    ['http://localhost:3000/hooks/platform/abc'],
    ['http://localhost:3000/HOOKS/platform/abc'],
    ['http://localhost:3000//hooks/platform/abc'],
    ['http://localhost:3000/%68ooks/platform/abc'],
    ['http://localhost:3000/x/../hooks/platform/abc'],
    ['http://localhost:3000/hooks%2Fplatform/abc'],
  ])('never open our own entrance: %s', (url) => {
    expect(reasonFor(url)).toBe('own_address')
  })

  test('must be host:port', () => {
    expect(['localhost:3000', '[::1]:80', '10.0.0.1:65535'].map(findExceptionFault)).toEqual([null, null, null])
    for (const entry of [
      'localhost',
      'localhost:0',
      'localhost:99999',
      'http://localhost:3000',
      'a b:80',
      'a@b:80',
      '',
    ]) {
      expect(findExceptionFault(entry)).toContain('must be host:port')
    }
    expect(() => addressRules({ selfHosts: [], egressAllow: ['localhost'] })).toThrow('must be host:port')
  })
})

test('a resolved address is refused when it is private or our own', () => {
  expect(forbiddenIp('93.184.215.14', rules)).toBeNull()
  expect(forbiddenIp('10.1.2.3', rules)).toBe('private_address')
  expect(forbiddenIp('::ffff:93.184.215.14', rules)).toBe('private_address')
  expect(forbiddenIp('fe80::1%eth0', rules)).toBe('private_address')
  expect(forbiddenIp('45.76.1.2', rules)).toBe('own_address')
})
