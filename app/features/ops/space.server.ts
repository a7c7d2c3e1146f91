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
import type { Clock, Millis } from '#app/lib/clock.ts'
import { minutes } from '#app/lib/duration.ts'
import type { SpaceUsed } from '#db/store/operations.ts'

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

export function createSpaceLadder(app: SpaceApp, budgetBytes: number): SpaceLadder {
  const { store, log } = app
  const scales = createScales(app)
  let level: SpaceLevel = 'enough'
  let switches = switchesOf(level)
  let usedBytes = 0
  /** Bytes on their way into the file, and those that got there since it was measured. */
  let reserved = 0
  let takenIn = 0
  /** What an account may have, in `perByte` times what is known of it. */
  let allowed = NO_LIMIT

  const accountsOverShare = () => overShare(scales.weighing()?.bytes ?? new Map(), usedBytes, budgetBytes)

  const status = (): SpaceStatus => ({
    level,
    usedBytes,
    budgetBytes,
    overShare: scales.weighing() && accountsOverShare().accounts.length,
    sentence: spaceSentence(level, usedBytes, budgetBytes),
  })

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
        { level, usedBytes, budgetBytes, sentence: status().sentence },
        climbs ? 'space.shorter' : 'space.returned',
      )
    }
    if (level === 'enough') scales.drop()
    if (switches.refuseOverShare && !scales.weighing()) {
      scales.weigh().catch((error: unknown) => log.error({ error }, 'space.not_weighed'))
    }
    allowed = reaches(level, 'lean') ? allowanceOf(scales, usedBytes, budgetBytes) : NO_LIMIT
    return used
  }

  const relieveOnce = createRelief(app, {
    scales,
    measure,
    accountsOverShare,
    level: () => level,
  })
  let round: Promise<void> | null = null

  return {
    admit(accountUuid, bytes, events = 1): Admission {
      const added = bytes + events * EVENT_BYTES
      const then = switchesOf(nextLevel(level, usedBytes + takenIn + reserved + added, budgetBytes))
      const known = scales.bytes().get(accountUuid) ?? 0
      if (then.refuseOverShare && (known + added) * allowed.perByte > allowed.share) return 'over_share'
      if (then.refuseAll) return 'full'
      scales.add(accountUuid, added)
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
      scales.weighing() !== null && accountsOverShare().accounts.some((one) => one.accountUuid === accountUuid),
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

const NO_LIMIT = { share: Number.POSITIVE_INFINITY, perByte: 1 }

function allowanceOf(scales: Scales, usedBytes: number, budgetBytes: number): typeof NO_LIMIT {
  const known = [...scales.bytes().values()]
  if (!scales.weighing()) return { share: shareOfArrivals(known, usedBytes, budgetBytes), perByte: 1 }
  const total = known.reduce((sum, bytes) => sum + bytes, 0)
  const { share } = overShare(scales.bytes(), usedBytes, budgetBytes)
  return { share, perByte: total > 0 ? usedBytes / total : 1 }
}

type Scales = ReturnType<typeof createScales>

/** Knows what each account has in the file. */
function createScales({ store, clock }: SpaceApp) {
  let weighing: { at: Millis; bytes: Map<string, number> } | null = null
  /** How far the accounts have been shortened since they were weighed: where the next step begins. */
  const shortened = { bodies: new Map<string, number>(), log: new Map<string, number>() }
  /** Bytes that each account brought lately, while there are no weights: enough to know who brings a flood. */
  let arrived = new Map<string, number>()
  let running: Promise<void> | null = null

  async function weighOnce(signal?: AbortSignal): Promise<void> {
    const bytes = new Map<string, number>()
    let from: number | null = 0
    while (from !== null) {
      if (signal?.aborted) return
      const step: Awaited<ReturnType<typeof store.ops.weighEventsStep>> = await store.ops.weighEventsStep(
        from,
        ROWS_WEIGHED_PER_STEP,
      )
      for (const one of step.bytes) bytes.set(one.accountUuid, (bytes.get(one.accountUuid) ?? 0) + one.bytes)
      from = step.nextSeq
      if (from !== null) await pause(clock)
    }
    arrived = new Map()
    weighing = { at: clock.now(), bytes }
    shortened.bodies.clear()
    shortened.log.clear()
  }

  const bytes = () => weighing?.bytes ?? arrived
  return {
    /** Null = nobody has been weighed, because there is room. */
    weighing: () => weighing,
    /** By account, as far as it is known. */
    bytes,
    shortened,
    add(accountUuid: string, more: number): void {
      bytes().set(accountUuid, Math.max(0, (bytes().get(accountUuid) ?? 0) + more))
    },
    /** Asked for during a weighing, it is that one. */
    weigh(signal?: AbortSignal): Promise<void> {
      running ??= weighOnce(signal).finally(() => {
        running = null
      })
      return running
    },
    drop(): void {
      weighing = null
    },
    /** Half of it each round: what counts is who brought how much lately. */
    forgetArrivals(): void {
      for (const [accountUuid, brought] of arrived) {
        if (brought < EVENT_BYTES) arrived.delete(accountUuid)
        else arrived.set(accountUuid, brought / 2)
      }
    },
  }
}

interface ReliefParts {
  scales: Scales
  measure(): Promise<SpaceUsed>
  accountsOverShare(): ReturnType<typeof overShare>
  level(): SpaceLevel
}

/** One round: makes room as far as the level asks for it. */
function createRelief({ store, clock, log }: SpaceApp, { scales, measure, accountsOverShare, level }: ReliefParts) {
  const switches = () => switchesOf(level())
  const shortenings = {
    bodies: {
      isWanted: () => switches().shortenBodies,
      keptFor: () => shortBodies(switches()),
      step: store.ops.shortenBodiesStep,
    },
    log: { isWanted: () => switches().shortenLog, keptFor: () => SHORT_LOG, step: store.ops.shortenLogStep },
  }

  /** Account by account, the biggest first: each until it is within its share, all until there is room. */
  async function shorten(what: 'bodies' | 'log', signal?: AbortSignal): Promise<number> {
    const { share, accounts } = accountsOverShare()
    let removed = 0
    for (const account of accounts) {
      const { accountUuid } = account
      const here = await shortenAccount(what, account, share, signal)
      if (here > 0) log.warn({ accountUuid, what, removed: here }, 'space.shortened')
      removed += here
    }
    return removed
  }

  async function shortenAccount(
    what: 'bodies' | 'log',
    { accountUuid, bytes }: { accountUuid: string; bytes: number },
    share: number,
    signal?: AbortSignal,
  ): Promise<number> {
    const { isWanted, keptFor, step: shortenStep } = shortenings[what]
    const before = clock.now() - keptFor()
    const cursors = scales.shortened[what]
    const perWeight = bytes / (scales.bytes().get(accountUuid) ?? 1)
    let left = bytes
    let removed = 0
    for (let done = false; !done && left > share && isWanted() && !signal?.aborted; await pause(clock)) {
      const step = await shortenStep(accountUuid, before, cursors.get(accountUuid) ?? 0, ROWS_PER_STEP)
      cursors.set(accountUuid, step.nextSeq)
      scales.add(accountUuid, -step.bytes)
      left -= step.bytes * perWeight
      removed += step.removed
      done = step.done
      if (step.removed > 0) await measure()
    }
    return removed
  }

  async function giveBack(signal?: AbortSignal): Promise<void> {
    for (let { freeBytes } = await measure(); freeBytes > 0 && !signal?.aborted; ) {
      await store.ops.vacuumStep(PAGES_PER_STEP)
      await pause(clock)
      const left = (await measure()).freeBytes
      if (left >= freeBytes) return
      freeBytes = left
    }
  }

  return async (signal?: AbortSignal): Promise<void> => {
    const { walBytes } = await measure()
    if (walBytes > LONGEST_LOG && !(await store.ops.emptyLog(LOG_WAIT_MS))) {
      log.warn({ walBytes }, 'space.log_held_by_a_reader')
    }
    if (level() === 'enough') return scales.forgetArrivals()
    const weighedAt = scales.weighing()?.at ?? Number.NEGATIVE_INFINITY
    if (clock.now() - weighedAt >= WEIGHED_FOR) await scales.weigh(signal)
    await measure()
    if (!switches().shortenBodies) return
    let removed = await shorten('bodies', signal)
    if (switches().shortenLog) removed += await shorten('log', signal)
    if (removed > 0) await giveBack(signal)
  }
}

function pause(clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    clock.wake(clock.now() + PAUSE_MS, resolve)
  })
}
