// Keeps the file within its budget: measures, climbs the ladder and comes down again, and makes room in small steps.

import type { App } from '#app/context/app-context.ts'
import {
  type Admission,
  nextLevel,
  overShare,
  reaches,
  SHORT_LOG,
  type Space,
  type SpaceLevel,
  shareOfArrivals,
  shortBodies,
  spaceSentence,
  switchesOf,
} from '#app/domain/space.ts'
import type { SpaceUsed } from '#db/store/operations.ts'
import type { ShortenStep } from '#db/store/space.ts'
import { minutes } from '../../lib/duration.ts'

type SpaceApp = Pick<App, 'store' | 'clock' | 'log'>

interface SpaceStatus {
  level: SpaceLevel
  /** Bytes that hold something, and how many there may be. */
  usedBytes: number
  budgetBytes: number
  /** Accounts over their share; null = nobody has been weighed, because there is room. */
  overShare: number | null
  sentence: string
}

export interface SpaceLadder extends Space {
  /**
   * One round: measure, weigh, make room as far as the level asks for it. Asked for during a round, it is that round. `signal`
   * ends it early.
   */
  relieve(signal?: AbortSignal): Promise<void>
  /** Measures, without acting. */
  measure(): Promise<SpaceStatus>
  status(): SpaceStatus
}

/** More in one step is felt by whoever sends events meanwhile (measured for retention). */
const ROWS_PER_STEP = 100
const ROWS_WEIGHED_PER_STEP = 250
const PAGES_PER_STEP = 128
const PAUSE_MS = 20
/** Weights are added to as events come in; this often they are taken anew, and what could not be removed is tried again. */
const WEIGHED_FOR = minutes(30)
const LONGEST_LOG = 64 * 1024 * 1024
const LOG_WAIT_MS = 50
/** About what an event takes besides its body. */
const EVENT_BYTES = 800
/** After so many parts of the budget have come in, it is measured again, without waiting for the next round. */
const MEASURED_EVERY = 1 / 400

