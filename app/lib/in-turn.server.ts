// Work that must not overlap, one after the other for each key.

/** Runs `work` after all earlier work with the same key; passes on its result or its error. */
export type InTurn = <T>(key: string, work: () => Promise<T>) => Promise<T>

/** Somebody else did not come to an end in time. Nothing was done. */
export class TurnError extends Error {
  override name = 'TurnError'
}

export function isTurnError(error: unknown): error is TurnError {
  return error instanceof TurnError
}

/** Turns in memory only: they do not coordinate several processes. */
export function turnsInMemory(): InTurn {
  const queues = new Map<string, Promise<unknown>>()
  return async (key, work) => {
    const before = queues.get(key) ?? Promise.resolve()
    const mine = before.then(work, work)
    // Later work must run even if this fails; the failure goes to this call's caller.
    const settled = mine.then(
      () => undefined,
      () => undefined,
    )
    queues.set(key, settled)
    try {
      return await mine
    } finally {
      if (queues.get(key) === settled) queues.delete(key)
    }
  }
}
