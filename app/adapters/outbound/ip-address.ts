// Which IP addresses belong to the open internet. Pure arithmetic on bytes, so that it can be reasoned about and tested
// without a network. IPv4 is a list of what is refused; IPv6 is a list of what is let through, so that forms nobody has
// thought of are refused.

/** 4 or 16 bytes, most significant first. */
export type IpBytes = readonly number[]

interface Range {
  prefix: IpBytes
  bits: number
}

const FORBIDDEN_V4: readonly Range[] = [
  range('0.0.0.0', 8), // this host; Linux connects it to loopback
  range('10.0.0.0', 8), // private (RFC 1918)
  range('100.64.0.0', 10), // carrier-grade NAT; holds Alibaba's metadata address
  range('127.0.0.0', 8), // loopback
  range('168.63.129.16', 32), // Azure WireServer: looks public, is not
  range('169.254.0.0', 16), // link-local; holds the metadata address of most clouds
  range('172.16.0.0', 12), // private (RFC 1918)
  range('192.0.0.0', 24), // protocol assignments; holds Oracle's metadata address
  range('192.0.2.0', 24), // documentation
  range('192.88.99.0', 24), // 6to4 relays
  range('192.168.0.0', 16), // private (RFC 1918)
  range('198.18.0.0', 15), // benchmarking
  range('198.51.100.0', 24), // documentation
  range('203.0.113.0', 24), // documentation
  range('224.0.0.0', 4), // multicast
  range('240.0.0.0', 4), // reserved, broadcast
]

/** The only block from which global unicast addresses are handed out (RFC 4291). NAT64, mapped and local forms lie outside. */
const PUBLIC_V6 = range('2000::', 3)

const FORBIDDEN_V6: readonly Range[] = [
  range('2001::', 23), // protocol assignments: Teredo, benchmarking, ORCHID
  range('2001:db8::', 32), // documentation
  range('2002::', 16), // 6to4: carries an IPv4 address
  range('3fff::', 20), // documentation (RFC 9637)
]

/**
 * Reads an address in its canonical spellings: dotted decimal, or IPv6 with `::` and an embedded dotted tail.
 * Null for everything else, zone ids and octal or hexadecimal IPv4 included.
 */
export function parseIp(text: string): IpBytes | null {
  return text.includes(':') ? parseV6(text) : parseV4(text)
}

/** May we connect to this address? Text that is not an address may not. */
export function isPublicIp(text: string): boolean {
  const bytes = parseIp(text)
  if (!bytes) return false
  return bytes.length === 4 ? isPublicV4(bytes) : isPublicV6(bytes)
}

/** One text per address, whatever its spelling; an IPv4 address mapped into IPv6 counts as the IPv4 address. Null if it is none. */
export function ipKey(text: string): string | null {
  const bytes = parseIp(text)
  if (!bytes) return null
  return (isMapped(bytes) ? bytes.slice(12) : bytes).join('.')
}

function isPublicV4(bytes: IpBytes): boolean {
  return !FORBIDDEN_V4.some((one) => contains(one, bytes))
}

function isPublicV6(bytes: IpBytes): boolean {
  if (!contains(PUBLIC_V6, bytes) || FORBIDDEN_V6.some((one) => contains(one, bytes))) return false
  // ISATAP (RFC 5214) hides an IPv4 address behind an interface id of 0:5efe or 200:5efe, under any prefix.
  const isatap = (bytes[8] === 0x00 || bytes[8] === 0x02) && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe
  return isatap ? isPublicV4(bytes.slice(12)) : true
}

function isMapped(bytes: IpBytes): boolean {
  return bytes.length === 16 && bytes.every((byte, i) => i >= 12 || byte === (i < 10 ? 0 : 0xff))
}

function contains({ prefix, bits }: Range, bytes: IpBytes): boolean {
  return bytes.every((byte, i) => {
    const used = Math.min(8, Math.max(0, bits - i * 8))
    const mask = (0xff << (8 - used)) & 0xff
    return (byte & mask) === ((prefix[i] ?? 0) & mask)
  })
}

function range(text: string, bits: number): Range {
  const prefix = parseIp(text)
  if (!prefix) throw new Error(`not an address: ${text}`)
  return { prefix, bits }
}

function parseV4(text: string): number[] | null {
  const parts = text.split('.')
  if (parts.length !== 4) return null
  const bytes = parts.map((part) => (/^(0|[1-9]\d{0,2})$/.test(part) ? Number(part) : 256))
  return bytes.every((byte) => byte <= 255) ? bytes : null
}

function parseV6(text: string): number[] | null {
  const halves = text.split('::')
  if (halves.length > 2) return null
  const head = parseGroups(halves[0] ?? '', halves.length === 1)
  const tail = halves.length === 2 ? parseGroups(halves[1] ?? '', true) : []
  if (!head || !tail) return null
  const missing = 16 - head.length - tail.length
  // `::` stands for at least one group of zeros; without it all eight groups must be there.
  if (halves.length === 2 ? missing < 2 : missing !== 0) return null
  return [...head, ...new Array<number>(missing).fill(0), ...tail]
}

function parseGroups(text: string, mayEndDotted: boolean): number[] | null {
  if (text === '') return []
  const bytes: number[] = []
  const groups = text.split(':')
  for (const [i, group] of groups.entries()) {
    if (mayEndDotted && i === groups.length - 1 && group.includes('.')) {
      const dotted = parseV4(group)
      if (!dotted) return null
      bytes.push(...dotted)
    } else {
      if (!/^[\da-f]{1,4}$/i.test(group)) return null
      const value = Number.parseInt(group, 16)
      bytes.push(value >> 8, value & 0xff)
    }
  }
  return bytes
}
