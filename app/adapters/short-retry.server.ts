// A read that failed in passing is asked again at once: whoever waits for it need not know. What takes longer has its own, kept
// schedule. Never for writes: nobody knows whether the first one was done.
import pRetry from 'p-retry'

export interface ShortRetry<T> {
  /** `first` = it was not asked before. What it throws is a bug, and is not asked again. */
  ask: (first: boolean) => Promise<T>
  /** Is this answer worth asking again? */
  isPassing: (answer: T) => boolean
  /** Aborted, nothing is asked again. */
  signal?: AbortSignal | undefined
}

/** The last of up to three answers. Between them are 200 to 400 ms, then 400 to 800 ms: by chance, so that many do not come at once. */
export async function askShortly<T>({ ask, isPassing, signal }: ShortRetry<T>): Promise<T> {
  const last: T[] = []
  const askOnce = async (attempt: number) => {
    last.length = 0
    last.push(await ask(attempt === 1))
    if (last.some(isPassing)) throw new Passing()
  }
  const pauses = { retries: 2, minTimeout: 200, randomize: true, shouldRetry: isStillWorthIt }
  try {
    await pRetry(askOnce, signal?.aborted ? { retries: 0 } : { ...pauses, ...(signal && { signal }) })
  } catch (error) {
    if (last.length === 0) throw error
  }
  return last[0] as T
}

class Passing extends Error {}

const isStillWorthIt = ({ error }: { error: Error }) => error instanceof Passing
