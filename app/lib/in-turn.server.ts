const queues = new WeakMap<object, Map<string, Promise<unknown>>>()

/**
 * Runs `work` after everything asked for before with the same owner and key; passes on its result or its error. Held in memory:
 * what several processes could do at once needs more than this.
 */
export async function inTurn<T>(owner: object, key: string, work: () => Promise<T>): Promise<T> {
  const queue = queues.get(owner) ?? new Map<string, Promise<unknown>>()
  queues.set(owner, queue)
  const before = queue.get(key) ?? Promise.resolve()
  const mine = before.then(work, work)
  // What waits behind this must run whether it succeeds or not, and the failure is the caller's to see.
  const settled = mine.then(
    () => undefined,
    () => undefined,
  )
  queue.set(key, settled)
  try {
    return await mine
  } finally {
    if (queue.get(key) === settled) queue.delete(key)
  }
}
