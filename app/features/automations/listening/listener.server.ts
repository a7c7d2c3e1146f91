// Looks at the histories of all jobs whose look is due: many accounts side by side, one job of an account at a time.
import type { Millis } from '#app/lib/clock.ts'
import { minutes, seconds } from '#app/lib/duration.ts'
import type { Conversation } from '#db/store/listening.ts'
import { type LookApp, lookAt, refusedUntil } from './look.server.ts'

const AT_ONCE = 16
/** In one round of an account, so that one with many jobs leaves others their turn. */
const PER_ACCOUNT = 20

export interface ListenRound {
  /** Messages that may have been sent and were found: their runs go on. */
  settled: number
  /** When the next look is due; null = none. */
  nextAt: Millis | null
}

export interface Listener {
  /** Looks at what is due. Never rejects because of one job. */
  round(): Promise<ListenRound>
}

export function createListener(app: LookApp): Listener {
  async function listen(conversation: Conversation): Promise<number> {
    const { accountUuid, channel } = conversation
    try {
      const until = await refusedUntil(app, conversation)
      if (until !== null) {
        await app.store.listening.postponeLook(conversation, { nextLookAt: until, refusedAt: null })
        return 0
      }
      const looked = await lookAt(app, conversation)
      return looked.outcome === 'looked' ? looked.settled : 0
    } catch (error) {
      app.log.error({ account: accountUuid, channel, error }, 'history.look_failed')
      const nextLookAt = app.clock.now() + minutes(1)
      await app.store.listening.postponeLook(conversation, { nextLookAt, refusedAt: null })
      return 0
    }
  }

  async function listenInTurn(conversations: readonly Conversation[]): Promise<number> {
    let settled = 0
    for (const conversation of conversations) settled += await listen(conversation)
    return settled
  }

  return {
    async round() {
      const now = app.clock.now()
      const due = await app.store.listening.dueConversations(now, {
        limit: AT_ONCE * PER_ACCOUNT,
        perAccount: PER_ACCOUNT,
      })
      const accounts = [...new Set(due.map((one) => one.accountUuid))].slice(0, AT_ONCE)
      const settled = await Promise.all(
        accounts.map((account) => listenInTurn(due.filter((one) => one.accountUuid === account))),
      )
      const nextAt = await app.store.listening.nextLookAt()
      return {
        settled: settled.reduce((sum, count) => sum + count, 0),
        nextAt: nextAt === null ? null : Math.max(nextAt, now + seconds(1)),
      }
    },
  }
}
