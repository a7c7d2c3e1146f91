import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { days, hours, minutes } from '#app/lib/duration.ts'
import { type SpaceWorld, spaceWorld } from '#tests/support/space-world.server.ts'
import { aboutTheFile } from '#tests/support/test-app.server.ts'
import type { SpaceLadder } from './space.server.ts'

const MB = 1024 * 1024
const BIG = 'aaaaaaaa-0000-4000-8000-000000000001'
const MIDDLE = 'bbbbbbbb-0000-4000-8000-000000000002'
const SMALL = 'cccccccc-0000-4000-8000-000000000003'
const PAUSED = 'dddddddd-0000-4000-8000-000000000004'

/** A server tells its size late, in its own blocks and with what is deleted. */
const exactBytes = aboutTheFile('bytes of the file, which a deletion gives back at once')

let world: SpaceWorld
beforeEach(() => {
  world = spaceWorld()
})
afterEach(() => {
  world.close()
})

const used = async () => {
  const { fileBytes, freeBytes } = await world.store.ops.spaceUsed()
  return fileBytes - freeBytes
}
const bodies = (account: string) =>
  Number(
    world.one('SELECT count(*) AS n FROM event_body b JOIN event e ON e.seq = b.seq WHERE e.account_uuid = ?', account)
      .n,
  )
const events = (account: string) =>
  Number(world.one('SELECT count(*) AS n FROM event WHERE account_uuid = ?', account).n)
/** What has been shortened, in order: account and what of it. */
const shortened = () =>
  world.logged
    .filter(({ message }) => message === 'space.shortened')
    .map(({ fields }) => `${String(fields.accountUuid).slice(0, 1)} ${String(fields.what)}`)

/** A ladder whose budget makes what is stored now this part of it. */
async function ladderAt(part: number): Promise<SpaceLadder> {
  const ladder = world.ladder(Math.round((await used()) / part))
  await ladder.measure()
  return ladder
}

describe('making room', () => {
  beforeEach(async () => {
    for (const account of [BIG, MIDDLE, SMALL]) world.account(account)
    world.account(PAUSED, 'paused')
    for (let round = 0; round < 20; round++) {
      await world.receive(BIG, 60)
      await world.receive(MIDDLE, 40)
      await world.receive(SMALL, 5)
      await world.receive(PAUSED, 10)
    }
    world.deliver([BIG, MIDDLE, SMALL], 'Thank you.')
    world.clock.advance(hours(25))
  })

  it('touches nothing while there is room', async () => {
    for (const part of [0.5, 0.79, 0.84]) {
      const ladder = await ladderAt(part)
      await world.through(ladder.relieve())
    }
    expect(shortened()).toEqual([])
    expect(bodies(BIG)).toBe(1_200)
  })

  it.skipIf(exactBytes)('begins with the biggest account, and ends as soon as there is room', async () => {
    const ladder = await ladderAt(0.86)
    expect(ladder.status().level).toBe('shorten')
    await world.through(ladder.relieve())
    expect(shortened()).toEqual(['a bodies'])
    expect(bodies(BIG)).toBeGreaterThan(0)
    expect([bodies(MIDDLE), bodies(SMALL), bodies(PAUSED)]).toEqual([800, 100, 200])
    expect(ladder.status().level).toBe('warn')
  })

  it('goes on with the next account over its share, and never with one within it', async () => {
    const ladder = await ladderAt(0.999)
    expect(ladder.status()).toMatchObject({ level: 'full' })
    await world.through(ladder.relieve())
    expect(shortened().slice(0, 2)).toEqual(['a bodies', 'b bodies'])
    expect(shortened().filter((line) => /^[cd]/.test(line))).toEqual([])
    expect([bodies(SMALL), bodies(PAUSED), events(SMALL), events(PAUSED)]).toEqual([100, 200, 100, 200])
  })

  it('from 90 % on, shortens the log too, but never below the four days in which the platform repeats events', async () => {
    const ladder = await ladderAt(1.5)
    await world.through(ladder.relieve())
    expect([events(BIG), events(MIDDLE)]).toEqual([1_200, 800])
    world.clock.advance(days(4))
    await world.through(ladder.relieve())
    expect(shortened()).toContain('a log')
    expect(events(BIG)).toBeLessThan(1_200)
    expect(events(SMALL)).toBe(100)
  })

  it.skipIf(exactBytes)('gives what became free back to the file system', async () => {
    const before = (await world.store.ops.spaceUsed()).fileBytes
    const ladder = await ladderAt(0.95)
    await world.through(ladder.relieve())
    const after = await world.store.ops.spaceUsed()
    expect(after.freeBytes).toBe(0)
    expect(after.fileBytes).toBeLessThan(before)
  })

  it('ends at its next step when the process wants to end', async () => {
    const ladder = await ladderAt(0.999)
    const ending = new AbortController()
    ending.abort()
    await world.through(ladder.relieve(ending.signal))
    expect([bodies(BIG), bodies(MIDDLE)]).toEqual([1_200, 800])
  })

  it('tries again after half an hour what waited at first', async () => {
    await world.receive(BIG, 700)
    world.clock.advance(hours(25))
    const ladder = await ladderAt(1.3)
    await world.through(ladder.relieve())
    expect(bodies(BIG)).toBe(700)
    world.deliver([BIG])
    world.clock.advance(minutes(31))
    await world.through(ladder.relieve())
    expect(bodies(BIG)).toBeLessThan(700)
  })
})

