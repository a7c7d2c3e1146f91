// Whether this service may call an address that a user typed, without DNS: URL shape, port, name, literal IP. Pure, so
// a form gives the same answer as the sender. `outbound-dial.server.ts` checks the resolved addresses at connection
// time, with `forbiddenIp`.
import { ipKey, isPublicIp } from './ip-address.ts'

export type AddressReason =
  | 'not_a_url'
  | 'not_https'
  | 'too_long'
  | 'credentials'
  | 'port'
  | 'internal_name'
  | 'own_address'
  | 'private_address'

/** An address that passed the static rules, split into parts for the connection. */
export interface AddressTarget {
  protocol: 'https:' | 'http:'
  /** Lower case, punycode, no trailing dot, no brackets. */
  hostname: string
  port: number
  /** The connection target: `https://example.com:8443`. */
  origin: string
  /** Path and query as sent; the fragment is dropped. */
  path: string
  /** The host is an IP address, so no DNS lookup is needed. */
  literal: boolean
  /** On the operator's list of exceptions: private addresses and plain http are allowed. */
  excepted: boolean
}

export type AddressVerdict =
  | { outcome: 'allowed'; target: AddressTarget }
  | { outcome: 'refused'; reason: AddressReason; sentence: string }

/** Prepared once by `addressRules`. */
export interface AddressRules {
  selfHosts: ReadonlySet<string>
  selfIps: ReadonlySet<string>
  exceptions: ReadonlySet<string>
}

const MAX_ADDRESS_LENGTH = 2048

/** Names that exist only inside a network, or nowhere (RFC 2606, 6761, 6762, 7686, 8375; cluster and cloud names). */
// biome-ignore format: one list
const INTERNAL_SUFFIXES = [
  'localhost', 'localdomain', 'local', 'internal', 'intranet', 'private', 'flycast', 'lan', 'corp', 'home', 'home.arpa',
  'svc', 'onion', 'invalid', 'test', 'example',
]

/** The ports from 1024 up that browsers block, because another protocol listens there (WHATWG Fetch, "bad port"). */
const BAD_PORTS = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
])

/** Ingress for platform events. An exception for our own host must not allow it: forwards would loop forever. */
const INGRESS_PREFIX = '/hooks/'

/**
 * Prepares the rules. `selfHosts`: host names (or origins) of this service. `selfIps`: its own network addresses.
 * `egressAllow`: `host:port` pairs; throws for any other form, since the configuration is wrong.
 */
export function addressRules(input: {
  selfHosts: readonly string[]
  selfIps?: readonly string[]
  egressAllow: readonly string[]
}): AddressRules {
  const exceptions = input.egressAllow.map((entry) => {
    const fault = findExceptionFault(entry)
    if (fault) throw new Error(fault)
    return exceptionKey(entry)
  })
  return {
    selfHosts: new Set(input.selfHosts.map((host) => hostKey(host.includes('://') ? host : `https://${host}`))),
    selfIps: new Set((input.selfIps ?? []).map((ip) => ipKey(ip) ?? ip)),
    exceptions: new Set(exceptions),
  }
}

