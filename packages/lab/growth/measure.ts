// Whether work grows properly with its input: the same input at n, 2n and 4n. Measures this thread's processor time,
// the minimum of several tries, and the size kept of the result; below a floor of noise nothing is judged.

/** Processor ms at the largest size below which growth is not judged: noise of a busy machine. */
const FLOOR_MS = 40
/** For each doubling. Linear work takes twice as long, quadratic work four times. */
const MOST_GROWTH = 2.5
/** Maximum processor ms of one input at its limit: the shared event loop is blocked meanwhile. */
const MOST_MS = 500
/** Work on the long-work thread blocks nobody, and is stopped after two seconds: half of that, for slower machines. */
export const MOST_MS_APART = 1_000
/** Maximum ratio of a result to its input: text and a few words about each part of it. */
const MOST_KEPT = 64
const KEPT_FLOOR = 1_000_000
/** Some kernels count a thread's time in ticks of this length: the least of several tries misses up to one. */
const TICK_MS = 4
const TRIES = 4
const ROUNDS = 3
const STEPS = [1 / 16, 1 / 8, 1 / 4, 1 / 2, 1] as const

export interface Trial {
  /** Number of characters that can reach it. */
  limit: number
  run(length: number): () => unknown
  /** Bytes that may be kept of the largest input; default: 64 times its length. */
  mostKept?: number
  /** Processor ms; default: how long the main thread may block. */
  mostMs?: number
}

export interface Growth {
  /** Times at the largest tried size, half, a quarter and an eighth of it. */
  length: number
  ms: number
  halfMs: number
  quarterMs: number
  eighthMs: number
  keptBytes: number
  fault: string | null
}

/**
 * Starts at a sixteenth of the limit, so that extreme slowness is detected on a short input.
 *
 * @param now processor ms used so far; a test passes its own
 */
export function growthOf(trial: Trial, now: () => number = threadMs): Growth {
  const { mostMs = MOST_MS } = trial
  const times = new Map<number, number>()
  let length = 0
  let result: unknown
  const tryAt = (share: number) => {
    length = Math.floor(trial.limit * share)
    const done = once(trial, length, now)
    result = done.result
    times.set(length, done.ms)
    return done.ms
  }
  // Even quadratic growth would not be noticeable at the limit.
  const climb = tryAt(STEPS[0]) < FLOOR_MS / 256 ? [1] : STEPS
  for (const share of climb) if (tryAt(share) > mostMs) break
  const kept = keptBytes(result)
  const at = (part: number) => times.get(Math.floor(length / part)) ?? 0
  const first = { length, ms: at(1), halfMs: at(2), quarterMs: at(4), eighthMs: at(8) }
  const seen: Growth = { ...first, keptBytes: kept, fault: keptFault(trial, { length, kept }, now) }
  if (seen.fault !== null || isFine(first, mostMs)) return seen
  let timed = {
    length,
    ms: Number.POSITIVE_INFINITY,
    halfMs: Number.POSITIVE_INFINITY,
    quarterMs: Number.POSITIVE_INFINITY,
    eighthMs: Number.POSITIVE_INFINITY,
  }
  // Repeat on a machine that was busy; inherently slow input is slow again.
  for (let round = 0; round < ROUNDS && !isFine(timed, mostMs); round += 1) {
    timed = {
      length,
      ms: Math.min(timed.ms, least(trial, length, now)),
      halfMs: Math.min(timed.halfMs, least(trial, length / 2, now)),
      quarterMs: Math.min(timed.quarterMs, least(trial, length / 4, now)),
      eighthMs: Math.min(timed.eighthMs, least(trial, length / 8, now)),
    }
  }
  return { ...seen, ...timed, fault: timeFault(trial, timed) }
}

type Timed = Pick<Growth, 'length' | 'ms' | 'halfMs' | 'quarterMs' | 'eighthMs'>

/** Over the last three doublings, two, and one: a step from one cache or heap nursery to the next is no growth. */
function growsTooFast({ ms, halfMs, quarterMs, eighthMs }: Timed): boolean {
  return [halfMs, quarterMs, eighthMs].every((before, at) => ms / (before + TICK_MS) > MOST_GROWTH ** (at + 1))
}

function isFine(timed: Timed, mostMs: number): boolean {
  return timed.ms < FLOOR_MS || (timed.ms <= mostMs && !growsTooFast(timed))
}

function timeFault({ limit, mostMs = MOST_MS }: Trial, timed: Timed): string | null {
  if (isFine(timed, mostMs)) return null
  const { length, ms, quarterMs } = timed
  const reached = length < limit ? ` (stopped there, ${limit} is the limit)` : ''
  const took = `${quarterMs.toFixed(1)} ms at ${Math.floor(length / 4)}, ${ms.toFixed(0)} ms at ${length}${reached}`
  if (!growsTooFast(timed)) return `too slow: ${took}`
  return `time grows ${Math.sqrt(ms / Math.max(quarterMs, 0.05)).toFixed(1)}-fold per doubling: ${took}`
}

function keptFault(trial: Trial, last: { length: number; kept: number }, now: () => number): string | null {
  const most = trial.mostKept ?? Math.max(KEPT_FLOOR, last.length * MOST_KEPT)
  if (last.kept > most) return `keeps ${last.kept} bytes of ${last.length}; at most ${most}`
  if (last.kept < KEPT_FLOOR) return null
  const quarter = keptBytes(once(trial, last.length / 4, now).result)
  const growth = last.kept / Math.max(quarter, 1)
  return growth > MOST_GROWTH ** 2
    ? `memory grows ${Math.sqrt(growth).toFixed(1)}-fold per doubling: ${quarter} bytes kept at a quarter, ${last.kept} at ${last.length}`
    : null
}

function least(trial: Trial, length: number, now: () => number): number {
  let best = Number.POSITIVE_INFINITY
  for (let n = 0; n < TRIES; n += 1) {
    const { ms } = once(trial, length, now)
    best = Math.min(best, ms)
    // Anything this slow is no accident.
    if (ms > MOST_MS * 2 && n >= 1) break
  }
  return best
}

function once(trial: Trial, length: number, now: () => number): { ms: number; result: unknown } {
  const work = trial.run(Math.max(1, Math.floor(length)))
  const before = now()
  let result: unknown
  try {
    result = work()
  } catch {
    // Other tests check whether it may throw.
  }
  return { ms: now() - before, result }
}

/** Of this thread alone where the runtime supports it: the collector and the compiler run in parallel. */
function threadMs(): number {
  const { user, system } = (process.threadCpuUsage ?? process.cpuUsage)()
  return (user + system) / 1_000
}

/** Size reachable from a value, each object and each text once: a count, so it does not depend on the machine. */
export function keptBytes(value: unknown): number {
  const seen = new Set<unknown>()
  const waiting: unknown[] = [value]
  let bytes = 0
  while (waiting.length > 0) {
    const one = waiting.pop()
    if (typeof one === 'string') {
      if (one.length > 16) {
        if (seen.has(one)) continue
        seen.add(one)
      }
      bytes += one.length
    } else if (typeof one === 'object' && one !== null) {
      if (seen.has(one)) continue
      seen.add(one)
      bytes += 16
      if (ArrayBuffer.isView(one)) bytes += one.byteLength
      else if (one instanceof Map) for (const [key, inner] of one) waiting.push(key, inner)
      else if (one instanceof Set) waiting.push(...one)
      else for (const [key, inner] of Object.entries(one)) waiting.push(key, inner)
    } else bytes += 8
  }
  return bytes
}
