// Survives a full disk without a restart: the first write that finds no space releases the ballast, new events get 503,
// work in progress is still stored, space is freed, and when the ballast fits again everything returns to normal.
import type { Clock } from '#app/lib/clock.ts'
import { minutes, seconds } from '#app/lib/duration.ts'
import { eachMethod, methodsOf, withMethods } from '#app/lib/families.ts'
import type { Log } from '#app/lib/log.ts'
import { pause } from '#app/lib/turns.server.ts'
import type { Store } from '../store.ts'
import type { Ballast } from './ballast.server.ts'

interface FullDiskInput {
  store: Store
  ballast: Ballast
  clock: Clock
  log: Log
  /** Deletes expendable data. Never touches pending deliveries. */
  makeRoom(signal: AbortSignal): Promise<void>
}

export interface FullDiskGuard {
  /** The same store, with its writes monitored. */
  store: Store
  /** True while new events are refused. */
  isFull(): boolean
  /** Creates the ballast, and monitors it from then on. */
  start(): void
  stop(): Promise<void>
}

class DiskFullError extends Error {
  override name = 'DiskFullError'
  readonly code = 'SQLITE_FULL'
  constructor() {
    super('The disk is full: nothing new is taken in until there is room.')
  }
}

const SENTENCE =
  'The disk is full. Events are refused (503) until there is room, and the platform sends them again. What waits is kept and sent.'
const CHECKS_AGAIN_WHILE_FULL = seconds(5)
const CHECKS_AGAIN = minutes(10)
/** Delays the first check, because a starting process needs the disk for other work. */
const FIRST_CHECK = seconds(1)
/** Pause between two pieces of the ballast. */
const PIECE_PAUSE_MS = 20
const LOG_WAIT_MS = 50

export function surviveFullDisk({ store, ballast, clock, log, makeRoom }: FullDiskInput): FullDiskGuard {
  let full = false
  let started = false
  let cancel = () => {}
  let round: Promise<void> | null = null
  const stopping = new AbortController()
  const stopped = new Promise<never>((_, reject) => {
    stopping.signal.addEventListener('abort', () => reject(new Error('the process is ending')))
  })
  stopped.catch(() => {})

  function onFailure(error: unknown): void {
    if (full || !isOutOfSpace(error, ballast) || !ballast.release()) return
    beFull({ error })
    check()
  }

  function beFull(fields: { error?: unknown }): void {
    full = true
    log.error({ ...fields, sentence: SENTENCE }, 'disk.full')
  }

  function check(): void {
    if (!started || stopping.signal.aborted) return
    cancel()
    round ??= lookAfter().finally(() => {
      round = null
      if (!stopping.signal.aborted)
        cancel = clock.wake(clock.now() + (full ? CHECKS_AGAIN_WHILE_FULL : CHECKS_AGAIN), check)
    })
  }

  async function lookAfter(): Promise<void> {
    if (ballast.inPlace()) return
    try {
      if (full) {
        await makeRoom(stopping.signal)
        await store.ops.emptyLog(LOG_WAIT_MS)
      }
      const fits = await ballast.take(rest)
      if (fits && full) {
        full = false
        log.warn({}, 'disk.room_again')
      } else if (!fits && !full) {
        log.warn({}, 'disk.no_room_for_ballast')
      }
    } catch (error) {
      log.error({ error }, 'disk.still_full')
    }
  }

  /** Ends early when the process stops: the next process completes the ballast. */
  const rest = (): Promise<void> => Promise.race([pause(clock, PIECE_PAUSE_MS), stopped])

  const watched = eachMethod(store, (_, method) => (...values) => {
    const result = method(...values)
    result.catch(onFailure)
    return result
  })
  const { acceptEvents, takeInPolled } = methodsOf(watched)
  return {
    store: withMethods(watched, {
      acceptEvents: (events, options) => (full ? Promise.reject(new DiskFullError()) : acceptEvents(events, options)),
      takeInPolled: (take, options) => (full ? Promise.reject(new DiskFullError()) : takeInPolled(take, options)),
    }),
    isFull: () => full,
    start() {
      started = true
      // Restarted while the disk was full: the ballast was released before.
      if (!ballast.inPlace() && ballast.diskIsShort()) beFull({})
      cancel = clock.wake(clock.now() + FIRST_CHECK, check)
    },
    async stop() {
      stopping.abort()
      cancel()
      await round
    },
  }
}

/** SQLite reports FULL for a disk without space; some file systems and quotas report a write error instead. */
function isOutOfSpace(error: unknown, ballast: Ballast): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return code === 'SQLITE_FULL' || (code.startsWith('SQLITE_IOERR') && ballast.diskIsFull())
}
