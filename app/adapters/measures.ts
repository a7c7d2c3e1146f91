// What is counted about the process while it works, and what is looked at when somebody asks. The one implementation is
// `measures.server.ts`; the composition root puts it around the store, the outside and the engines, so that no use case knows of it.
// Nothing here ever holds an account, an address or an id: every label has a short, known list of values.

export interface Measures {
  /** A request was answered. `route` is a pattern, never a path. */
  requestEnded(request: { route: string; status: number; seconds: number }): void
  /** The platform got its answer to an event. */
  ingressAnswered(answer: { status: number; seconds: number }): void
  /** One transaction of arrivals, committed or not. */
  commitEnded(commit: { events: number; seconds: number }): void
  eventsTaken(outcome: EventOutcome, count: number): void
  attemptEnded(attempt: MeasuredAttempt): void
  deliveriesEnded(result: DeliveryEnd, count: number): void
  /** A small write of a trial, synced: what the disk takes for it. */
  trialWritten(seconds: number): void
  /** Anything that asks the database failed. `code` as SQLite names it. */
  storageFailed(code: string): void
  platformCalled(call: { outcome: string; status: number | null; seconds: number }): void
  tokenRefreshed(result: string): void
  addressRefused(reason: string): void
  runsStarted(count: number): void
  runEnded(outcome: string): void
  actionEnded(result: string): void
  /** An account or a caller had used up its minute, and was told to wait. */
  overBudget(whose: 'account' | 'caller' | 'accounts', of: 'ms' | 'bytes'): void
  /** A job on the thread for long work ended. */
  longWorkEnded(how: 'done' | 'too_long' | 'busy' | 'failed'): void
  /** Timed work that there is: each has its series from then on. */
  expectJobs(jobs: readonly string[]): void
  jobEnded(job: string, outcome: 'done' | 'failed', seconds: number): void
  logged(level: 'warn' | 'error'): void
  /** Everything as Prometheus text, with what was just read. A part that could not be read is null: its series say NaN, never 0. */
  text(readings: Readings): Promise<string>
  readonly contentType: string
}

export type EventOutcome = 'stored' | 'duplicate' | 'over_limit' | 'rejected'
type DeliveryEnd = 'delivered' | 'given_up' | 'stopped'

interface MeasuredAttempt {
  /** How it ended, as in the log of deliveries. */
  outcome: string
  seconds: number
  /** Seconds that each part took; null = it did not happen. */
  dns: number | null
  connect: number | null
  tls: number | null
  firstByte: number | null
  /** Seconds from when it was due to its first attempt; null = it was not the first. */
  firstAfter: number | null
}

/** A number for each lane. */
export interface LaneCounts {
  live: number
  replay: number
  by_hand: number
}

/** What is looked at when somebody asks. Seconds and bytes. */
export interface Readings {
  backlog: {
    oldestDue: number
    pending: LaneCounts
    held: LaneCounts
    oldestRun: number
    scheduleLag: number
  } | null
  inFlight: LaneCounts
  runs: { inFlight: number; known: number }
  /** Jobs that wait for the thread for long work. */
  longWorkWaiting: number
  /** `age`: seconds since it was renewed; null = never yet. */
  leases: Readonly<Record<'deliveries' | 'runs', { held: boolean; age: number | null }>>
  /** How often each loop gave a sign of life. */
  loopTurns: Readonly<Record<'deliveries' | 'runs' | 'scheduler', number>>
  space: { file: number; free: number; wal: number; budget: number } | null
  disk: { free: number; size: number } | null
  /** Seconds since the newest good backup began; null = there is none, or it is not known. */
  backupAge: number | null
  /** Calls that the account with the fewest has left in its minute. */
  budgetLeft: number
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
  /** Null where the system does not tell. */
  openDescriptors: number | null
  /** Seconds by which the event loop was late since this was last read. */
  loopDelay: { p50: number; p99: number; max: number }
}
