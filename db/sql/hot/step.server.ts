// Runs operations on SQLite: every read and write returns at once, so an operation completes in one go.
import type { Step } from '../../acts.ts'

export function done<T>(value: T): Step<T> {
  return { [Symbol.iterator]: () => ({ next: () => ({ done: true, value }) }) }
}

/** Runs an operation and rethrows its errors. */
export function finish<T>(act: Step<T>): T {
  const result = act[Symbol.iterator]().next()
  if (!result.done) throw new Error('an act on SQLite waited for something')
  return result.value
}
