// The account's share of calls, held in memory and checked before every exchange. A new process reads the calls of its
// predecessor's last minute, so that a restart does not double the share.
import type { CallGate, CallPriority } from '#app/adapters/platform.ts'
import {
  CALLS_IN_WINDOW,
  type CallCount,
  type CallsLeft,
  callsLeft,
  countFrom,
  judgeCall,
  noCalls,
  noteCall,
  WINDOW,
  WORTH_WAITING,
  waitSentence,
} from '#app/domain/call-budget.ts'
import { dayOf } from '#app/domain/local-time.ts'
import type { Clock, Millis } from '#app/lib/clock.ts'
import type { Log } from '#app/lib/log.ts'
import type { ActivityStore } from '#db/store/activity.ts'

interface BudgetDependencies {
  clock: Clock
  log: Log
  /** Without it, every account begins with a full share. */
  store: Partial<Pick<ActivityStore, 'recentApiCalls'>>
}

export interface CallBudget {
  gateOf(accountUuid: string, priority: CallPriority): CallGate
  /** Calls that the account with the fewest left may make now for a person. Uncalled accounts have a full share. */
  leastLeft(): number
  /** What is left of the account's share. Before its first call here, read from the predecessor's records. */
  leftOf(accountUuid: string): Promise<CallsLeft>
}

export function createCallBudget(app: BudgetDependencies): CallBudget {
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
    const now = app.clock.now()
    try {
      const known = await app.store.recentApiCalls?.(accountUuid, { since: now - WINDOW, day: dayOf(now) })
      return known ? countFrom(known, app.clock.now()) : noCalls(now)
    } catch (error) {
      // Continue: the platform's own limit still applies.
      app.log.warn({ account: accountUuid, error }, 'budget.not_read')
      return noCalls(now)
    }
  }

  return {
    async leftOf(accountUuid) {
      return callsLeft(await (counts.get(accountUuid) ?? load(accountUuid)), app.clock.now())
    },
    gateOf: (accountUuid, priority) => ({
      async admit() {
        const count = await countOf(accountUuid)
        for (;;) {
          const now = app.clock.now()
          const judged = judgeCall(count, priority, now)
          if (judged.verdict === 'go') {
            noteCall(count, now)
            return null
          }
          if (judged.until - now > WORTH_WAITING) {
            const message = waitSentence(judged.why)
            app.log.info({ account: accountUuid, priority, why: judged.why, until: judged.until }, 'budget.spent')
            return { outcome: 'rate_limited', status: 429, message, retryAt: judged.until }
          }
          await sleepUntil(app.clock, judged.until)
        }
      },
      limited(until) {
        void countOf(accountUuid).then((count) => {
          count.pausedUntil = Math.max(count.pausedUntil, until)
        })
      },
    }),
    leastLeft() {
      const now = app.clock.now()
      const left = [...loaded].map((count) => {
        const { minute, day, pausedUntil } = callsLeft(count, now)
        return pausedUntil === null ? Math.min(minute, day) : 0
      })
      return left.reduce((least, one) => Math.min(least, one), CALLS_IN_WINDOW.screen)
    },
  }
}

function sleepUntil(clock: Clock, until: Millis): Promise<void> {
  return new Promise((resolve) => {
    clock.wake(until, resolve)
  })
}
