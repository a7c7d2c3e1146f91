import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import { fixedClock } from '#app/lib/clocks.server.ts'
import { type DnsServer, startDnsServer } from '#tests/support/dns-server.server.ts'
import {
  cachedResolver,
  dnsResolver,
  machineResolver,
  type NameAnswer,
  type NameResolver,
} from './outbound-resolver.server.ts'

let server: DnsServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

const V4 = '93.184.215.14'
const V6 = '2606:2800:21f:cb07:6820:80da:af6b:8b2c'

function addressesOf(answer: NameAnswer): string[] {
  return answer.outcome === 'addresses' ? answer.addresses.map(({ address }) => address) : []
}

test('both families are asked, IPv4 comes first', async () => {
  server = await startDnsServer({ 'a.dev': [[V6, V4]], 'v6.dev': [[V6]] })
  const resolver = dnsResolver({ servers: [server.address], budgetMs: 1_000 })
  expect(await resolver.resolve('a.dev')).toEqual({
    outcome: 'addresses',
    addresses: [
      { address: V4, family: 4 },
      { address: V6, family: 6 },
    ],
    ttlMs: 0,
  })
  expect(addressesOf(await resolver.resolve('v6.dev'))).toEqual([V6])
})

test('a name that does not exist is unknown', async () => {
  server = await startDnsServer({ 'empty.dev': [[]] })
  const resolver = dnsResolver({ servers: [server.address], budgetMs: 1_000 })
  expect(await resolver.resolve('nothing.dev')).toEqual({ outcome: 'unknown' })
  expect(await resolver.resolve('empty.dev')).toEqual({ outcome: 'unknown' })
})

test('a DNS server that never answers costs no more than the budget', async () => {
  const silent = createSocket('udp4').bind(0, '127.0.0.1')
  await once(silent, 'listening')
  const resolver = dnsResolver({ servers: [`127.0.0.1:${silent.address().port}`], budgetMs: 300 })
  const started = performance.now()
  expect(await resolver.resolve('a.dev')).toEqual({ outcome: 'unavailable' })
  expect(performance.now() - started).toBeLessThan(2_000)
  silent.close()
})

test('names in the hosts file are not found by asking DNS, and are for exceptions', async () => {
  server = await startDnsServer({})
  expect(await dnsResolver({ servers: [server.address], budgetMs: 1_000 }).resolve('localhost')).toEqual({
    outcome: 'unknown',
  })
  expect(addressesOf(await machineResolver(1_000).resolve('localhost'))).toEqual(['127.0.0.1', '::1'])
})

test('answers are kept as long as their TTL but a minute at most, "unknown" half a minute, trouble five seconds', async () => {
  const clock = fixedClock()
  let asked = 0
  let answer: NameAnswer = { outcome: 'addresses', addresses: [{ address: V4, family: 4 }], ttlMs: 3_600_000 }
  const inner: NameResolver = {
    async resolve() {
      asked += 1
      return answer
    },
  }
  const resolver = cachedResolver(inner, clock)
  async function askedAfter(name: string, ...waits: number[]): Promise<number[]> {
    asked = 0
    const counts: number[] = []
    for (const wait of [0, ...waits]) {
      clock.advance(wait)
      await resolver.resolve(name)
      counts.push(asked)
    }
    return counts
  }
  expect(await askedAfter('long.dev', 59_999, 2)).toEqual([1, 1, 2])
  answer = { ...answer, ttlMs: 7_000 }
  expect(await askedAfter('short.dev', 6_999, 2)).toEqual([1, 1, 2])
  answer = { ...answer, ttlMs: 0 }
  expect(await askedAfter('none.dev', 0)).toEqual([1, 2])
  answer = { outcome: 'unknown' }
  expect(await askedAfter('unknown.dev', 29_999, 2)).toEqual([1, 1, 2])
  answer = { outcome: 'unavailable' }
  expect(await askedAfter('trouble.dev', 4_999, 2)).toEqual([1, 1, 2])
})

test('callers that ask for one name at the same time share one question', async () => {
  let asked = 0
  let give: (answer: NameAnswer) => void = () => {}
  const inner: NameResolver = {
    resolve: () => {
      asked += 1
      return new Promise((resolve) => {
        give = resolve
      })
    },
  }
  const resolver = cachedResolver(inner, fixedClock())
  const both = Promise.all([resolver.resolve('a.dev'), resolver.resolve('a.dev')])
  give({ outcome: 'addresses', addresses: [{ address: V4, family: 4 }], ttlMs: 0 })
  expect((await both).map(addressesOf)).toEqual([[V4], [V4]])
  expect(asked).toBe(1)
})
