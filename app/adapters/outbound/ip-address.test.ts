import { isIP } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ipKey, isPublicIp, parseIp } from './ip-address.ts'

const octet = fc.integer({ min: 0, max: 255 })
const dotted = fc.tuple(octet, octet, octet, octet).map((bytes) => bytes.join('.'))
const hexTail = (ip: string) => {
  const [a = 0, b = 0, c = 0, d = 0] = ip.split('.').map(Number)
  return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
}

describe('reading an address', () => {
  test.each([
    ['1.2.3.4', [1, 2, 3, 4]],
    ['::1', [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]],
    ['2001:db8::7:1.2.3.4', [0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 7, 1, 2, 3, 4]],
    ['A:b:C:d:e:f:1:2', [0, 10, 0, 11, 0, 12, 0, 13, 0, 14, 0, 15, 0, 1, 0, 2]],
    ['fe80::', [0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]],
  ])('reads %s', (text, bytes) => {
    expect(parseIp(text)).toEqual(bytes)
  })

  test.each([
    ['1.2.3'],
    ['1.2.3.4.5'],
    ['01.2.3.4'],
    ['1.2.3.256'],
    ['0x7f.0.0.1'],
    ['127.1'],
    [''],
    ['1.2.3.4 '],
    ['::1%eth0'],
    ['fe80::1%25eth0'],
    ['1::2::3'],
    ['1:2:3:4:5:6:7'],
    ['1:2:3:4:5:6:7:8:9'],
    ['1:2:3:4:5:6:7::8'],
    [':1'],
    ['12345::'],
    ['::1.2.3'],
    ['1.2.3.4::'],
    ['[::1]'],
    ['example.com'],
  ])('refuses %s', (text) => {
    expect(parseIp(text)).toBeNull()
    expect(isPublicIp(text)).toBe(false)
  })

  test('reads exactly what Node takes for an address, zone ids aside', () => {
    const almost = fc.stringMatching(/^[0-9a-f:.]{0,24}$/)
    fc.assert(
      fc.property(fc.oneof(almost, fc.ipV4(), fc.ipV6(), fc.string()), (text) => {
        const family = parseIp(text)?.length
        expect(family === 4 ? 4 : family === 16 ? 6 : 0).toBe(text.includes('%') ? 0 : isIP(text))
      }),
      { numRuns: 2_000 },
    )
  })

  test('gives every spelling of an address one key', () => {
    expect(ipKey('::ffff:7f00:1')).toBe(ipKey('127.0.0.1'))
    expect(ipKey('0:0:0:0:0:FFFF:127.0.0.1')).toBe(ipKey('127.0.0.1'))
    expect(ipKey('2606:4700::1111')).toBe(ipKey('2606:4700:0:0:0:0:0:1111'))
    expect(ipKey('2606:4700::1111')).not.toBe(ipKey('2606:4700::1112'))
  })
})

describe('which addresses belong to the open internet', () => {
  test.each([
    ['0.0.0.0', '0.255.255.255', null, '1.0.0.0'],
    ['10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
    ['100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
    ['127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
    ['168.63.129.16', '168.63.129.16', '168.63.129.15', '168.63.129.17'],
    ['169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
    ['172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
    ['192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
    ['192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
    ['192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
    ['192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
    ['198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
    ['198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
    ['203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
    ['224.0.0.0', '255.255.255.255', '223.255.255.255', null],
    ['::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, '2000::'],
    ['2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', '2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:200::'],
    ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db7:ffff::', '2001:db9::'],
    ['2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:ffff::', '2003::'],
    ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', '3ffe:ffff::', '3fff:1000::'],
    ['4000::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff:ffff:ffff::', null],
  ])('refuses %s to %s and not its neighbours', (first, last, before, after) => {
    expect([first, last].map(isPublicIp)).toEqual([false, false])
    expect([before, after].filter((one) => one !== null).every(isPublicIp)).toBe(true)
  })

  test('refuses every IPv6 form that carries an IPv4 address, or judges it by that address', () => {
    const carriers = [
      (ip: string) => `::ffff:${ip}`,
      (ip: string) => `::ffff:${hexTail(ip)}`,
      (ip: string) => `::${ip}`,
      (ip: string) => `::ffff:0:${ip}`,
      (ip: string) => `64:ff9b::${hexTail(ip)}`,
      (ip: string) => `64:ff9b:1::${hexTail(ip)}`,
      (ip: string) => `2002:${hexTail(ip)}::1`,
      (ip: string) => `2001:0:${hexTail(ip)}::`,
    ]
    fc.assert(
      fc.property(dotted, fc.constantFrom(...carriers), (ip, carry) => {
        expect(isPublicIp(carry(ip))).toBe(false)
      }),
    )
    fc.assert(
      fc.property(dotted, fc.constantFrom('2606:4700:0:1:0:5efe:', '2a00:1450:0:1:200:5efe:'), (ip, isatap) => {
        expect(isPublicIp(isatap + hexTail(ip))).toBe(isPublicIp(ip))
      }),
    )
  })

  test('lets no IPv6 address through outside 2000::/3', () => {
    fc.assert(
      fc.property(fc.ipV6(), (ip) => {
        const first = parseIp(ip)?.[0] ?? 0
        if (isPublicIp(ip)) expect(first >> 5).toBe(1)
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('the edges of what is public', () => {
  test.each([
    ['248.0.0.1', false],
    ['255.255.255.255', false],
    ['168.63.129.16', false],
    ['168.63.129.17', true],
    // An interface id that hides an IPv4 address, and ones that only look like it.
    ['2600::5efe:10.0.0.1', false],
    ['2600::200:5efe:10.0.0.1', false],
    ['2600::5efe:8.8.8.8', true],
    ['2600::100:5efe:10.0.0.1', true],
    ['2600::1:5efe:10.0.0.1', true],
    ['2600::5eff:10.0.0.1', true],
    ['2600::5dfe:10.0.0.1', true],
  ])('%s: %s', (text, open) => {
    expect(isPublicIp(text)).toBe(open)
  })

  test('only what is mapped shares the key of an IPv4 address', () => {
    expect(ipKey('::ffff:1.2.3.4')).toBe('1.2.3.4')
    for (const text of ['::fffe:1.2.3.4', '::1.2.3.4', '1::ffff:1.2.3.4', '0:0:0:0:1:ffff:102:304']) {
      expect(ipKey(text)?.split('.')).toHaveLength(16)
    }
    expect(parseIp('1::2::3::4')).toBeNull()
  })
})
