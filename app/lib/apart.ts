// Work whose length is decided by what somebody sent, done apart from the thread that everybody waits for.

/** Functions by name. Each is pure, and what goes in and comes out can be copied. What somebody sent is the first argument. */
export type WorkTable<Names extends PropertyKey = string> = Readonly<Record<Names, (...given: never[]) => unknown>>

export type NotDone =
  /** It takes longer, or more memory, than such work may. */
  | { outcome: 'too_long' }
  /** Others wait already: nothing was begun. */
  | { outcome: 'busy'; retryAfterMs: number }

export type Apart<T> = { outcome: 'done'; value: T } | NotDone

export interface WorkApart<Table extends WorkTable<keyof Table>> {
  /** What is small is done at once. What the function throws is thrown. `of`: the account whose work it is, and who pays for it. */
  do<Name extends keyof Table & string>(
    name: Name,
    of: string,
    ...given: Parameters<Table[Name]>
  ): Promise<Apart<ReturnType<Table[Name]>>>
}

/** Is there more in it than so many characters? Ends as soon as that is known. */
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
