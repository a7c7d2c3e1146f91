import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ClusterView } from '#db/store/cluster.ts'
import { decide, type Heard } from './shares.server.ts'

const LEASE = 5_000
const MARGIN = 1_000
const BEAT = 1_000
const SHARES = 64

const viewOf = (members: string[], owners: (string | null)[]): ClusterView => ({
  members: members.map((id) => ({ id, process: id, version: '1', beats: 1, takes: true })),
  shares: owners.map((owner, part) => ({ part, owner })),
  clockAhead: 0,
})
const free = () => Array.from({ length: SHARES }, () => null)
const situation = (view: ClusterView, more: Partial<Parameters<typeof decide>[0]> = {}) => ({
  ...{ me: 'a', view, heard: new Map<string, Heard>(), now: 0, leaseMs: LEASE, takes: true, isGone: () => false },
  ...more,
})

describe('one beat', () => {
  it('the only instance takes everything', () => {
    expect(decide(situation(viewOf(['a'], free())))).toMatchObject({ take: 64, give: [], remove: [] })
  })

  it('three share evenly, and nobody takes from a living owner', () => {
    const third = decide(
      situation(
        viewOf(
          ['a', 'b', 'c'],
          Array.from({ length: SHARES }, () => 'b'),
        ),
      ),
    )
    expect(third).toMatchObject({ take: 22, give: [] })
    const rich = decide(
      situation(
        viewOf(
          ['a', 'b', 'c'],
          Array.from({ length: SHARES }, () => 'a'),
        ),
      ),
    )
    expect(rich.give).toHaveLength(SHARES - 22)
    expect(rich.take).toBe(0)
  })

  it('an instance that starts, ends or is held takes nothing, gives all, and counts for nobody', () => {
    const view = viewOf(['a', 'b'], free())
    expect(decide(situation(view, { takes: false })).take).toBe(0)
    const owner = viewOf(
      ['a', 'b'],
      Array.from({ length: SHARES }, () => 'a'),
    )
    expect(decide(situation(owner, { takes: false })).give).toHaveLength(SHARES)
    const leaving = { ...view, members: view.members.map((one) => ({ ...one, takes: one.id === 'a' })) }
    expect(decide(situation(leaving)).take).toBe(SHARES)
  })

  it('a member is removed after a whole lease of silence, not before, and at once when its process has ended', () => {
    const view = viewOf(['a', 'b'], free())
    const heard = new Map([['b', { beats: 1, since: 1_000 }]])
    expect(decide(situation(view, { heard, now: 5_999 })).remove).toEqual([])
    expect(decide(situation(view, { heard, now: 6_000 })).remove).toMatchObject([{ id: 'b' }])
    expect(decide(situation(view, { isGone: (process) => process === 'b' })).remove).toMatchObject([{ id: 'b' }])
  })

  it('who beats is heard, and silence is counted from what we saw ourselves', () => {
    const view = viewOf(['a', 'b'], free())
    const heard = new Map([['b', { beats: 0, since: 1_000 }]])
    expect(decide(situation(view, { heard, now: 9_000 })).heard.get('b')).toEqual({ beats: 1, since: 9_000 })
    // After a beat of our own that failed, nothing is remembered.
    expect(decide(situation(view, { now: 9_000 })).remove).toEqual([])
  })
})

// ---- many instances, one database, pauses ------------------------------------------------------------------

interface Node {
  id: string
  heard: ReadonlyMap<string, Heard>
  heldUntil: number
  /** Does nothing before this moment, as if the machine slept. */
  asleepUntil: number
  ended: boolean
  owned: Set<number>
}

/** The database, and instances that act one after the other: what each transaction of theirs does. */
function world(count: number, margin: number) {
  const owners: (string | null)[] = free()
  const rows = new Map<string, number>()
  const nodes: Node[] = []
  let made = 0
  const join = () => {
    const id = `n${made++}`
    rows.set(id, 0)
    nodes.push({ id, heard: new Map(), heldUntil: -1, asleepUntil: 0, ended: false, owned: new Set() })
  }
  for (let index = 0; index < count; index++) join()

  function beat(node: Node, now: number, isDown: boolean): void {
    if (isDown) {
      node.heard = new Map()
      return
    }
    const beats = rows.get(node.id)
    if (beats === undefined) {
      node.ended = true
      return
    }
    rows.set(node.id, beats + 1)
    node.heldUntil = now + LEASE - margin
    const members = [...rows].map(([id, seen]) => ({ id, process: id, version: '1', beats: seen, takes: true }))
    const view: ClusterView = { members, shares: owners.map((owner, part) => ({ part, owner })), clockAhead: 0 }
    const decision = decide({ ...situation(view), me: node.id, heard: node.heard, now })
    node.heard = decision.heard
    for (const { id, beats: seen } of decision.remove) {
      if (rows.get(id) !== seen) continue
      rows.delete(id)
      for (const part of owners.keys()) if (owners[part] === id) owners[part] = null
    }
    for (let taken = 0; taken < decision.take; taken++) {
      const part = owners.indexOf(null)
      if (part === -1) break
      owners[part] = node.id
      node.owned.add(part)
    }
    for (const part of decision.give) {
      owners[part] = null
      node.owned.delete(part)
    }
  }
  /** How many instances would begin work for the same share now, at most. */
  function mostWorkers(now: number): number {
    const working = nodes.filter((node) => !node.ended && now < node.heldUntil && now >= node.asleepUntil)
    const all = working.flatMap((node) => [...node.owned])
    return all.length > new Set(all).size ? 2 : 1
  }
  return { nodes, owners, join, beat, mostWorkers }
}

describe('five instances with pauses, ends and a database that goes away', () => {
  const happening = fc.record({
    at: fc.integer({ min: 0, max: 60_000 }),
    who: fc.nat(4),
    what: fc.constantFrom('sleep', 'end', 'join', 'down'),
    ms: fc.integer({ min: 100, max: 15_000 }),
  })
  const live = (margin: number) => {
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 12 }), (happenings) => {
        const { nodes, owners, join, beat, mostWorkers } = world(5, margin)
        let downUntil = 0
        let quietSince = 0
        for (let now = 0; now < 80_000; now += 100) {
          for (const { what, who, ms } of happenings.filter(({ at }) => at >= now && at < now + 100)) {
            quietSince = Math.max(quietSince, now + ms)
            const node = nodes.filter(({ ended }) => !ended)[who % 5]
            if (what === 'down') downUntil = now + ms
            else if (what === 'join') join()
            else if (node && what === 'sleep') node.asleepUntil = now + ms
            else if (node && nodes.filter(({ ended }) => !ended).length > 1) node.ended = true
          }
          for (const [index, node] of nodes.entries()) {
            const turn = (now + index * 100) % BEAT === 0
            if (turn && !node.ended && now >= node.asleepUntil) beat(node, now, now < downUntil)
          }
          expect(mostWorkers(now)).toBeLessThan(2)
          if (now > quietSince + LEASE + 3 * BEAT) expect(owners).not.toContain(null)
        }
      }),
      { numRuns: 40, seed: 1, endOnFailure: true },
    )
  }

  it('no share has two workers, and each has one again within a lease and two beats', () => live(MARGIN), 60_000)

  it('the same would be noticed if an instance worked on after its lease', () => {
    expect(() => live(-3 * BEAT)).toThrow('Property failed')
  })
})