/** A sentence with the fault of one `EGRESS_ALLOW` entry; null when valid. */
export function findExceptionFault(entry: string): string | null {
  const url = /^[^/?#@\\\s]+:\d{1,5}$/.test(entry) ? URL.parse(`http://${entry}`) : null
  return url && portOf(url) > 0 ? null : `EGRESS_ALLOW: "${entry}" must be host:port, such as localhost:4000`
}

/** Applies every rule that needs no network. Returns a verdict for any text. */
export function checkAddress(text: string, rules: AddressRules): AddressVerdict {
  if (text.length > MAX_ADDRESS_LENGTH) return refused('too_long')
  // The parser silently repairs spaces at the ends, control characters and backslashes; nobody types them on purpose.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly those are looked for
  if (/^\s|\s$|[\u0000-\u001f\u007f\\]/.test(text)) return refused('not_a_url')
  const scheme = /^(https?):\/\/([^/?#]+)/i.exec(text)
  const url = scheme && URL.parse(text)
  if (!scheme || !url) return refused('not_a_url')
  if (scheme[2]?.includes('@')) return refused('credentials')

  const hostname = bareHost(url)
  const ip = ipKey(hostname)
  const literal = ip !== null
  if (!literal && !isHostName(hostname)) return refused('not_a_url')
  const port = portOf(url)
  const excepted = rules.exceptions.has(`${hostname}:${port}`)

  // A private address is called private even when it is ours, so the answer does not reveal which addresses are ours.
  const own = rules.selfHosts.has(hostname) || (ip !== null && rules.selfIps.has(ip))
  if (own && (excepted ? leadsToIngress(url.pathname) : !literal || isPublicIp(hostname))) return refused('own_address')
  const reason = excepted ? null : forbiddenPlace(url, hostname, literal)
  if (reason) return refused(reason)
  url.hostname = literal ? url.hostname : hostname
  const protocol = url.protocol === 'https:' ? 'https:' : 'http:'
  return {
    outcome: 'allowed',
    target: { protocol, hostname, port, origin: url.origin, path: `${url.pathname}${url.search}`, literal, excepted },
  }
}

function forbiddenPlace(url: URL, hostname: string, literal: boolean): AddressReason | null {
  const port = portOf(url)
  if (url.protocol !== 'https:') return 'not_https'
  if ((port !== 443 && port < 1024) || BAD_PORTS.has(port)) return 'port'
  if (literal) return isPublicIp(hostname) ? null : 'private_address'
  return isInternalName(hostname) ? 'internal_name' : null
}

/** Why a resolved or connected address may not be used; null when it may. The caller skips this for exceptions. */
export function forbiddenIp(address: string, rules: AddressRules): AddressReason | null {
  if (!isPublicIp(address)) return 'private_address'
  return rules.selfIps.has(ipKey(address) ?? '') ? 'own_address' : null
}

const NO_HTTPS_URL = 'Must be a valid HTTPS URL'

/** The sentences for people. They name neither the host nor its resolved address. */
export const ADDRESS_SENTENCES: Record<AddressReason, string> = {
  not_a_url: NO_HTTPS_URL,
  not_https: NO_HTTPS_URL,
  too_long: `That address is longer than ${MAX_ADDRESS_LENGTH.toLocaleString('en')} characters.`,
  credentials: 'Leave the user name and password out of the address.',
  port: 'That port is not allowed. Use 443, or a port from 1024 up that no other kind of service uses.',
  internal_name: 'That name exists only inside a private network. Use an address that the internet can reach.',
  own_address: 'That is an address of this service itself: events sent to it would go round in circles.',
  private_address: 'That address points into a private network. Use an address that the internet can reach.',
}

function refused(reason: AddressReason): AddressVerdict {
  return { outcome: 'refused', reason, sentence: ADDRESS_SENTENCES[reason] }
}

function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port)
  return url.protocol === 'https:' ? 443 : 80
}

function hostKey(address: string): string {
  const url = URL.parse(address)
  if (!url) throw new Error(`not a host name: ${address}`)
  return bareHost(url)
}

/** Removes the brackets of an IPv6 address (no other host has them) and the trailing dot. */
function bareHost({ hostname }: URL): string {
  return hostname.replace(/[[\]]/g, '').replace(/\.$/, '')
}

function exceptionKey(entry: string): string {
  return `${hostKey(`http://${entry}`)}:${portOf(new URL(`http://${entry}`))}`
}

function isHostName(name: string): boolean {
  return name.length <= 253 && name.split('.').every((label) => /^[a-z\d_-]{1,63}$/.test(label))
}

function isInternalName(name: string): boolean {
  return !name.includes('.') || INTERNAL_SUFFIXES.some((suffix) => name === suffix || name.endsWith(`.${suffix}`))
}

/** Reads the path like a router: ignores percent-encoding, repeated slashes and case. */
function leadsToIngress(pathname: string): boolean {
  let path = pathname
  try {
    path = decodeURIComponent(pathname)
  } catch {
    // Broken percent-encoding: use the path unchanged.
  }
  return path
    .replace(/\/{2,}/g, '/')
    .toLowerCase()
    .startsWith(INGRESS_PREFIX)
}
