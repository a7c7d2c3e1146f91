const queues = new WeakMap<object, Map<string, Promise<unknown>>>()

/**
 * Runs `work` after all earlier calls with the same owner and key; passes on its result or error. Works in memory only:
 * it does not coordinate several processes.
 */
export async function inTurn<T>(owner: object, key: string, work: () => Promise<T>): Promise<T> {
  const queue = queues.get(owner) ?? new Map<string, Promise<unknown>>()
  queues.set(owner, queue)
  const before = queue.get(key) ?? Promise.resolve()
  const mine = before.then(work, work)
  // Later work must run even if this fails; the failure goes to this call's caller.
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
