// Several instances on one database: each works for the accounts of its shares. A share has one owner; nobody takes one
// from a living owner; an instance that was removed ends. (docs/decisions/0048)
import type { Cluster, ClusterView, Member } from '#db/store/cluster.ts'
import type { Clock, Millis } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { MakeOwnership, OwnershipUse } from './ownership.ts'
import { createSteadyLoop } from './steady-loop.server.ts'

export interface SharesInput {
  cluster: Cluster
  clock: Clock
  log: Log
  /** ms on a clock of this machine that nobody sets. */
  elapsed(): number
  isGone(process: string): boolean
  /** The others have removed this instance: nothing new begins, and the process has to end. */
  onGone(): void
  timing?: Partial<SharesTiming>
}

interface SharesTiming {
  beatMs: number
  /** Silence of this length, and the others remove us. */
  leaseMs: number
  /** We stop this much earlier. */
  marginMs: number
}

/** Null = the database has not answered for a lease: nothing is known of the others. */
interface SharesStatus {
  /** Instances that live, this one included. */
  members: number | null
  /** Shares that this instance works for. */
  owned: number
  /** Shares that nobody works for. */
  unowned: number | null
  /** How far the database's clock is ahead of this machine's, in ms. */
  clockAhead: number | null
  lastBeatAt: Millis | null
}

export type Shares = ReturnType<typeof createShares>

/** From here on, the difference of two clocks is told in the log. ms */
const CLOCK_DIFFERS = 2_000
const SHARES_TIMING: SharesTiming = { beatMs: 1_000, leaseMs: 5_000, marginMs: 1_000 }
/** The clock moves by at most this much at a beat, towards the database's. ms */
const LARGEST_NUDGE = 100
/** The share whose owner does what one instance does for all. */
const FIRST = 0

export function createShares(input: SharesInput) {
  const { cluster, clock, log } = input
  const uses = new Set<OwnershipUse>()
  const holdings = createHoldings(input, uses)
  let toGive: readonly number[] = []
  let leaving = false

  const beats = createBeats(input, holdings, {
    takes: () => uses.size > 0 && !leaving,
    onBeat(give) {
      toGive = give
      work.wake()
    },
  })
  // Apart from the beats, because looking through a share and ending its work take time.
  const work = createSteadyLoop({
    ...{ name: 'shares.work', clock, log, ceilingMs: SHARES_TIMING.beatMs },
    async run() {
      if (beats.isGone()) return null
      await holdings.lookThrough()
      await holdings.giveUp(toGive)
      return null
    },
  })

  const ownership: MakeOwnership = (use) => ({
    start() {
      uses.add(use)
      holdings.lookAgain()
      beats.wake()
      work.wake()
    },
    holds: beats.holds,
    owns: holdings.owns,
    async release() {
      uses.delete(use)
    },
    lastRunAt: beats.lastRunAt,
    turns: beats.turns,
  })
  return {
    cluster,
    ownership,
    start() {
      work.start()
      beats.start()
    },
    /** Does this instance do what only one of all does? */
    leads: () => beats.holds() && holdings.has(FIRST),
    /** Is no other instance known? */
    alone: () => beats.view().members.length <= 1,
    owns: holdings.owns,
    /** May this instance begin work, and does it live in the eyes of the others? */
    holds: beats.holds,
    /** How many beats have ended, successful or not: while it grows, the loop is alive. */
    turns: beats.turns,
    status(): SharesStatus {
      const lastBeatAt = beats.lastRunAt()
      if (!beats.holds()) return { members: null, owned: 0, unowned: null, clockAhead: null, lastBeatAt }
      const { members, shares, clockAhead } = beats.view()
      const unowned = shares.filter(({ owner }) => owner === null).length
      return { members: members.length, owned: holdings.count(), unowned, clockAhead, lastBeatAt }
    },
    /** Gives everything up as soon as possible; work under way goes on. */
    beginLeave() {
      leaving = true
      toGive = holdings.parts()
      // The others count without us from this beat on.
      beats.wake()
      work.wake()
    },
    /** Is no member any more. */
    async leave() {
      await beats.stop()
      await work.stop()
      if (beats.isGone()) return
      // Without this, the others notice our silence.
      await cluster.leave().catch((error: unknown) => log.warn({ error }, 'member.not_left'))
      cluster.ring('shares')
    },
  }
}

