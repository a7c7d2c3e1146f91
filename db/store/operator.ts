/** The operator's view of all accounts: numbers, states and times. Results never include an account's content. */
import type { FailingAddress, OutlinedAccount } from '#app/domain/operations.ts'
import type { Millis } from '#app/lib/clock.ts'

/** An account, with the facts that show whether it needs attention. */
export interface AccountOutline extends OutlinedAccount {
  createdAt: Millis
}

interface WaitingSplit {
  /** The endpoint is paused, switched off or has no address, or the account is held. */
  held: number
  /** The endpoint fails or asked for a pause: it is retried automatically. */
  backingOff: number
}

export type RoomKind = 'events' | 'runs' | 'exchanges' | 'snapshots' | 'audit'

export interface RoomTaken {
  kind: RoomKind
  /** Approximate number of rows and their bytes. Small tables are counted, larger ones estimated from samples. */
  rows: number
  bytes: number
  estimated: boolean
}

export interface AuditCount {
  action: string
  outcome: string
  /** Number of entries; an entry that stands for several requests counts as that many. */
  count: number
  latestAt: Millis
}

interface MachineFacts {
  /** `SQLite 3.51.3`, `PostgreSQL 17.5`. */
  database: string
  /** Migrations that were applied. */
  schema: number
  /** Free bytes on the disk that holds the database; null = it is another machine's. */
  diskFreeBytes: number | null
}

/** One kind of data of one account. */
export interface KeptCount {
  /** At most the requested limit. */
  count: number
  oldestAt: Millis | null
}

type KeptCounts = Record<'events' | 'runs' | 'exchanges' | 'audit', KeptCount>

export interface OperatorStore {
  accountOutlines(): Promise<AccountOutline[]>
  /** Failing endpoints, longest failing first, at most `limit`. */
  troubledEndpoints(limit: number): Promise<FailingAddress[]>
  waitingSplit(now: Millis): Promise<WaitingSplit>
  /** What uses the space; the remainder has no entry. */
  roomTaken(): Promise<RoomTaken[]>
  /** Approximate bytes of events and runs since then, and when the oldest event came in; null = there is none. */
  roomSince(since: Millis): Promise<{ bytes: number; oldestEventAt: Millis | null }>
  /** Entries since then by action and outcome, from the latest `atMost`; `all` = these are all of them. */
  countAudit(since: Millis, actions: readonly string[], atMost: number): Promise<{ counts: AuditCount[]; all: boolean }>
  machineFacts(): Promise<MachineFacts>
  /** For the account's own page: counts each kind up to `atMost`. */
  countKept(accountUuid: string, atMost: number): Promise<KeptCounts>
}