describe('refusing', () => {
  beforeEach(async () => {
    for (const account of [BIG, SMALL]) world.account(account)
    await world.receive(BIG, 800)
    await world.receive(SMALL, 50)
  })

  it('at 95 % is for accounts over their share only, also at 98 %: what is left is the reserve of the others', async () => {
    const answers = async (part: number) => {
      const ladder = await ladderAt(part)
      await world.through(ladder.relieve())
      return [ladder.admit(BIG, 300), ladder.admit(SMALL, 300), ladder.admit('nobody seen before', 300)]
    }
    expect(await answers(0.94)).toEqual(['admitted', 'admitted', 'admitted'])
    expect(await answers(0.96)).toEqual(['over_share', 'admitted', 'admitted'])
    expect(await answers(0.985)).toEqual(['over_share', 'admitted', 'admitted'])
    expect(await answers(0.998)).toEqual(['over_share', 'full', 'full'])
  })

  it('reserves the room of a whole call before anything of it is stored', async () => {
    const ladder = await ladderAt(0.955)
    await world.through(ladder.relieve())
    const { budgetBytes } = ladder.status()
    expect(ladder.admit(SMALL, budgetBytes)).toBe('over_share')
    // Nothing was stored yet, and what was refused reserved nothing.
    expect(ladder.admit(SMALL, 300)).toBe('admitted')
    const share = budgetBytes * 0.8 * 0.5
    let calls = 0
    while (ladder.admit(SMALL, share / 50) === 'admitted') calls++
    expect(calls).toBeLessThan(50)
    expect(ladder.admit('nobody seen before', 300)).toBe('admitted')
  })

  it.skipIf(exactBytes)('at once names who brought a flood, although nobody has been weighed yet', async () => {
    const ladder = await ladderAt(0.5)
    expect(ladder.admit(SMALL, 300)).toBe('admitted')
    let flood = 0
    while (ladder.admit(BIG, 2_000) === 'admitted') flood++
    await world.receive(BIG, flood, { bytes: 2_000 })
    ladder.settled(flood * 2_000, flood)
    await ladder.measure()
    expect(ladder.status()).toMatchObject({ level: 'share', overShare: null })
    expect([ladder.admit(BIG, 300), ladder.admit(SMALL, 300)]).toEqual(['over_share', 'admitted'])
  })

  it('needs no next round: a flood between two of them is noticed as it comes in', async () => {
    const ladder = await ladderAt(0.9)
    await world.through(ladder.relieve())
    const total = { stored: 0, over_share: 0, full: 0 }
    for (let batch = 0; batch < 40; batch++) {
      const { stored, over_share, full } = await world.receive(BIG, 20, { space: ladder })
      total.stored += stored
      total.over_share += over_share
      total.full += full
    }
    expect(total.over_share).toBeGreaterThan(0)
    expect(['lean', 'share']).toContain(ladder.status().level)
    // The file grows by whole pages.
    expect(await used()).toBeLessThan(ladder.status().budgetBytes * 0.98 + 4096)
    expect(total.full).toBe(0)
    expect(ladder.admit(SMALL, 300)).toBe('admitted')
  })

  it('an instance that only follows weighs the accounts, too, and anew every half hour', async () => {
    const follows = await ladderAt(0.86)
    const over = () => [BIG, SMALL].map((account) => follows.isOverShare(account))
    await world.through(follows.follow())
    expect([over(), shortened()]).toEqual([[true, false], []])
    await world.receive(SMALL, 800)
    world.clock.advance(minutes(31))
    await world.through(follows.follow())
    expect([over(), shortened()]).toEqual([[true, true], []])
  })

  it.skipIf(exactBytes)('ends by itself when space returns', async () => {
    const ladder = await ladderAt(0.998)
    expect([ladder.admit(SMALL, 300), ladder.switches().newReplays]).toEqual(['full', false])
    world.deliver([BIG, SMALL])
    world.clock.advance(days(31))
    await world.forgetOld(days(30))
    await world.through(ladder.relieve())
    expect(ladder.status()).toMatchObject({ level: 'enough', overShare: null })
    expect([ladder.admit(BIG, 300), ladder.switches().newReplays]).toEqual(['admitted', true])
    expect(world.logged.map(({ message }) => message)).toContain('space.returned')
  })
})

