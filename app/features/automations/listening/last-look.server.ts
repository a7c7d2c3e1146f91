// The last look, just before a message leaves: answers younger than the latest look are read again.
import { CONVERSATION_OPEN } from '#app/domain/automations/receipt.ts'
import { seconds } from '#app/lib/duration.ts'
import { putOffOf } from '../runs/run-facts.server.ts'
import type { LastLook } from '../runs/run-inputs.server.ts'
import { type LookApp, lookAt } from './look.server.ts'

/** A look that began this recently counts. */
const FRESH = seconds(2)

/**
 * Looks once at each job about which this customer may have answered. A history that we may not read stops nothing; one
 * that does not answer at present puts the message off.
 */
export function createLastLook(app: LookApp): LastLook {
  return async (accountUuid, receiver) => {
    const now = app.clock.now()
    const since = now - CONVERSATION_OPEN
    for (const conversation of await app.store.listening.conversationsWith(accountUuid, receiver, since)) {
      // After the clock went back, a look may lie in the future.
      const { lookedAt } = conversation
      if (lookedAt !== null && lookedAt > now - FRESH && lookedAt <= now) continue
      const looked = await lookAt(app, conversation)
      if (looked.outcome === 'failed') return { outcome: 'put_off', why: putOffOf(looked.failure) }
    }
    return { outcome: 'looked' }
  }
}
