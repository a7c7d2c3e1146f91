// Runs changes of one account's subscriptions one after another: a second create must not overtake the first between
// the platform's answer and the switch. The lock is in memory, because one process does this. The ingress never takes
// it: the platform's challenge arrives while it is held.
import { inTurn } from '#app/lib/in-turn.server.ts'
import type { Store } from '#db/store.ts'

/** Runs `work` after all earlier work for the same store and account; passes on its result or its error. */
export function oneAtATime<T>(store: Store, accountUuid: string, work: () => Promise<T>): Promise<T> {
  return inTurn(store, `webhooks:${accountUuid}`, work)
}
