/** What the operator sees of everybody: numbers, states and moments. No content of an account is in any of these answers. */
import type { Millis } from '#app/lib/clock.ts'

/** An account with what decides whether it needs care. */
export interface AccountOutline {
  uuid: string
  /** The account's own name; '' until somebody signed in. */
  name: string
  createdAt: Millis
  /** Null = never connected. */
  connection: 'connected' | 'reconnect' | null
  plan: { status: string; trialEndsAt: Millis; cancelAtPeriodEnd: boolean; heldSince: Millis | null } | null
  /** Deliveries that wait, whatever for. */
  waiting: number
  endpoints: number
  failing: number
  failingSince: Millis | null
  /** Stopped by their receivers. */
  stopped: number
}

/** An address that fails, without the address. */
export interface FailingEndpoint {
  accountUuid: string
  accountName: string
  since: Millis
  /** 72 hours without success: nothing is sent any more. */
  switchedOff: boolean
  /** Of its latest answer; null = it gave none. */
  code: number | null
  /** How a latest attempt ended that is still waiting to be made again; null = not known. */
  outcome: string | null
}

interface WaitingSplit {
  /** Paused, switched off, without an address, or of an account that is held. */
  held: number
  /** The address fails or asked for a pause: it is tried again by itself. */
  backingOff: number
}

export type RoomKind = 'events' | 'runs' | 'exchanges' | 'snapshots' | 'audit'

export interface RoomTaken {
  kind: RoomKind
  /** About how many there are, and what they take. Counted where there are few, else estimated from samples. */
  rows: number
  bytes: number
  estimated: boolean
}

export interface AuditCount {
  action: string
  outcome: string
  /** How many entries; of entries that stand for more requests, how many those were. */
  count: number
  latestAt: Millis
}

interface MachineFacts {
  /** `SQLite 3.51.3`. */
  database: string
  /** Migrations that were applied. */
  schema: number
  /** Of the disk the file is on. */
  diskFreeBytes: number
}

/** One kind of data of one account. */
export interface KeptCount {
  /** At most as many as were to be counted. */
  count: number
  oldestAt: Millis | null
}

type KeptCounts = Record<'events' | 'runs' | 'exchanges' | 'audit', KeptCount>

export interface OperatorStore {
  accountOutlines(): Promise<AccountOutline[]>
  /** Those that fail longest first, at most `limit`. */
  troubledEndpoints(limit: number): Promise<FailingEndpoint[]>
  waitingSplit(now: Millis): Promise<WaitingSplit>
  /** What takes the room; what stays unnamed is the rest. */
  roomTaken(): Promise<RoomTaken[]>
  /** Bytes that came in with events and runs since then, about, and when the oldest event came in; null = there is none. */
  roomSince(since: Millis): Promise<{ bytes: number; oldestEventAt: Millis | null }>
  /** Entries since then by action and outcome, of the latest `atMost`; `all` = it were not more. */
  countAudit(since: Millis, actions: readonly string[], atMost: number): Promise<{ counts: AuditCount[]; all: boolean }>
  machineFacts(): Promise<MachineFacts>
  /** For the account's own page: counts up to `atMost` of each kind. */
  countKept(accountUuid: string, atMost: number): Promise<KeptCounts>
}
