// The account's share of calls, kept in memory and asked before every exchange. A process that starts reads what its predecessor
// did in the last minute, so that a restart does not double the share.
import type { CallGate, CallPriority } from '#app/adapters/platform.ts'
import type { Clock, Millis } from '#app/lib/clock.ts'
import type { Log } from '#app/lib/log.ts'
import type { ActivityStore } from '#db/store/activity.ts'
import {
  type CallCount,
  countFrom,
  dayOf,
  judgeCall,
  noCalls,
  noteCall,
  WINDOW,
  WORTH_WAITING,
  waitSentence,
} from './call-budget.ts'

interface BudgetDependencies {
  clock: Clock
  log: Log
  /** Absent: every account begins with a full share. */
  store: Partial<Pick<ActivityStore, 'recentApiCalls'>>
}

export interface CallBudget {
  gateOf(accountUuid: string, priority: CallPriority): CallGate
}

export function createCallBudget(app: BudgetDependencies): CallBudget {
  const counts = new Map<string, Promise<CallCount>>()

  function countOf(accountUuid: string): Promise<CallCount> {
    const known = counts.get(accountUuid)
    if (known) return known
    const loading = load(accountUuid)
    counts.set(accountUuid, loading)
    return loading
  }

  async function load(accountUuid: string): Promise<CallCount> {
    const now = app.clock.now()
    try {
      const known = await app.store.recentApiCalls?.(accountUuid, { since: now - WINDOW, day: dayOf(now) })
      return known ? countFrom(known, app.clock.now()) : noCalls(now)
    } catch (error) {
      // The platform's own limit still stands behind this one.
      app.log.warn({ account: accountUuid, error }, 'budget.not_read')
      return noCalls(now)
    }
  }

  return {
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
  }
}

function sleepUntil(clock: Clock, until: Millis): Promise<void> {
  return new Promise((resolve) => {
    clock.wake(until, resolve)
  })
}
