// Keeps the database file within its budget: measures, steps up and down the levels, and frees space in small steps.
import type { App } from '#app/context/app-context.ts'
import type { SpaceSigns } from '#app/domain/process-signs.ts'
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
import type { Millis } from '#app/lib/clock.ts'
import { minutes } from '#app/lib/duration.ts'
import { pause } from '#app/lib/turns.server.ts'
import type { SpaceUsed } from '#db/store/operations.ts'

type SpaceApp = Pick<App, 'store' | 'clock' | 'log'>

export interface SpaceLadder extends Space {
  /**
   * One round: measures, weighs accounts, frees space as the level requires. A call during a round joins it. `signal`
   * ends it early.
   */
  relieve(signal?: AbortSignal): Promise<void>
  /** The half of a round that only looks: measures, and weighs the accounts. */
  follow(signal?: AbortSignal): Promise<SpaceUsed>
  /** Measures without acting. */
  measure(): Promise<SpaceSigns>
  status(): SpaceSigns
}

/** A larger step slows down incoming events (measured for retention). */
const ROWS_PER_STEP = 100
const ROWS_WEIGHED_PER_STEP = 250
const PAGES_PER_STEP = 128
const PAUSE_MS = 20
/** Weights grow as events arrive; after this long they are measured again and failed removals are retried. */
const WEIGHED_FOR = minutes(30)
const LONGEST_LOG = 64 * 1024 * 1024
const LOG_WAIT_MS = 50
/** Approximate bytes of an event besides its body. */
const EVENT_BYTES = 800
/** Measures again after this part of the budget has come in, without waiting for the next round. */
const MEASURED_EVERY = 1 / 400

export function createSpaceLadder(app: SpaceApp, budgetBytes: number): SpaceLadder {
  const { store, log } = app
  const scales = createScales(app)
  let level: SpaceLevel = 'enough'
  let switches = switchesOf(level)
  let usedBytes = 0
  /** Bytes being written to the file, and bytes written since the last measurement. */
  let reserved = 0
  let takenIn = 0
  /** Maximum per account, compared with its known bytes times `perByte`. */
  let allowed = NO_LIMIT

  const accountsOverShare = () => overShare(scales.weighing()?.bytes ?? new Map(), usedBytes, budgetBytes)

  const status = (): SpaceSigns => ({
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

  async function follow(signal?: AbortSignal): Promise<SpaceUsed> {
    const used = await measure()
    if (level === 'enough') scales.forgetArrivals()
    else {
      const weighedAt = scales.weighing()?.at ?? Number.NEGATIVE_INFINITY
      if (app.clock.now() - weighedAt >= WEIGHED_FOR) await scales.weigh(signal)
      await measure()
    }
    return used
  }

  const relieveOnce = createRelief(app, { scales, follow, measure, accountsOverShare, level: () => level })
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
    follow,
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

/** Tracks how much of the file each account uses. */
function createScales({ store, clock }: SpaceApp) {
  let weighing: { at: Millis; bytes: Map<string, number> } | null = null
  /** How far accounts have been trimmed since they were weighed: the next step starts there. */
  const shortened = { bodies: new Map<string, number>(), log: new Map<string, number>() }
  /** Recent bytes per account while there are no weights: enough to find the source of a flood. */
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
      if (from !== null) await pause(clock, PAUSE_MS)
    }
    arrived = new Map()
    weighing = { at: clock.now(), bytes }
    shortened.bodies.clear()
    shortened.log.clear()
  }

  const bytes = () => weighing?.bytes ?? arrived
  return {
    /** Null = not weighed, because there is enough space. */
    weighing: () => weighing,
    /** By account, where known. */
    bytes,
    shortened,
    add(accountUuid: string, more: number): void {
      bytes().set(accountUuid, Math.max(0, (bytes().get(accountUuid) ?? 0) + more))
    },
    /** A call during a weighing joins it. */
    weigh(signal?: AbortSignal): Promise<void> {
      running ??= weighOnce(signal).finally(() => {
        running = null
      })
      return running
    },
    drop(): void {
      weighing = null
    },
    /** Halves the totals each round, so recent arrivals count most. */
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
  follow(signal?: AbortSignal): Promise<SpaceUsed>
  measure(): Promise<SpaceUsed>
  accountsOverShare(): ReturnType<typeof overShare>
  level(): SpaceLevel
}

/** One round: frees space as the level requires. */
function createRelief(
  { store, clock, log }: SpaceApp,
  { scales, follow, measure, accountsOverShare, level }: ReliefParts,
) {
  const switches = () => switchesOf(level())
  const shortenings = {
    bodies: {
      isWanted: () => switches().shortenBodies,
      keptFor: () => shortBodies(switches()),
      step: store.ops.shortenBodiesStep,
    },
    log: { isWanted: () => switches().shortenLog, keptFor: () => SHORT_LOG, step: store.ops.shortenLogStep },
  }

  /** Trims accounts one by one, the largest first: each down to its share, until there is enough space. */
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
    for (let done = false; !done && left > share && isWanted() && !signal?.aborted; await pause(clock, PAUSE_MS)) {
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
      await pause(clock, PAUSE_MS)
      const left = (await measure()).freeBytes
      if (left >= freeBytes) return
      freeBytes = left
    }
  }

  return async (signal?: AbortSignal): Promise<void> => {
    const { walBytes } = await follow(signal)
    if (walBytes !== null && walBytes > LONGEST_LOG && !(await store.ops.emptyLog(LOG_WAIT_MS))) {
      log.warn({ walBytes }, 'space.log_held_by_a_reader')
    }
    if (!switches().shortenBodies) return
    let removed = await shorten('bodies', signal)
    if (switches().shortenLog) removed += await shorten('log', signal)
    if (removed > 0) await giveBack(signal)
  }
}
