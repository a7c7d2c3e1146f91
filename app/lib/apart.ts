// Runs work whose duration depends on user input outside the main thread.

/** Pure functions by name. Arguments and results must be cloneable. The user's input is the first argument. */
export type WorkTable<Names extends PropertyKey = string> = Readonly<Record<Names, (...given: never[]) => unknown>>

export type NotDone =
  /** The job needs more time or memory than allowed. */
  | { outcome: 'too_long' }
  /** Too many jobs are waiting: nothing was started. */
  | { outcome: 'busy'; retryAfterMs: number }

export type Apart<T> = { outcome: 'done'; value: T } | NotDone

export interface WorkApart<Table extends WorkTable<keyof Table>> {
  /** Runs small jobs inline. Rethrows the function's errors. `of`: the account that the work is for and charged to. */
  do<Name extends keyof Table & string>(
    name: Name,
    of: string,
    ...given: Parameters<Table[Name]>
  ): Promise<Apart<ReturnType<Table[Name]>>>
}

/** Does the value have more than `most` characters? Stops as soon as that is known. */
export function isLongerThan(most: number, value: unknown): boolean {
  const waiting: unknown[] = [value]
  let size = 0
  while (waiting.length > 0) {
    const one = waiting.pop()
    if (typeof one === 'string') size += one.length
    else if (typeof one === 'object' && one !== null) {
      size += 2
      for (const inner of Object.values(one)) waiting.push(inner)
    } else size += 1
    if (size > most) return true
  }
  return false
}
