// Acts over SQLite: every read and write has its answer at once, so an act runs to its end in one go.
import type { Step } from '../../acts.ts'

export function done<T>(value: T): Step<T> {
  return { [Symbol.iterator]: () => ({ next: () => ({ done: true, value }) }) }
}

/** Runs an act. Throws what it throws. */
export function finish<T>(act: Step<T>): T {
  const result = act[Symbol.iterator]().next()
  if (!result.done) throw new Error('an act on SQLite waited for something')
  return result.value
}