export function createSpaceLadder({ store, clock, log }: SpaceApp, budgetBytes: number): SpaceLadder {
  let level: SpaceLevel = 'enough'
  let switches = switchesOf(level)
  let usedBytes = 0
  /** Bytes on their way into the file, and those that got there since it was measured. */
  let reserved = 0
  let takenIn = 0
  /** Bytes by account; null = not known. */
  let weights: Map<string, number> | null = null
  let weighedAt = 0
  /** Bytes that each account brought lately, while there are no weights: enough to know who brings a flood. */
  let arrived = new Map<string, number>()
  /** What an account may have, in `perByte` times what is known of it. */
  let allowed = { share: Number.POSITIVE_INFINITY, perByte: 1 }
  /** How far the accounts have been shortened. */
  const reached = { bodies: new Map<string, number>(), log: new Map<string, number>() }

  async function measure(): Promise<SpaceUsed> {
    takenIn = 0
    const used = await store.ops.spaceUsed()
    usedBytes = used.fileBytes - used.freeBytes
    const next = nextLevel(level, usedBytes, budgetBytes)
    if (next !== level) {
      const climbs = !reaches(level, next)
      level = next
      switches = switchesOf(level)
      log[climbs ? 'warn' : 'info'](
        { level, usedBytes, budgetBytes, sentence: spaceSentence(level, usedBytes, budgetBytes) },
        climbs ? 'space.shorter' : 'space.returned',
      )
    }
    if (level === 'enough') weights = null
    if (switches.refuseOverShare && !weights) weighSoon()
    allowed = allowance()
    return used
  }

  function allowance(): typeof allowed {
    if (!reaches(level, 'lean')) return { share: Number.POSITIVE_INFINITY, perByte: 1 }
    if (!weights) return { share: shareOfArrivals([...arrived.values()], usedBytes, budgetBytes), perByte: 1 }
    let total = 0
    for (const weight of weights.values()) total += weight
    return { share: accountsOverShare().share, perByte: total > 0 ? usedBytes / total : 1 }
  }

  const accountsOverShare = () => overShare(weights ?? new Map(), usedBytes, budgetBytes)

  let weighing: Promise<void> | null = null
  function weighOnce(signal?: AbortSignal): Promise<void> {
    weighing ??= weigh(signal).finally(() => {
      weighing = null
    })
    return weighing
  }
  function weighSoon(): void {
    weighOnce().catch((error: unknown) => log.error({ error }, 'space.not_weighed'))
  }

  async function weigh(signal?: AbortSignal): Promise<void> {
    const sums = new Map<string, number>()
    let from: number | null = 0
    while (from !== null) {
      if (signal?.aborted) return
      const step: Awaited<ReturnType<typeof store.ops.weighEventsStep>> = await store.ops.weighEventsStep(
        from,
        ROWS_WEIGHED_PER_STEP,
      )
      for (const { accountUuid, bytes } of step.bytes) sums.set(accountUuid, (sums.get(accountUuid) ?? 0) + bytes)
      from = step.nextSeq
      if (from !== null) await pause()
    }
    weights = sums
    arrived = new Map()
    weighedAt = clock.now()
    reached.bodies.clear()
    reached.log.clear()
  }

  /** Account by account, the biggest first: each until it is within its share, all until there is room. */
  async function shorten(what: 'bodies' | 'log', signal?: AbortSignal): Promise<number> {
    const cursors = reached[what]
    const wanted = () => (what === 'bodies' ? switches.shortenBodies : switches.shortenLog)
    const before = clock.now() - (what === 'bodies' ? shortBodies(switches) : SHORT_LOG)
    const { share, accounts } = accountsOverShare()
    let removed = 0
    for (const { accountUuid, bytes } of accounts) {
      const perWeight = bytes / (weights?.get(accountUuid) ?? 1)
      let left = bytes
      let removedHere = 0
      for (let done = false; !done && left > share && wanted() && !signal?.aborted; await pause()) {
        const from = cursors.get(accountUuid) ?? 0
        const step: ShortenStep =
          what === 'bodies'
            ? await store.ops.shortenBodiesStep(accountUuid, before, from, ROWS_PER_STEP)
            : await store.ops.shortenLogStep(accountUuid, before, from, ROWS_PER_STEP)
        cursors.set(accountUuid, step.nextSeq)
        addWeight(accountUuid, -step.bytes)
        left -= step.bytes * perWeight
        removedHere += step.removed
        done = step.done
        if (step.removed > 0) await measure()
      }
      removed += removedHere
      if (removedHere > 0) log.warn({ accountUuid, what, removed: removedHere }, 'space.shortened')
    }
    return removed
  }

  function addWeight(accountUuid: string, bytes: number): void {
    const known = weights ?? arrived
    known.set(accountUuid, Math.max(0, (known.get(accountUuid) ?? 0) + bytes))
  }

  /** Half of it each round: what counts is who brought how much lately. */
  function forgetArrivals(): void {
    for (const [accountUuid, bytes] of arrived) {
      if (bytes < EVENT_BYTES) arrived.delete(accountUuid)
      else arrived.set(accountUuid, bytes / 2)
    }
  }

  async function giveBack(signal?: AbortSignal): Promise<void> {
    for (let { freeBytes } = await measure(); freeBytes > 0 && !signal?.aborted; ) {
      await store.ops.vacuumStep(PAGES_PER_STEP)
      await pause()
      const left = (await measure()).freeBytes
      if (left >= freeBytes) return
      freeBytes = left
    }
  }

  let round: Promise<void> | null = null
  async function relieveOnce(signal?: AbortSignal): Promise<void> {
    const { walBytes } = await measure()
    if (walBytes > LONGEST_LOG && !(await store.ops.emptyLog(LOG_WAIT_MS))) {
      log.warn({ walBytes }, 'space.log_held_by_a_reader')
    }
    if (level === 'enough') return forgetArrivals()
    if (!weights || clock.now() - weighedAt >= WEIGHED_FOR) await weighOnce(signal)
    await measure()
    if (!switches.shortenBodies) return
    let removed = await shorten('bodies', signal)
    if (switches.shortenLog) removed += await shorten('log', signal)
    if (removed > 0) await giveBack(signal)
  }

  function pause(): Promise<void> {
    return new Promise((resolve) => {
      clock.wake(clock.now() + PAUSE_MS, resolve)
    })
  }

  const status = (): SpaceStatus => ({
    level,
    usedBytes,
    budgetBytes,
    overShare: weights && accountsOverShare().accounts.length,
    sentence: spaceSentence(level, usedBytes, budgetBytes),
  })

  return {
    admit(accountUuid, bytes, events = 1): Admission {
      const added = bytes + events * EVENT_BYTES
      const then = switchesOf(nextLevel(level, usedBytes + takenIn + reserved + added, budgetBytes))
      const known = (weights ?? arrived).get(accountUuid) ?? 0
      if (then.refuseOverShare && (known + added) * allowed.perByte > allowed.share) return 'over_share'
      if (then.refuseAll) return 'full'
      addWeight(accountUuid, added)
      reserved += added
      return 'admitted'
    },
    settled(bytes, events = 1) {
      const added = bytes + events * EVENT_BYTES
      reserved = Math.max(0, reserved - added)
      takenIn += added
      if (takenIn > budgetBytes * MEASURED_EVERY) {
        takenIn = 0
        measure().catch((error: unknown) => log.error({ error }, 'space.not_measured'))
      }
    },
    switches: () => switches,
    isOverShare: (accountUuid) =>
      weights !== null && accountsOverShare().accounts.some((one) => one.accountUuid === accountUuid),
    relieve(signal) {
      round ??= relieveOnce(signal).finally(() => {
        round = null
      })
      return round
    },
    async measure() {
      await measure()
      return status()
    },
    status,
  }
}