/** About what 30 days of this many events a day fill of the budget, without a ladder: 60 %. */
const BUDGET = 4 * MB
const EXPECTED_A_DAY = 80
const ROUND = hours(6)
const ROUNDS_A_DAY = days(1) / ROUND

describe.skipIf(exactBytes)('thirty days at three times the expected rate', () => {
  it('stay within the budget at all times: the biggest account pays, what waits is kept, and it all comes back', async () => {
    for (const account of [BIG, MIDDLE, SMALL]) world.account(account)
    world.account(PAUSED, 'paused')
    const ladder = world.ladder(BUDGET)
    await ladder.measure()
    const rate = { [BIG]: 0.6, [MIDDLE]: 0.25, [SMALL]: 0.1, [PAUSED]: 0.05 }
    const levels = () => new Set(world.logged.map(({ fields }) => fields.level))
    const refused: Record<string, number> = {}
    let bigIsDown = false

    const round = async (times: number, lasts = ROUND) => {
      world.clock.advance(lasts)
      for (const [account, part] of Object.entries(rate)) {
        const here = account === BIG ? times : Math.min(3, times)
        const count = Math.round((EXPECTED_A_DAY * here * part) / ROUNDS_A_DAY)
        const { over_share, full } = await world.receive(account, count, { space: ladder })
        refused[`${account} 429`] = (refused[`${account} 429`] ?? 0) + over_share
        refused[`${account} 503`] = (refused[`${account} 503`] ?? 0) + full
      }
      const snippet = ladder.switches().keepSnippets ? 'Thank you very much.' : undefined
      world.deliver(bigIsDown ? [MIDDLE, SMALL] : [BIG, MIDDLE, SMALL], snippet)
      await world.forgetOld(days(30))
      await world.through(ladder.relieve())
      expect((await world.store.ops.spaceUsed()).fileBytes).toBeLessThanOrEqual(BUDGET)
      expect(await used()).toBeLessThanOrEqual(BUDGET)
    }
    const stillWaits = () => {
      const waits = world.one("SELECT count(*) AS n FROM delivery WHERE state = 'pending'").n
      const kept = world.one(
        "SELECT count(*) AS n FROM delivery d JOIN event_body b ON b.seq = d.event_seq WHERE d.state = 'pending' AND length(b.body) >= 290",
      ).n
      expect(kept).toBe(waits)
      return Number(waits)
    }

    for (let n = 0; n < 30 * ROUNDS_A_DAY; n++) await round(3)
    expect(levels()).toContain('shorten')
    expect(levels()).toContain('lean')
    expect(levels()).not.toContain('share')
    expect(Object.values(refused).every((count) => count === 0)).toBe(true)
    expect(shortened()[0]).toBe('a bodies')
    expect(shortened().filter((line) => /^[cd]/.test(line))).toEqual([])
    expect(events(SMALL)).toBe(30 * ROUNDS_A_DAY * 6)
    expect(stillWaits()).toBe(30 * ROUNDS_A_DAY * 3)

    // The big account's address is down, so that nothing of it may go: the others are still served.
    bigIsDown = true
    for (let n = 0; n < 60 * ROUNDS_A_DAY && (refused[`${BIG} 429`] ?? 0) < 500; n++) await round(6)
    expect(refused[`${BIG} 429`]).toBeGreaterThanOrEqual(500)
    for (const account of [SMALL, PAUSED]) {
      expect([refused[`${account} 429`], refused[`${account} 503`]]).toEqual([0, 0])
    }
    const waiting = stillWaits()
    expect(
      Number(world.one("SELECT count(*) AS n FROM delivery WHERE state = 'pending' AND account_uuid = ?", BIG).n),
    ).toBeGreaterThan(1_000)

    // It is back, and the flood is over.
    bigIsDown = false
    for (let day = 0; day < 31; day++) await round(2, days(1))
    expect(ladder.status().level).toBe('enough')
    expect(ladder.admit(BIG, 300)).toBe('admitted')
    expect(ladder.switches()).toMatchObject({ keepSnippets: true, newReplays: true, refuseAll: false })
    expect(stillWaits()).toBeLessThan(waiting)
    expect(world.one('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' })
  }, 240_000)
})
