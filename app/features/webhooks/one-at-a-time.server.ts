// Changes of one account's subscriptions run one after another: a second create must not overtake the first between the
// platform's answer and the switch. Held in memory, because one process does this, and never asked for by the ingress:
// the platform's challenge arrives while the lock is held.
import type { Store } from '#db/store.ts'

const queues = new WeakMap<object, Map<string, Promise<unknown>>>()

/** Runs `work` after everything asked for before with the same store and account; passes on its result or its error. */
export async function oneAtATime<T>(store: Store, accountUuid: string, work: () => Promise<T>): Promise<T> {
  const queue = queues.get(store) ?? new Map<string, Promise<unknown>>()
  queues.set(store, queue)
  const before = queue.get(accountUuid) ?? Promise.resolve()
  const mine = before.then(work, work)
  // What waits behind this must run whether it succeeds or not, and the failure is the caller's to see.
  const settled = mine.then(
    () => undefined,
    () => undefined,
  )
  queue.set(accountUuid, settled)
  try {
    return await mine
  } finally {
    if (queue.get(accountUuid) === settled) queue.delete(accountUuid)
  }
}
