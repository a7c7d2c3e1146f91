import { describe, expect, it } from 'vitest'
import { callerOf } from '#app/lib/caller-of.ts'
import { clientIpReader } from './client-ip.ts'

const peer = (remoteAddress: string | undefined, headers: Record<string, string> = {}) => ({
  headers,
  socket: { remoteAddress },
})

describe('whose request it is', () => {
  it('is the peer, whatever its headers claim', () => {
    const read = clientIpReader('none')
    expect(read(peer('192.0.2.7', { 'fly-client-ip': '198.51.100.1', 'x-forwarded-for': '198.51.100.1' }))).toBe(
      '192.0.2.7',
    )
    expect(read(peer('::ffff:192.0.2.7'))).toBe('192.0.2.7')
    expect(read(peer(undefined))).toBe('unknown')
  })

  it('is what the proxy of Fly says, when that is trusted', () => {
    const read = clientIpReader('fly')
    expect(read(peer('172.16.0.1', { 'fly-client-ip': '198.51.100.1' }))).toBe('198.51.100.1')
    expect(read(peer('172.16.0.1', { 'fly-client-ip': '2001:db8::1' }))).toBe('2001:db8::1')
    expect(read(peer('172.16.0.1', { 'fly-client-ip': 'somebody' }))).toBe('172.16.0.1')
    expect(read(peer('172.16.0.1', { 'x-forwarded-for': '198.51.100.1' }))).toBe('172.16.0.1')
  })
})

describe('what counts as one caller', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:DB8:1:2::9', '2001:db8:1:2'],
    ['2001:db8::9', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['unknown', 'unknown'],
  ])('%s belongs to %s', (ip, caller) => {
    expect(callerOf(ip)).toBe(caller)
  })
})
