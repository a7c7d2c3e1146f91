import { describe, expect, it } from 'vitest'
import type { Log } from '#app/lib/log.ts'
import { steppingClock } from '#tests/support/stepping-clock.ts'
import { settleSteadily } from './settle-steadily.server.ts'
import { createSteadyLoop } from './steady-loop.server.ts'

function recordingLog(): { log: Log; lines: string[] } {
  const lines: string[] = []
  const write = (_fields: Record<string, unknown>, message: string) => {
    lines.push(message)
  }
  const log: Log = { debug: write, info: write, warn: write, error: write, child: () => log }
  return { log, lines }
}

function loop(run: () => Promise<number | null>) {
  const clock = steppingClock()
  const { log, lines } = recordingLog()
  return { clock, lines, ...createSteadyLoop({ name: 'test', clock, log, run }) }
}

describe('a steady loop', () => {
  it('runs at the moments it names', async () => {
    const at: number[] = []
    const { start, clock } = loop(async () => {
      at.push(clock.now())
      return clock.now() + 1_000
    })
    const from = clock.now()
    start()
    await clock.run(3_500)
    expect(at.map((moment) => moment - from)).toEqual([0, 1_000, 2_000, 3_000])
  })

  it.each([0, 1, 2, 3, 4, 5, 6])(
    'hears a wake that comes %i turns of the microtask queue after a round began',
    async (turns) => {
      let rounds = 0
      const { start, wake, clock } = loop(async () => {
        rounds++
        return null
      })
      start()
      for (let turn = 0; turn < turns; turn++) await Promise.resolve()
      const before = rounds
      wake()
      await clock.run(10)
      expect(rounds).toBe(before + 1)
    },
  )

  it('shows that it turns by every round that ended, the failed ones too: trouble is no standstill', async () => {
    let fails = true
    const { start, turns, lastRunAt, clock } = loop(async () => {
      if (fails) throw new Error('the disk is full')
      return null
    })
    start()
    await clock.run(1_000)
    expect([turns(), lastRunAt()]).toEqual([3, null])
    fails = false
    await clock.run(1_000)
    expect([turns(), lastRunAt()]).toEqual([4, expect.any(Number)])
  })

  it('runs when it is woken, once more if that happens during a round, and never twice at a time', async () => {
    let rounds = 0
    let open = 0
    let most = 0
    const { start, wake, clock } = loop(async () => {
      rounds++
      most = Math.max(most, ++open)
      await new Promise<void>((resolve) => {
        clock.wake(clock.now() + 10, resolve)
      })
      open--
      return null
    })
    start()
    for (let n = 0; n < 5; n++) wake()
    await clock.run(1_000)
    expect([rounds, most]).toEqual([2, 1])
    wake()
    await clock.run(1_000)
    expect(rounds).toBe(3)
  })

  it('never gives up: it tries again after pauses that grow to a ceiling, and goes on as before', async () => {
    const at: number[] = []
    let failures = 12
    const { start, wake, clock, lines, lastRunAt } = loop(async () => {
      at.push(clock.now())
      if (failures-- > 0) throw new Error('no')
      return clock.now() + 1_000
    })
    start()
    wake()
    await clock.run(300_000)
    const pauses = at.slice(1, 13).map((moment, n) => moment - (at[n] ?? 0))
    expect(pauses).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000, 30_000, 30_000])
    expect(lines.filter((line) => line === 'loop.failed')).toHaveLength(12)
    expect(lines).toContain('loop.recovered')
    expect(clock.now() - (lastRunAt() ?? 0)).toBeLessThanOrEqual(1_000)
  })

  it('that is stopped lets the running round end and begins no other', async () => {
    let ended = 0
    const { start, stop, wake, clock } = loop(async () => {
      await new Promise<void>((resolve) => {
        clock.wake(clock.now() + 100, resolve)
      })
      ended++
      return clock.now() + 1
    })
    start()
    const stopped = stop()
    wake()
    await clock.run(1_000)
    await stopped
    expect(ended).toBe(1)
  })
})

describe('writing results down', () => {
  const input = (given: {
    settle: (reports: number[]) => Promise<string[]>
    trialWrite?: () => Promise<void>
    stopped?: () => boolean
  }) => {
    const clock = steppingClock()
    const { log } = recordingLog()
    return { clock, log, trialWrite: async () => {}, stopped: () => false, ...given }
  }

  it('waits for a database that cannot be written, for as long as it takes', async () => {
    let broken = true
    const fail = () => Promise.reject(new Error('disk full'))
    const given = input({
      settle: async (reports) => (broken ? fail() : reports.map(String)),
      trialWrite: async () => (broken ? fail() : undefined),
    })
    let answer: (string | null)[] | null = null
    void settleSteadily(given, [1, 2]).then((answers) => {
      answer = answers
    })
    await given.clock.run(3_600_000)
    expect(answer).toBeNull()
    broken = false
    await given.clock.run(30_000)
    expect(answer).toEqual(['1', '2'])
  })

  it('does not let one that cannot be written hold up the others, nor itself for ever', async () => {
    let calls = 0
    const given = input({
      settle: async (reports) => {
        calls++
        if (reports.includes(2)) throw new Error('constraint')
        return reports.map(String)
      },
    })
    const answers = settleSteadily(given, [1, 2, 3])
    await given.clock.run(60_000)
    expect(await answers).toEqual(['1', null, '3'])
    expect(calls).toBeLessThan(10)
  })

  it('ends with the process', async () => {
    const given = input({ settle: () => Promise.reject(new Error('disk full')), stopped: () => true })
    expect(await settleSteadily(given, [1])).toEqual([null])
  })
})
