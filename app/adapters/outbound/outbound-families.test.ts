// Both families of addresses, the machine's own names, and what is remembered: without a network.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { fixedClock } from '#app/lib/clocks.server.ts'
import {
  cachedResolver,
  type FamilyQuery,
  familiesResolver,
  machineResolver,
  type NameAnswer,
  within,
} from './outbound-resolver.server.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

type Records = Awaited<ReturnType<FamilyQuery>>

/** What the name server says for a family: records, or an error's code; and after how many ms. */
type Said = { records: Records; after?: number } | { code: string; after?: number } | 'nothing'

function asking(v4: Said, v6: Said, budgetMs = 5_000) {
  const resolver = familiesResolver((_name, family) => {
    const said = family === 4 ? v4 : v6
    return new Promise((resolve, reject) => {
      if (said === 'nothing') return
      setTimeout(
        () => ('records' in said ? resolve(said.records) : reject(Object.assign(new Error('dns'), said))),
        said.after ?? 0,
      )
    })
  }, budgetMs)
  let answer: NameAnswer | 'not yet' = 'not yet'
  void resolver.resolve('a.dev').then((one) => {
    answer = one
  })
  return {
    async at(ms: number): Promise<NameAnswer | 'not yet'> {
      await vi.advanceTimersByTimeAsync(ms)
      return answer
    },
  }
}

const V4 = '93.184.215.14'
const V6 = '2606:2800:21f:cb07:6820:80da:af6b:8b2c'
const four = (ttl = 60, after = 0): Said => ({ records: [{ address: V4, ttl }], after })
const six = (ttl = 60, after = 0): Said => ({ records: [{ address: V6, ttl }], after })
const ONLY_FOUR = { outcome: 'addresses', addresses: [{ address: V4, family: 4 }], ttlMs: 60_000 }
const ONLY_SIX = { outcome: 'addresses', addresses: [{ address: V6, family: 6 }], ttlMs: 60_000 }

describe('both families', () => {
  test('are asked for once each', async () => {
    const asked: unknown[] = []
    const resolver = familiesResolver(async (...query) => {
      asked.push(query)
      return []
    }, 100)
    expect(await resolver.resolve('a.dev')).toEqual({ outcome: 'unknown' })
    expect(asked).toEqual([
      ['a.dev', 4],
      ['a.dev', 6],
    ])
  })

  test('stand in one answer, IPv4 first, kept as long as the shortest of all', async () => {
    const records = [
      { address: V4, ttl: 90 },
      { address: '93.184.215.15', ttl: 30 },
    ]
    expect(await asking({ records, after: 10 }, six(70)).at(10)).toEqual({
      outcome: 'addresses',
      addresses: [
        { address: V4, family: 4 },
        { address: '93.184.215.15', family: 4 },
        { address: V6, family: 6 },
      ],
      ttlMs: 30_000,
    })
  })

  test.each([
    ['IPv4', four(), 'nothing', ONLY_FOUR],
    ['IPv6', 'nothing', six(), ONLY_SIX],
  ] as const)(
    '%s alone is enough when the other is silent, after 400 ms and not before',
    async (_which, v4, v6, only) => {
      const asked = asking(v4, v6)
      expect(await asked.at(0)).toBe('not yet')
      expect(await asked.at(399)).toBe('not yet')
      expect(await asked.at(2)).toEqual(only)
    },
  )

  test('the slower one has a little time to be heard', async () => {
    expect(await asking(four(), six(60, 399)).at(399)).toMatchObject({ addresses: [{ family: 4 }, { family: 6 }] })
    expect(await asking(four(60, 399), six()).at(399)).toMatchObject({ addresses: [{ family: 4 }, { family: 6 }] })
  })

  test('one that has no address, or fails, leaves the answer to the other, however late', async () => {
    for (const code of ['ENODATA', 'ENOTFOUND', 'ESERVFAIL']) {
      expect(await asking({ code }, six(60, 3_000)).at(3_000)).toEqual(ONLY_SIX)
      expect(await asking(four(60, 3_000), { code }).at(3_000)).toEqual(ONLY_FOUR)
    }
  })

  test('a name is unknown only when both families say so; anything else is trouble', async () => {
    const none: Said = { records: [] }
    const pairs: [Said, Said, NameAnswer['outcome']][] = [
      [{ code: 'ENOTFOUND' }, { code: 'ENODATA' }, 'unknown'],
      [none, none, 'unknown'],
      [{ code: 'ENOTFOUND' }, { code: 'ESERVFAIL' }, 'unavailable'],
      [{ code: 'ETIMEOUT' }, { code: 'ENODATA' }, 'unavailable'],
      [{ code: 'EREFUSED' }, { code: 'EREFUSED' }, 'unavailable'],
    ]
    for (const [v4, v6, outcome] of pairs) expect(await asking(v4, v6).at(0)).toEqual({ outcome })
  })

  test('without any answer the budget ends it, and a late one changes nothing', async () => {
    const asked = asking(four(60, 900), 'nothing', 800)
    expect(await asked.at(799)).toBe('not yet')
    expect(await asked.at(1)).toEqual({ outcome: 'unavailable' })
    expect(await asked.at(5_000)).toEqual({ outcome: 'unavailable' })
  })
})