interface BeatPorts {
  takes(): boolean
  /** After each beat that succeeded. `give`: shares beyond our part. */
  onBeat(give: readonly number[]): void
}

/** Says that this instance lives, and watches whether the others do. */
function createBeats(input: SharesInput, holdings: Holdings, { takes, onBeat }: BeatPorts) {
  const { cluster, clock, log, elapsed } = input
  const { beatMs, leaseMs, marginMs } = { ...SHARES_TIMING, ...input.timing }
  let heard: ReadonlyMap<string, Heard> = new Map()
  let view: ClusterView = { members: [], shares: [], clockAhead: 0 }
  let heldUntil = Number.NEGATIVE_INFINITY
  let gone = false
  let clockDiffers = false

  async function beat(): Promise<Millis | null> {
    const began = elapsed()
    const epoch = holdings.epoch()
    const seen = await cluster.beat(takes())
    if (!seen) return end()
    view = seen
    noteClock(seen.clockAhead)
    // Slowly: for nobody here does time stand still or go back.
    clock.nudge?.(Math.max(-LARGEST_NUDGE, Math.min(seen.clockAhead, LARGEST_NUDGE)))
    heldUntil = began + leaseMs - marginMs
    holdings.agreeWith(seen, epoch)
    const situation = { me: cluster.me, view, heard, leaseMs, now: elapsed(), takes: takes(), isGone: input.isGone }
    const decision = decide(situation)
    heard = decision.heard
    const removed = await Promise.all(decision.remove.map(remove))
    if (decision.take > 0) holdings.have(await cluster.take(decision.take))
    onBeat(decision.give)
    // What a removed member leaves is shared out at once.
    return clock.now() + (removed.includes(true) ? 0 : untilNextBeat())
  }

  /** Whoever stays silent is removed when the lease ends, not up to a beat later. */
  function untilNextBeat(): number {
    const ends = Math.min(...[...heard.values()].map(({ since }) => since)) + leaseMs - elapsed()
    return ends > 0 ? Math.min(beatMs, Math.ceil(ends) + 1) : beatMs
  }

  /** Once per change. */
  function noteClock(clockAhead: number): void {
    const differs = Math.abs(clockAhead) > CLOCK_DIFFERS
    if (differs === clockDiffers) return
    clockDiffers = differs
    const fields = { aheadMs: clockAhead }
    if (differs) log.warn(fields, 'clock.differs')
    else log.info(fields, 'clock.agrees')
  }

  /** Waits for its acts under way. One that does not end is asked for again at the next beat. */
  async function remove(member: Member): Promise<boolean> {
    try {
      const done = await cluster.remove(member)
      if (done) log.warn({ member: member.id }, 'member.removed')
      return done
    } catch (error) {
      log.warn({ member: member.id, error }, 'member.not_removed')
      return false
    }
  }

  function end(): null {
    gone = true
    log.error({ member: cluster.me }, 'member.gone')
    void loop.stop()
    input.onGone()
    return null
  }

  const loop = createSteadyLoop({
    ...{ name: 'shares.beat', clock, log, ceilingMs: beatMs },
    async run() {
      try {
        return await beat()
      } catch (error) {
        // Who did not see cannot say that somebody was silent.
        heard = new Map()
        throw error
      }
    },
  })
  cluster.onRing((topic) => {
    if (topic === 'shares') loop.wake()
  })
  return { ...loop, view: () => view, isGone: () => gone, holds: () => !gone && elapsed() < heldUntil }
}

type Holdings = ReturnType<typeof createHoldings>

