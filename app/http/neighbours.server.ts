// Detects callers on this machine or the private network: a proxy, or monitoring.
import { BlockList, isIP } from 'node:net'

const PRIVATE = new BlockList()
for (const [net, bits] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  PRIVATE.addSubnet(net, bits, 'ipv4')
}
for (const [net, bits] of [
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
] as const) {
  PRIVATE.addSubnet(net, bits, 'ipv6')
}

/** An address of this machine or of a private network. Text that is not an address counts as one: a local socket. */
export function isPrivate(address: string): boolean {
  const bare = address.replace(/^::ffff:(?=\d+\.)/i, '').split('%')[0] ?? ''
  const family = isIP(bare)
  return family === 0 || PRIVATE.check(bare, family === 4 ? 'ipv4' : 'ipv6')
}

const BY_PROXY = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
  'fly-client-ip',
  'cf-connecting-ip',
]

/** No proxy in between: the caller itself is on this machine, or on the private network. */
export function isDirectNeighbour(clientIp: string, headers: Headers): boolean {
  return isPrivate(clientIp) && !BY_PROXY.some((name) => headers.has(name))
}
