// The account's share of calls, checked before every exchange. One process counts in memory, and begins with the calls of
// its predecessor's last minute, so that a restart does not double the share. Several count in a row of the database.
import type { CallGate, CallPriority } from '#app/adapters/platform.ts'
import {
  CALLS_A_DAY,
  CALLS_IN_WINDOW,
  type CallCount,
  type CallsLeft,
  type CallVerdict,
  callsLeft,
  countFrom,
  judgeCall,
  noCalls,
  noteCall,
  WAIT_SENTENCES,
  WINDOW,
  WORTH_WAITING,
} from '#app/domain/call-budget.ts'
import { dayOf } from '#app/domain/time/local-time.ts'
import type { Clock, Millis } from '#app/lib/clock.ts'
import type { Log } from '#app/lib/log.ts'
import { pause } from '#app/lib/turns.server.ts'
import type { ActivityStore } from '#db/store/activity.ts'
import type { CallRows } from '#db/store/shared.ts'

interface BudgetDependencies {
  clock: Clock
  log: Log
  /** Without it, every account begins with a full share. */
  store: Partial<Pick<ActivityStore, 'recentApiCalls'>>
  /** Where several instances count. Missing = this process counts in memory. */
  callRows?: CallRows | undefined
}

export interface CallBudget {
  gateOf(accountUuid: string, priority: CallPriority): CallGate
  /** Calls that the account with the fewest left may make now for a person. Uncalled accounts have a full share. */
  leastLeft(): Promise<number>
  /** What is left of the account's share. Before its first call here, read from the predecessor's records. */
  leftOf(accountUuid: string): Promise<CallsLeft>
}

/** Where calls are counted. Times are of our own clock. */
interface Counts {
  /** Counts a call when it may be made. */
  take(accountUuid: string, priority: CallPriority): Promise<CallVerdict>
  pause(accountUuid: string, until: Millis): Promise<void>
  left(accountUuid: string): Promise<CallsLeft>
  /** Of the accounts that were counted. */
  leftOfAll(): Promise<CallsLeft[]>
}

type Known = NonNullable<Awaited<ReturnType<ActivityStore['recentApiCalls']>>>
/** The calls of the last window that were recorded; null = unknown. */
type ReadKnown = (accountUuid: string) => Promise<Known | null>

export function createCallBudget(app: BudgetDependencies): CallBudget {
  const { clock } = app
  const counts = app.callRows ? countsInRows(clock, known, app.callRows) : countsInMemory(clock, known)

  async function known(accountUuid: string): Promise<Known | null> {
    const now = clock.now()
    try {
      return (await app.store.recentApiCalls?.(accountUuid, { since: now - WINDOW, day: dayOf(now) })) ?? null
    } catch (error) {
      // Continue: the platform's own limit still applies.
      app.log.warn({ account: accountUuid, error }, 'budget.not_read')
      return null
    }
  }

  return {
    leftOf: counts.left,
    gateOf: (accountUuid, priority) => ({
      async admit() {
        for (;;) {
          const judged = await counts.take(accountUuid, priority)
          if (judged.verdict === 'go') return null
          if (judged.until - clock.now() > WORTH_WAITING) {
            const message = WAIT_SENTENCES[judged.why]
            app.log.info({ account: accountUuid, priority, why: judged.why, until: judged.until }, 'budget.spent')
            return { outcome: 'rate_limited', status: 429, message, retryAt: judged.until }
          }
          await pause(clock, judged.until - clock.now())
        }
      },
      limited(until) {
        counts.pause(accountUuid, until).catch((error: unknown) => {
          app.log.warn({ account: accountUuid, error }, 'budget.pause_not_noted')
        })
      },
    }),
    async leastLeft() {
      const left = (await counts.leftOfAll()).map(({ minute, day, pausedUntil }) =>
        pausedUntil === null ? Math.min(minute, day) : 0,
      )
      return left.reduce((least, one) => Math.min(least, one), CALLS_IN_WINDOW.screen)
    },
  }
}

function countsInMemory(clock: Clock, known: ReadKnown): Counts {
  const counts = new Map<string, Promise<CallCount>>()
  /** The counts that have finished loading. */
  const loaded = new Set<CallCount>()

  function countOf(accountUuid: string): Promise<CallCount> {
    const counted = counts.get(accountUuid)
    if (counted) return counted
    const loading = load(accountUuid)
    void loading.then((count) => loaded.add(count))
    counts.set(accountUuid, loading)
    return loading
  }

  async function load(accountUuid: string): Promise<CallCount> {
    const now = clock.now()
    const calls = await known(accountUuid)
    return calls ? countFrom(calls, clock.now()) : noCalls(now)
  }

  return {
    async take(accountUuid, priority) {
      const count = await countOf(accountUuid)
      const now = clock.now()
      const judged = judgeCall(count, priority, now)
      if (judged.verdict === 'go') noteCall(count, now)
      return judged
    },
    async pause(accountUuid, until) {
      const count = await countOf(accountUuid)
      count.pausedUntil = Math.max(count.pausedUntil, until)
    },
    async left(accountUuid) {
      return callsLeft(await (counts.get(accountUuid) ?? load(accountUuid)), clock.now())
    },
    async leftOfAll() {
      return [...loaded].map((count) => callsLeft(count, clock.now()))
    },
  }
}

/** The rows' clock need not be ours: only spans cross over. */
function countsInRows(clock: Clock, known: ReadKnown, rows: CallRows): Counts {
  async function begin(accountUuid: string): Promise<void> {
    await rows.beginCalls(accountUuid, (await known(accountUuid)) ?? { at: [], inDay: 0 })
  }

  return {
    async take(accountUuid, priority) {
      const limits = { inWindow: CALLS_IN_WINDOW[priority], inDay: CALLS_A_DAY[priority] }
      for (;;) {
        if (await rows.takeCall(accountUuid, limits)) return { verdict: 'go' }
        const count = await rows.findCalls(accountUuid)
        if (!count) {
          await begin(accountUuid)
          continue
        }
        const judged = judgeCall(count, priority, count.now)
        if (judged.verdict === 'wait') return { ...judged, until: judged.until - count.now + clock.now() }
      }
    },
    async pause(accountUuid, until) {
      await begin(accountUuid)
      await rows.pauseCalls(accountUuid, until - clock.now())
    },
    async left(accountUuid) {
      const count = await rows.findCalls(accountUuid)
      if (count) return ofOurs(callsLeft(count, count.now), count.now)
      const calls = await known(accountUuid)
      return callsLeft(calls ? countFrom(calls, clock.now()) : noCalls(clock.now()), clock.now())
    },
    async leftOfAll() {
      return (await rows.recentCounts()).map((count) => callsLeft(count, count.now))
    },
  }

  function ofOurs(left: CallsLeft, now: Millis): CallsLeft {
    return { ...left, pausedUntil: left.pausedUntil === null ? null : left.pausedUntil - now + clock.now() }
  }
}