/** The shares of this instance. */
function createHoldings({ cluster, log }: SharesInput, uses: ReadonlySet<OwnershipUse>) {
  /** Ours, and not being given up. */
  const owned = new Set<number>()
  /** Ours, and not yet looked through. */
  const fresh = new Set<number>()
  /** Grows with each change of ours: a view that was read before says nothing about it. */
  let epoch = 0
  let giving = false

  const owns = (account: string) => owned.has(cluster.shareOf(account))

  function have(parts: readonly number[]): void {
    if (parts.length === 0) return
    epoch++
    for (const part of parts) {
      owned.add(part)
      fresh.add(part)
    }
    log.info({ shares: parts.length, owned: owned.size }, 'shares.taken')
  }

  return {
    owns,
    have,
    has: (part: number) => owned.has(part),
    count: () => owned.size,
    parts: () => [...owned],
    epoch: () => epoch,
    /** An answer that got lost, or a database that has forgotten commits: what it says now is true. */
    agreeWith({ shares }: ClusterView, readAt: number): void {
      if (readAt !== epoch || giving) return
      const ours = new Set(shares.filter(({ owner }) => owner === cluster.me).map(({ part }) => part))
      for (const part of owned) if (!ours.has(part)) owned.delete(part)
      have([...ours].filter((part) => !owned.has(part)))
    },
    lookAgain(): void {
      for (const part of owned) fresh.add(part)
    },
    /** Tells the engines of the beat, and of accounts that are new to them. */
    async lookThrough(): Promise<void> {
      const taken = new Set(fresh)
      const areNew = taken.size > 0 ? (account: string) => taken.has(cluster.shareOf(account)) : null
      for (const use of uses) await use.onHeld(areNew)
      if (taken.size === 0) return
      await cluster.lookedThrough([...taken])
      for (const part of taken) fresh.delete(part)
    },
    async giveUp(given: readonly number[]): Promise<void> {
      const parts = given.filter((part) => owned.has(part))
      if (parts.length === 0) return
      giving = true
      try {
        for (const part of parts) {
          owned.delete(part)
          fresh.delete(part)
        }
        await Promise.all([...uses].map((use) => use.giveUp(owns)))
        await cluster.give(parts)
        log.info({ shares: parts.length, owned: owned.size }, 'shares.given')
        cluster.ring('shares')
      } finally {
        epoch++
        giving = false
      }
    },
  }
}

// Who works for whose accounts, decided by each instance for itself. No clock, no I/O: spans are given.

/** What an instance remembers of another one. */
export interface Heard {
  beats: number
  /** On our own clock: since when `beats` has not changed. */
  since: number
}

interface Decision {
  /** Members that were silent for a whole lease, or whose process has ended. */
  remove: Member[]
  /** How many free shares to take. */
  take: number
  /** Shares to give up: more than our part. */
  give: number[]
  /** What to remember until the next beat. */
  heard: Map<string, Heard>
}

interface Situation {
  me: string
  view: ClusterView
  /** From the beat before. Empty after a beat that failed: who did not see cannot say that somebody was silent. */
  heard: ReadonlyMap<string, Heard>
  /** On our own clock, in ms. */
  now: number
  leaseMs: number
  /** False = this instance starts, ends or is held. */
  takes: boolean
  /** Is that process known to have ended? */
  isGone(process: string): boolean
}

export function decide({ me, view, heard, now, leaseMs, takes, isGone }: Situation): Decision {
  const others = view.members.filter(({ id }) => id !== me)
  const hearing = new Map<string, Heard>()
  for (const { id, beats } of others) {
    const before = heard.get(id)
    hearing.set(id, before?.beats === beats ? before : { beats, since: now })
  }
  const silent = ({ id }: Member) => now - (hearing.get(id)?.since ?? now) >= leaseMs
  const remove = others.filter((member) => silent(member) || isGone(member.process))
  const alive = others.filter((member) => member.takes && !remove.includes(member)).length + (takes ? 1 : 0)
  const fair = takes ? Math.ceil(view.shares.length / alive) : 0
  const ours = view.shares.filter(({ owner }) => owner === me).map(({ part }) => part)
  return {
    remove,
    take: Math.max(0, fair - ours.length),
    give: ours.slice(fair),
    heard: hearing,
  }
}