describe('what the machine makes of a name', () => {
  const never = () => Promise.reject(new Error('nobody is to be asked'))

  test('localhost, and everything below it, is loopback without asking anybody', async () => {
    const loopback = {
      outcome: 'addresses',
      addresses: [
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
      ],
      ttlMs: 0,
    }
    for (const name of ['localhost', 'app.localhost'])
      expect(await machineResolver(10, never).resolve(name)).toEqual(loopback)
  })

  test('other names are asked for, also those that only end alike', async () => {
    const asked: string[] = []
    const resolver = machineResolver(10, async (name) => {
      asked.push(name)
      return [
        { address: '10.0.0.7', family: 4 },
        { address: 'fd00::7', family: 6 },
      ]
    })
    for (const name of ['db', 'mylocalhost', 'localhost.dev']) {
      expect(await resolver.resolve(name)).toEqual({
        outcome: 'addresses',
        addresses: [
          { address: '10.0.0.7', family: 4 },
          { address: 'fd00::7', family: 6 },
        ],
        ttlMs: 0,
      })
    }
    expect(asked).toEqual(['db', 'mylocalhost', 'localhost.dev'])
  })

  test.each([
    ['no address', () => Promise.resolve([]), 'unknown'],
    ['no such name', () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })), 'unknown'],
    ['no record', () => Promise.reject(Object.assign(new Error('no'), { code: 'ENODATA' })), 'unknown'],
    ['trouble', () => Promise.reject(Object.assign(new Error('no'), { code: 'EAI_AGAIN' })), 'unavailable'],
    ['an error without a code', () => Promise.reject(new Error('no')), 'unavailable'],
    ['something that is no error', () => Promise.reject('ENOTFOUND'), 'unavailable'],
    ['nothing at all', () => Promise.reject(null), 'unavailable'],
  ])('%s is told apart', async (_what, ask, outcome) => {
    expect(await machineResolver(10, ask).resolve('db')).toEqual({ outcome })
  })

  test('a machine that does not answer is not waited for', async () => {
    const answer = machineResolver(250, () => new Promise(() => {})).resolve('db')
    await vi.advanceTimersByTimeAsync(250)
    expect(await answer).toEqual({ outcome: 'unavailable' })
  })
})

describe('what is remembered', () => {
  function counting() {
    const clock = fixedClock()
    const asked: string[] = []
    const resolver = cachedResolver(
      {
        async resolve(name) {
          asked.push(name)
          return { outcome: 'addresses', addresses: [{ address: V4, family: 4 }], ttlMs: 60_000 }
        },
      },
      clock,
    )
    return {
      clock,
      ask: async (...names: string[]) => {
        asked.length = 0
        for (const name of names) await resolver.resolve(name)
        return [...asked]
      },
    }
  }
  const names = Array.from({ length: 5_000 }, (_, at) => `${at}.dev`)

  test('are 5,000 names; with one more the oldest tenth goes', async () => {
    const { ask } = counting()
    expect(await ask(...names)).toHaveLength(5_000)
    expect(await ask('0.dev', '4999.dev')).toEqual([])
    expect(await ask('new.dev')).toEqual(['new.dev'])
    expect(await ask('new.dev', '500.dev', '4999.dev')).toEqual([])
    expect(await ask('499.dev', '0.dev')).toEqual(['499.dev', '0.dev'])
  })

  test('a name that is asked for anew is the youngest again', async () => {
    const { ask, clock } = counting()
    await ask('0.dev')
    clock.advance(59_000)
    await ask(...names)
    clock.advance(1_000)
    expect(await ask('0.dev')).toEqual(['0.dev'])
    await ask('new.dev')
    expect(await ask('0.dev', '500.dev', '501.dev')).toEqual(['500.dev'])
  })

  test('two names are two questions, also at the same time', async () => {
    const given: string[] = []
    const resolver = cachedResolver(
      {
        async resolve(name) {
          given.push(name)
          return { outcome: 'unknown' }
        },
      },
      fixedClock(),
    )
    await Promise.all([resolver.resolve('a.dev'), resolver.resolve('b.dev'), resolver.resolve('a.dev')])
    expect(given).toEqual(['a.dev', 'b.dev'])
  })
})

test('whoever is waited for in vain leaves no timer behind, and neither does one who came', async () => {
  expect(await within(50, Promise.resolve('came'))).toBe('came')
  await expect(within(50, Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(vi.getTimerCount()).toBe(0)
  const late = within(50, new Promise((resolve) => setTimeout(resolve, 51, 'late')))
  await vi.advanceTimersByTimeAsync(50)
  expect(await late).toBeNull()
})
