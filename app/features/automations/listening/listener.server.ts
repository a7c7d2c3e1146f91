// Looks at the histories of all jobs whose look is due: many accounts side by side, one job of an account at a time.

import type { Conversation } from '#app/domain/automations/conversation.ts'
import type { Millis } from '#app/lib/clock.ts'
import { minutes, seconds } from '#app/lib/duration.ts'
import { type JudgeApp, judgeMessages } from './judge-messages.server.ts'
import { lookAt, refusedUntil } from './look.server.ts'
import { type TellApp, tellStaff } from './tell-staff.server.ts'

const AT_ONCE = 16
/** In one round of an account, so that one with many jobs leaves others their turn. */
const PER_ACCOUNT = 20

interface ListenRound {
  /** Runs that start or go on: a message was found in the history, or a customer answered. */
  moved: number
  /** When the next look is due; null = none. */
  nextAt: Millis | null
}

export interface Listener {
  /** Looks at what is due. Never rejects because of one job. */
  round(): Promise<ListenRound>
}

export function createListener(app: TellApp & JudgeApp): Listener {
  async function listen(conversation: Conversation): Promise<number> {
    const { accountUuid, channel } = conversation
    try {
      const until = await refusedUntil(app, conversation)
      if (until !== null) {
        await app.store.listening.postponeLook(conversation, { nextLookAt: until, refusedAt: null })
        return 0
      }
      const looked = await lookAt(app, conversation)
      return looked.outcome === 'looked' ? looked.moved : 0
    } catch (error) {
      app.log.error({ account: accountUuid, channel, error }, 'history.look_failed')
      const nextLookAt = app.clock.now() + minutes(1)
      await app.store.listening.postponeLook(conversation, { nextLookAt, refusedAt: null })
      return 0
    }
  }

  async function listenInTurn(conversations: readonly Conversation[]): Promise<number> {
    let moved = 0
    for (const conversation of conversations) moved += await listen(conversation)
    return moved
  }

  return {
    async round() {
      const now = app.clock.now()
      const due = await app.store.listening.dueConversations(now, {
        limit: AT_ONCE * PER_ACCOUNT,
        perAccount: PER_ACCOUNT,
      })
      const accounts = [...new Set(due.map((one) => one.accountUuid))].slice(0, AT_ONCE)
      const moved = await Promise.all(
        accounts.map((account) => listenInTurn(due.filter((one) => one.accountUuid === account))),
      )
      // First, so that a colleague reads whether a rule deals with the answer.
      const started = await judgeMessages(app)
      await tellStaff(app)
      const nextAt = await app.store.listening.nextLookAt()
      return {
        moved: moved.reduce((sum, count) => sum + count, started),
        nextAt: nextAt === null ? null : Math.max(nextAt, now + seconds(1)),
      }
    },
  }
}
