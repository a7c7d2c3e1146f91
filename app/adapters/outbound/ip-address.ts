// Decides from the text alone, with Node's subnet lists, which IP addresses are public. IPv4 lists what is refused;
// IPv6 lists what is allowed, so unforeseen forms are refused.
import { BlockList, isIP, isIPv4 } from 'node:net'

/** 4 or 16 bytes, most significant first. */
type IpBytes = readonly number[]

const FORBIDDEN = blockList([
  ['0.0.0.0', 8], // this host; Linux connects it to loopback
  ['10.0.0.0', 8], // private (RFC 1918)
  ['100.64.0.0', 10], // carrier-grade NAT; holds Alibaba's metadata address
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // Azure WireServer: looks public but is not
  ['169.254.0.0', 16], // link-local; holds the metadata address of most clouds
  ['172.16.0.0', 12], // private (RFC 1918)
  ['192.0.0.0', 24], // protocol assignments; holds Oracle's metadata address
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private (RFC 1918)
  ['198.18.0.0', 15], // benchmarking
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
  ['2001::', 23], // protocol assignments: Teredo, benchmarking, ORCHID
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4: carries an IPv4 address
  ['3fff::', 20], // documentation (RFC 9637)
])

/** The only block of global unicast addresses (RFC 4291). NAT64, mapped and local forms lie outside. */
const PUBLIC_V6 = blockList([['2000::', 3]])

/**
 * Parses canonical spellings: dotted decimal, or IPv6 with `::` and an embedded dotted tail. Null for everything else,
 * including zone ids and octal or hexadecimal IPv4.
 */
export function parseIp(text: string): IpBytes | null {
  if (text.includes('%') || !isIP(text)) return null
  return isIPv4(text) ? text.split('.').map(Number) : bytesOfV6(text)
}

/** Whether we may connect to this address. False for text that is not an address. */
export function isPublicIp(text: string): boolean {
  const bytes = parseIp(text)
  if (!bytes) return false
  if (bytes.length === 4) return !FORBIDDEN.check(text)
  if (!PUBLIC_V6.check(text, 'ipv6') || FORBIDDEN.check(text, 'ipv6')) return false
  // ISATAP (RFC 5214) hides an IPv4 address behind an interface id of 0:5efe or 200:5efe, under any prefix.
  const isatap = (bytes[8] === 0x00 || bytes[8] === 0x02) && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe
  return !isatap || !FORBIDDEN.check(bytes.slice(12).join('.'))
}

/** One text per address, whatever its spelling; IPv4 mapped into IPv6 counts as IPv4. Null if it is not an address. */
export function ipKey(text: string): string | null {
  const bytes = parseIp(text)
  if (!bytes) return null
  return (isMapped(bytes) ? bytes.slice(12) : bytes).join('.')
}

function isMapped(bytes: IpBytes): boolean {
  return bytes.length === 16 && bytes.every((byte, i) => i >= 12 || byte === (i < 10 ? 0 : 0xff))
}

function blockList(subnets: readonly [network: string, bits: number][]): BlockList {
  const list = new BlockList()
  for (const [network, bits] of subnets) list.addSubnet(network, bits, isIPv4(network) ? 'ipv4' : 'ipv6')
  return list
}

/** The text must be an IPv6 address. */
function bytesOfV6(text: string): number[] {
  const hex = text.replace(/[\d.]+\.\d+$/, (dotted) => {
    const [a = 0, b = 0, c = 0, d = 0] = dotted.split('.').map(Number)
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
  })
  const [head = [], tail = []] = hex.split('::').map((half) => (half === '' ? [] : half.split(':')))
  const zeros = Array<string>(8 - head.length - tail.length).fill('0')
  return [...head, ...zeros, ...tail].flatMap((group) => {
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 0xff]
  })
}
