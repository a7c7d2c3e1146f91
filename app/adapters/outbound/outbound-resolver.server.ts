// Resolves names for outbound calls. Queries the DNS servers directly (c-ares): the system's `getaddrinfo` shares its
// four threads with file work, so a few dead domains would stall everything, and it reads `/etc/hosts` and search
// domains, which a user's address must not reach.
import { lookup, Resolver } from 'node:dns/promises'
import type { Clock } from '#app/lib/clock.ts'
import { minutes, seconds } from '#app/lib/duration.ts'

export interface ResolvedAddress {
  address: string
  family: 4 | 6
}

export type NameAnswer =
  | { outcome: 'addresses'; addresses: ResolvedAddress[]; ttlMs: number }
  /** The DNS says that this name has no address. */
  | { outcome: 'unknown' }
  /** The DNS did not answer in time, or returned an error. */
  | { outcome: 'unavailable' }

/** Never rejects. Tests pass their own. */
export interface NameResolver {
  resolve(name: string): Promise<NameAnswer>
}

/** IPv4 and IPv6 are queried in parallel; after the first answer, the other gets this long. */
const SECOND_FAMILY_GRACE = 400
const LONGEST_KEPT = minutes(1)
const UNKNOWN_KEPT = seconds(30)
const UNAVAILABLE_KEPT = seconds(5)
const MAX_CACHED = 5_000

/** Queries a name's records of one family; rejects with the codes of `node:dns`. */
export type FamilyQuery = (name: string, family: 4 | 6) => Promise<{ address: string; ttl: number }[]>

/** Queries the machine's DNS servers, or `servers` (`ip` or `ip:port`). `budgetMs` bounds the time for one name. */
export function dnsResolver({ servers, budgetMs }: { servers?: readonly string[]; budgetMs: number }): NameResolver {
  const dns = new Resolver({ timeout: Math.max(100, Math.floor(budgetMs / 3)), tries: 2 })
  if (servers) dns.setServers(servers)
  const query: FamilyQuery = (name, family) =>
    family === 4 ? dns.resolve4(name, { ttl: true }) : dns.resolve6(name, { ttl: true })
  return familiesResolver(query, budgetMs)
}

/** Queries both families in parallel; the slower one delays the other only briefly. */
export function familiesResolver(query: FamilyQuery, budgetMs: number): NameResolver {
  return {
    async resolve(name) {
      const v4 = queryResult(query(name, 4), 4)
      const v6 = queryResult(query(name, 6), 6)
      const both = Promise.all([v4, v6])
      const first = await within(budgetMs, Promise.race([answered(v4), answered(v6), both]))
      if (!first) return { outcome: 'unavailable' }
      const [a, aaaa] = await Promise.all([within(SECOND_FAMILY_GRACE, v4), within(SECOND_FAMILY_GRACE, v6)])
      return merge(a, aaaa)
    },
  }
}

/**
 * Caches answers for their TTL, at most one minute; "unknown" for half a minute, failures for five seconds. Concurrent
 * callers for the same name share one query.
 */
export function cachedResolver(inner: NameResolver, clock: Clock): NameResolver {
  const kept = new Map<string, { answer: NameAnswer; until: number }>()
  const asking = new Map<string, Promise<NameAnswer>>()
  return {
    resolve(name) {
      const hit = kept.get(name)
      if (hit && hit.until > clock.now()) return Promise.resolve(hit.answer)
      const running = asking.get(name)
      if (running) return running
      const question = inner.resolve(name).then((answer) => {
        asking.delete(name)
        kept.delete(name)
        if (kept.size >= MAX_CACHED)
          for (const oldest of [...kept.keys()].slice(0, MAX_CACHED / 10)) kept.delete(oldest)
        kept.set(name, { answer, until: clock.now() + keptFor(answer) })
        return answer
      })
      asking.set(name, question)
      return question
    },
  }
}

/**
 * For hosts on the operator's list of exceptions: uses the machine's own resolution, including `/etc/hosts`.
 * `localhost` is loopback without a query.
 */
export function machineResolver(
  budgetMs: number,
  ask: MachineLookup = (name) => lookup(name, { all: true }),
): NameResolver {
  return {
    async resolve(name) {
      if (name === 'localhost' || name.endsWith('.localhost')) {
        return found([
          { address: '127.0.0.1', family: 4 },
          { address: '::1', family: 6 },
        ])
      }
      try {
        const all = await within(budgetMs, ask(name))
        if (!all) return { outcome: 'unavailable' }
        return found(all.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 })))
      } catch (error) {
        return fault(error)
      }
    },
  }
}

/** Every address of a name, as the machine resolves it. */
type MachineLookup = (name: string) => Promise<{ address: string; family: number }[]>

function found(addresses: ResolvedAddress[], ttlMs = 0): NameAnswer {
  return addresses.length > 0 ? { outcome: 'addresses', addresses, ttlMs } : { outcome: 'unknown' }
}

function fault(error: unknown): NameAnswer {
  const code = (error as { code?: unknown } | null)?.code
  return { outcome: code === 'ENOTFOUND' || code === 'ENODATA' ? 'unknown' : 'unavailable' }
}

async function queryResult(query: Promise<{ address: string; ttl: number }[]>, family: 4 | 6): Promise<NameAnswer> {
  try {
    const records = await query
    const ttl = Math.min(...records.map((one) => one.ttl))
    return found(
      records.map(({ address }) => ({ address, family })),
      seconds(ttl),
    )
  } catch (error) {
    return fault(error)
  }
}

/** Resolves once there are addresses; never for a family without any, so the other still counts. */
function answered(query: Promise<NameAnswer>): Promise<NameAnswer> {
  return new Promise((resolve) => {
    void query.then((answer) => answer.outcome === 'addresses' && resolve(answer))
  })
}

/** Null = too late. IPv4 first: many containers have no IPv6 route out, and none lacks IPv4. */
function merge(a: NameAnswer | null, aaaa: NameAnswer | null): NameAnswer {
  const answers = [a, aaaa].filter((one) => one?.outcome === 'addresses')
  if (answers.length > 0) {
    return found(
      answers.flatMap((one) => one.addresses),
      Math.min(...answers.map((one) => one.ttlMs)),
    )
  }
  return { outcome: a?.outcome === 'unknown' && aaaa?.outcome === 'unknown' ? 'unknown' : 'unavailable' }
}

function keptFor(answer: NameAnswer): number {
  if (answer.outcome === 'addresses') return Math.min(answer.ttlMs, LONGEST_KEPT)
  return answer.outcome === 'unknown' ? UNKNOWN_KEPT : UNAVAILABLE_KEPT
}

/** The promise's value, or null when `ms` pass first. */
export function within<T>(ms: number, promise: Promise<T>): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(null), ms)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
