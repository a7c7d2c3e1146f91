// Changes of one account's subscriptions run one after another: a second create must not overtake the first between the
// platform's answer and the switch. Held in memory, because one process does this, and never asked for by the ingress:
// the platform's challenge arrives while the lock is held.
import { inTurn } from '#app/lib/in-turn.server.ts'
import type { Store } from '#db/store.ts'

/** Runs `work` after everything asked for before with the same store and account; passes on its result or its error. */
export function oneAtATime<T>(store: Store, accountUuid: string, work: () => Promise<T>): Promise<T> {
  return inTurn(store, `webhooks:${accountUuid}`, work)
}
