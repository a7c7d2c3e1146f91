// Groups small writes into one commit: items that arrive in the same turn of the event loop are written together, and
// each gets its answer after the commit. (When callers wait for the answer, a fixed time window only adds delay:
// measured.)
import type { Clock } from '../lib/clock.ts'

export interface GroupCommitInput<Item, Answer> {
  clock: Clock
  /** Writes all items at once and answers in the same order. Rejecting means that none was written. */
  commit(items: Item[]): Promise<Answer[]>
  maxBatch: number
  /**
   * Commits that may wait for the disk at once; default 1. More than one is for a store that commits in the order of the
   * calls, so that answers come in the order of arrival.
   */
  mostUnderWay?: number
  /** ms to gather more items when no one waits for the answer; a full batch does not wait. Default 0: one turn. */
  gatherMs?: number
  /** Limits on waiting items: their number, and their bytes according to `sizeOf`. */
  maxWaiting: number
  maxWaitingBytes: number
  sizeOf(item: Item): number
  /**
   * ms. A commit that takes longer counts as failed for those who wait for it or behind it (it may still succeed). Null
   * = no limit.
   */
  limitMs: number | null
}

interface GroupCommit<Item, Answer> {
  /** Resolves with the item's answer after the commit. Rejects when the commit failed or too many items wait. */
  add(item: Item): Promise<Answer>
  /** Writes waiting items now instead of gathering more, because another write happens anyway. */
  hurry(): void
  /** Resolves when everything added so far is committed or has failed. */
  flush(): Promise<void>
}

class NotCommittedError extends Error {
  override name = 'NotCommittedError'
  readonly code: 'queue_full' | 'commit_slow' | 'commit_failed'
  constructor(code: NotCommittedError['code'], message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}

interface Waiter<Item, Answer> {
  item: Item
  bytes: number
  resolve(answer: Answer): void
  reject(error: unknown): void
}

export function createGroupCommit<Item, Answer>(input: GroupCommitInput<Item, Answer>): GroupCommit<Item, Answer> {
  let queue: Waiter<Item, Answer>[] = []
  let bytes = 0
  let scheduled = false
  let underWay = 0
  let stopGathering: (() => void) | null = null
  let idle: (() => void)[] = []

  function schedule(): void {
    if (isFull() || queue.length === 0) return
    const { gatherMs = 0 } = input
    if (gatherMs > 0 && queue.length < input.maxBatch && idle.length === 0) {
      stopGathering ??= input.clock.wake(input.clock.now() + gatherMs, beginThisTurn)
    } else beginThisTurn()
  }

  /** Commits at the end of the turn, together with other writes. */
  function beginThisTurn(): void {
    if (scheduled) return
    scheduled = true
    setImmediate(begin)
  }

  function begin(): void {
    stopGathering?.()
    stopGathering = null
    scheduled = false
    if (!isFull() && queue.length > 0) void write()
  }

  function isFull(): boolean {
    return underWay >= (input.mostUnderWay ?? 1)
  }

  async function write(): Promise<void> {
    const batch = queue.length <= input.maxBatch ? queue : queue.slice(0, input.maxBatch)
    queue = batch === queue ? [] : queue.slice(input.maxBatch)
    for (const { bytes: size } of batch) bytes -= size
    underWay++
    schedule()
    const { limitMs } = input
    let cancel = () => {}
    const limit = () => {
      if (limitMs !== null) cancel = input.clock.wake(input.clock.now() + limitMs, giveUp)
    }
    const giveUp = () => {
      const error = new NotCommittedError('commit_slow', `not committed within ${limitMs} ms`)
      for (const waiter of [...batch, ...queue]) waiter.reject(error)
      queue = []
      bytes = 0
      // Whoever comes while it still lasts waits no longer either.
      limit()
    }
    limit()
    try {
      const answers = await input.commit(batch.map((waiter) => waiter.item))
      answerEach(batch, answers)
    } catch (cause) {
      const error = new NotCommittedError('commit_failed', `nothing was committed: ${String(cause)}`, cause)
      for (const waiter of batch) waiter.reject(error)
    } finally {
      cancel()
      underWay--
      schedule()
      if (queue.length === 0 && underWay === 0) {
        for (const tell of idle.splice(0)) tell()
      }
    }
  }

  return {
    add(item) {
      const size = input.sizeOf(item)
      if (queue.length >= input.maxWaiting || bytes + size > input.maxWaitingBytes) {
        return Promise.reject(new NotCommittedError('queue_full', `${queue.length} items are waiting to be committed`))
      }
      return new Promise((resolve, reject) => {
        queue.push({ item, bytes: size, resolve, reject })
        bytes += size
        schedule()
      })
    },
    hurry: begin,
    flush() {
      if (queue.length === 0 && underWay === 0) return Promise.resolve()
      return new Promise((resolve) => {
        idle = [...idle, resolve]
        schedule()
      })
    },
  }
}

function answerEach<Item, Answer>(batch: readonly Waiter<Item, Answer>[], answers: readonly Answer[]): void {
  batch.forEach((waiter, index) => {
    const answer = answers[index]
    if (answer === undefined) waiter.reject(new Error('the commit answered fewer items than it was given'))
    else waiter.resolve(answer)
  })
}
