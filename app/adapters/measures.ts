// Counters of the working process, and gauges read on request. The only implementation is `measures.server.ts`; the
// composition root wraps store, outside and engines with it, so use cases do not depend on it. Contains no account,
// address or id: every label has a short, fixed list of values.

export interface Measures {
  /** A request was answered. `route` is a pattern, never a path. */
  requestEnded(request: { route: string; status: number; seconds: number }): void
  /** A platform event was answered. */
  ingressAnswered(answer: { status: number; seconds: number }): void
  /** One transaction of arrivals, committed or not. */
  commitEnded(commit: { events: number; seconds: number }): void
  eventsTaken(outcome: EventOutcome, count: number): void
  attemptEnded(attempt: MeasuredAttempt): void
  deliveriesEnded(result: DeliveryEnd, count: number): void
  /** Duration of a small synced test write: the disk's latency. */
  trialWritten(seconds: number): void
  /** A database call failed. `code` is SQLite's name. */
  storageFailed(code: string): void
  /** An operation ran again, because another one had changed what it read. */
  serializationRetried(): void
  platformCalled(call: { outcome: string; status: number | null; seconds: number }): void
  tokenRefreshed(result: string): void
  /** A notice was handed to the operator's mail server, or refused by it. */
  smtpMailEnded(outcome: 'ok' | 'refused' | 'unavailable'): void
  addressRefused(reason: string): void
  runsStarted(count: number): void
  runEnded(outcome: string): void
  actionEnded(result: string): void
  /** An account or a caller had used up its minute and had to wait. */
  overBudget(whose: 'account' | 'caller' | 'accounts', of: 'ms' | 'bytes'): void
  /** A job on the thread for long work ended. */
  longWorkEnded(how: 'done' | 'too_long' | 'busy' | 'failed'): void
  /** Registers scheduled jobs: each has its series from then on. */
  expectJobs(jobs: readonly string[]): void
  jobEnded(job: string, outcome: 'done' | 'failed', seconds: number): void
  logged(level: 'warn' | 'error'): void
  /** Everything as Prometheus text, with the given readings. Null for an unreadable part: its series say NaN, not 0. */
  text(readings: Readings): Promise<string>
  readonly contentType: string
}

export type EventOutcome = 'stored' | 'duplicate' | 'over_limit' | 'rejected'
type DeliveryEnd = 'delivered' | 'given_up' | 'stopped'

interface MeasuredAttempt {
  /** The outcome, as in the delivery log. */
  outcome: string
  seconds: number
  /** Seconds per phase; null = it did not happen. */
  dns: number | null
  connect: number | null
  tls: number | null
  firstByte: number | null
  /** Seconds from the due time to the first attempt; null = not the first attempt. */
  firstAfter: number | null
}

/** One number per lane. */
export interface LaneCounts {
  live: number
  replay: number
  by_hand: number
}

/** Told by another instance, or by the database server itself: the series are absent here, which is no failure. */
export type Elsewhere = 'elsewhere'

/** Values read on request. Seconds and bytes. */
export interface Readings {
  backlog:
    | {
        oldestDue: number
        pending: LaneCounts
        held: LaneCounts
        oldestRun: number
        scheduleLag: number
      }
    | Elsewhere
    | null
  inFlight: LaneCounts
  runs: { inFlight: number; known: number }
  /** Jobs waiting for the thread for long work. */
  longWorkWaiting: number
  /** `age`: seconds since the last renewal; null = never renewed. */
  leases: Readonly<Record<'deliveries' | 'runs', { held: boolean; age: number | null }>>
  /** Heartbeats of each loop. */
  loopTurns: Readonly<Record<'deliveries' | 'runs' | 'scheduler', number>>
  /** This instance among the others; null = one process does all the work. */
  instances: {
    members: number | null
    sharesOwned: number
    sharesUnowned: number | null
    clockAhead: number | null
  } | null
  space: { file: number; free: number; wal: number | Elsewhere; budget: number } | Elsewhere | null
  disk: { free: number; size: number } | Elsewhere | null
  /** Seconds since the newest good backup began; Infinity = there is none. */
  backupAge: number | Elsewhere | null
  /** Calls left in its minute for the account with the fewest. */
  budgetLeft: number | null
  draining: boolean
  process: ProcessReadings
}

export interface ProcessReadings {
  startedAt: number
  cpuSeconds: number
  residentBytes: number
  heapUsedBytes: number
  heapTotalBytes: number
  externalBytes: number
  /** Null where the system does not report it. */
  openDescriptors: number | null
  /** Event loop delay in seconds since the last read. */
  loopDelay: { p50: number; p99: number; max: number }
}
