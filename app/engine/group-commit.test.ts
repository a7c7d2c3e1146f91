import { describe, expect, it } from 'vitest'
import { steppingClock } from '#tests/support/stepping-clock.ts'
import { createGroupCommit, type GroupCommitInput } from './group-commit.server.ts'

function group(given: Partial<GroupCommitInput<number, string>> = {}) {
  const batches: number[][] = []
  const clock = steppingClock()
  const commits = createGroupCommit<number, string>({
    clock,
    maxBatch: 4,
    maxWaiting: 100,
    maxWaitingBytes: 1_000,
    sizeOf: () => 1,
    limitMs: 8_000,
    ...given,
    async commit(items) {
      batches.push(items)
      return given.commit ? given.commit(items) : items.map(String)
    },
  })
  return { batches, clock, ...commits }
}

const settled = (promises: Promise<string>[]) =>
  Promise.allSettled(promises).then((results) =>
    results.map((result) =>
      result.status === 'fulfilled' ? result.value : String(result.reason.code ?? result.reason),
    ),
  )

describe('a group commit', () => {
  it('writes together what arrives within one turn, and answers each with its own answer', async () => {
    const { add, batches } = group()
    expect(await settled([1, 2, 3].map(add))).toEqual(['1', '2', '3'])
    expect(await add(4)).toBe('4')
    expect(batches).toEqual([[1, 2, 3], [4]])
  })

  it('never writes more than a batch, and keeps the order of arrival', async () => {
    const { add, batches } = group()
    await settled([1, 2, 3, 4, 5, 6, 7, 8, 9].map(add))
    expect(batches).toEqual([[1, 2, 3, 4], [5, 6, 7, 8], [9]])
  })

  it('answers nobody before the commit', async () => {
    let finish = () => {}
    const { add, clock } = group({
      commit: async (items) => {
        await new Promise<void>((resolve) => {
          finish = resolve
        })
        return items.map(String)
      },
    })
    let answered = false
    const answer = add(1).then((text) => {
      answered = true
      return text
    })
    await clock.settle()
    expect(answered).toBe(false)
    finish()
    expect(await answer).toBe('1')
  })

  it('that fails refuses all of its batch and none of the next', async () => {
    let failures = 1
    const { add } = group({
      commit: (items) => (failures-- > 0 ? Promise.reject(new Error('disk full')) : Promise.resolve(items.map(String))),
    })
    expect(await settled([1, 2].map(add))).toEqual(['commit_failed', 'commit_failed'])
    expect(await add(3)).toBe('3')
  })

  it('that takes too long counts as failed, also for those behind it', async () => {
    const { add, clock } = group({ commit: () => new Promise(() => {}) })
    const first = settled([add(1)])
    await clock.settle()
    const second = settled([add(2)])
    await clock.run(8_000)
    expect([await first, await second]).toEqual([['commit_slow'], ['commit_slow']])
  })

  it('lets nobody wait longer who comes after that, while the same commit still lasts', async () => {
    const { add, clock } = group({ commit: () => new Promise(() => {}) })
    const first = settled([add(1)])
    await clock.run(8_000)
    const later = settled([add(2), add(3)])
    await clock.run(8_000)
    expect([await first, await later]).toEqual([['commit_slow'], ['commit_slow', 'commit_slow']])
  })

  it.each([undefined, 3])('writes one batch at a time, or as many as it is told', async (mostUnderWay) => {
    let open = 0
    let most = 0
    const { add, clock } = group({
      ...(mostUnderWay && { mostUnderWay }),
      maxBatch: 2,
      commit: async (items) => {
        most = Math.max(most, ++open)
        await new Promise<void>((resolve) => {
          clock.wake(clock.now() + 10, resolve)
        })
        open--
        return items.map(String)
      },
    })
    const all = settled(Array.from({ length: 10 }, (_, n) => add(n)))
    await clock.run(100)
    expect(await all).toEqual(Array.from({ length: 10 }, (_, n) => String(n)))
    expect(most).toBe(mostUnderWay ?? 1)
  })

  it('refuses what is too much, by number and by size, at once', async () => {
    const few = group({ maxWaiting: 2 })
    expect(await settled([1, 2, 3].map(few.add))).toEqual(['1', '2', 'queue_full'])
    const small = group({ maxWaitingBytes: 10, sizeOf: (item) => item })
    expect(await settled([6, 5, 4].map(small.add))).toEqual(['6', 'queue_full', '4'])
    expect(await small.add(10)).toBe('10')
  })

  it('gathers for a while where nobody waits, unless a batch is full or everything is to be written now', async () => {
    const { add, batches, clock, flush } = group({ gatherMs: 2 })
    const all = [add(1)]
    await clock.run(1)
    all.push(add(2))
    expect(batches).toEqual([])
    await clock.run(1)
    expect(batches).toEqual([[1, 2]])
    all.push(...[3, 4, 5, 6].map(add))
    await clock.settle()
    expect(batches).toEqual([
      [1, 2],
      [3, 4, 5, 6],
    ])
    all.push(add(7))
    await flush()
    expect(batches.at(-1)).toEqual([7])
    expect(await settled(all)).toEqual(['1', '2', '3', '4', '5', '6', '7'])
  })

  it('flushes even when nothing waits, and after a failure', async () => {
    const { add, flush } = group({ commit: () => Promise.reject(new Error('no')) })
    await flush()
    const refused = settled([add(1)])
    await flush()
    expect(await refused).toEqual(['commit_failed'])
  })
})
