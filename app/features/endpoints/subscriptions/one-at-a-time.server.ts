// Runs changes of one account's subscriptions one after another: a second create must not overtake the first between
// the platform's answer and the switch. The ingress never takes this turn: the platform's challenge arrives while it is
// held.
import type { Store } from '#db/store.ts'

/** Runs `work` after all earlier work for the same store and account; passes on its result or its error. */
export function oneAtATime<T>(store: Store, accountUuid: string, work: () => Promise<T>): Promise<T> {
  return store.shared.inTurn(`webhooks:${accountUuid}`, work)
}
