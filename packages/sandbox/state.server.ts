// The pretend platform's state: one object, kept in one JSON file so that a restarted process still knows its accounts,
// tokens, subscriptions and pending deliveries.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Millis } from '#app/lib/clock.ts'
import type { MovableClock } from '#app/lib/clocks.server.ts'
import type { Log } from '#app/lib/log.ts'
import { DEFAULT_OPTIONS } from './default-options.ts'
import type { NamedEvent, RecordChange } from './servicem8/events.ts'
import { type CallCount, noCalls } from './servicem8/limits.ts'
import { emptyLedger, type Ledger } from './stripe/ledger.ts'
import type { AccountOptions, DeliveryView, FaultRule, OutboxItem, SandboxRecord, SubscriptionView } from './world.ts'

interface StoredFile {
  type: string
  name: string
  base64: string
}

export type DeliveryState = DeliveryView

export type Channel = 'sms' | 'email'

/** A row that the history does not show yet. */
export interface LateRow {
  channel: Channel
  row: SandboxRecord
  showAt: Millis
}

export interface AccountState {
  uuid: string
  /** By object key, then by record uuid, in order of creation. */
  records: Map<string, Map<string, SandboxRecord>>
  nextJobNumber: number
  /** By attachment uuid. */
  files: Map<string, StoredFile>
  options: AccountOptions
  outbox: OutboxItem[]
  /** Rows that the message histories do not show yet. */
  lateHistory: LateRow[]
  subscriptions: SubscriptionView[]
  deliveries: DeliveryState[]
  /** The add-on answered 429: nothing is sent to it before this time. */
  slowUntil: Millis
  slowSteps: number
  /** Keys of private apps: only hashes are stored. */
  apiKeys: ApiKey[]
  /** Calls of the add-on, and of every API key. Not kept across a restart. */
  calls: CallCount
  keyCalls: CallCount
}

/** Created by the account's owner for their own integration. It has every scope. */
interface ApiKey {
  hash: string
  madeAt: Millis
}

/** One consent of a person to the add-on. */
export interface Grant {
  id: string
  accountUuid: string
  scope: string
  grantedAt: Millis
  access: { hash: string; expiresAt: Millis }[]
  refreshHash: string
  refreshExpiresAt: Millis
  refreshes: number
  revoked: boolean
}

export interface SandboxState {
  clockOffset: Millis
  nextId: number
  accounts: Map<string, AccountState>
  grants: Grant[]
  faults: FaultRule[]
  /** The pretend payment provider's ledger. */
  payments: Ledger
}

/** The dependencies that every part of the stand-in shares. */
export interface Stage {
  clock: MovableClock
  log: Log
  /** Public address of product and sandbox. */
  origin: string
  /** `${origin}/sandbox/servicem8` */
  baseUrl: string
  appId: string
  appSecret: string
  /** Time limit for a callback, in ms of real time. */
  answerMs: number
  state: SandboxState
  nextId(): number
  /** Marks a visible change; the file is written soon. */
  touched(): void
  /** Writes the file before returning: for state that the other side relies on (tokens, subscriptions). */
  commit(): void
  /** Turns a change of a record into deliveries. Set by the delivery engine. */
  announce(account: AccountState, change: RecordChange): void
  /** Sends an event that no record change represents to its subscribers. Set by the delivery engine. */
  raise(account: AccountState, event: NamedEvent): void
}

export interface Keeper {
  state: SandboxState
  touched(): void
  commit(): void
  revision(): number
  onChange(tell: () => void): () => void
  stop(): void
}

const VERSION = 1
const SAVE_AFTER_MS = 250

/** Opens the file and keeps it up to date. Starts empty when the file is missing or cannot be read. */
export function openState(file: string | null, log: Log): Keeper {
  const state = (file && read(file, log)) || emptyState()
  const listeners = new Set<() => void>()
  let revision = 0
  let timer: NodeJS.Timeout | undefined
  let telling = false
  let dirty = false

  function write(): void {
    clearTimeout(timer)
    timer = undefined
    if (!file || !dirty) return
    dirty = false
    try {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(`${file}.new`, serialise(state), { mode: 0o600 })
      renameSync(`${file}.new`, file)
    } catch (error) {
      log.error({ error: String(error) }, 'sandbox.save_failed')
    }
  }

  function touched(): void {
    revision++
    dirty = true
    if (file && !timer) {
      timer = setTimeout(write, SAVE_AFTER_MS)
      timer.unref()
    }
    if (telling || listeners.size === 0) return
    telling = true
    setImmediate(() => {
      telling = false
      for (const tell of [...listeners]) {
        try {
          tell()
        } catch (error) {
          log.error({ error: String(error) }, 'sandbox.listener_failed')
        }
      }
    })
  }

  return {
    state,
    touched,
    commit() {
      touched()
      write()
    },
    revision: () => revision,
    onChange(tell) {
      listeners.add(tell)
      return () => listeners.delete(tell)
    },
    stop() {
      write()
      listeners.clear()
    },
  }
}

function emptyState(): SandboxState {
  return { clockOffset: 0, nextId: 1, accounts: new Map(), grants: [], faults: [], payments: emptyLedger() }
}

interface SavedAccount
  extends Omit<AccountState, 'records' | 'files' | 'calls' | 'keyCalls' | 'apiKeys' | 'lateHistory'> {
  /** Missing in a file from before API keys existed. */
  apiKeys?: ApiKey[]
  /** Missing in a file from before histories could be late. */
  lateHistory?: LateRow[]
  records: Record<string, SandboxRecord[]>
  files: Record<string, StoredFile>
}

interface SavedState extends Omit<SandboxState, 'accounts'> {
  version: number
  accounts: SavedAccount[]
}

function serialise(state: SandboxState): string {
  const saved: SavedState = {
    version: VERSION,
    ...state,
    accounts: [...state.accounts.values()].map(
      ({ calls: _calls, keyCalls: _keyCalls, records, files, ...account }) => ({
        ...account,
        records: Object.fromEntries([...records].map(([object, byUuid]) => [object, [...byUuid.values()]])),
        files: Object.fromEntries(files),
      }),
    ),
  }
  return JSON.stringify(saved)
}

function read(file: string, log: Log): SandboxState | null {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return null
  }
  try {
    const { version, accounts, ...rest } = JSON.parse(text) as SavedState
    if (version !== VERSION) throw new Error(`version ${version}`)
    return {
      ...rest,
      // A file from before payments existed has none.
      payments: { ...emptyLedger(), ...(rest.payments as Ledger | undefined) },
      accounts: new Map(accounts.map((account) => [account.uuid, revive(account)])),
    }
  } catch (error) {
    // Keep the unreadable file aside, so that it can be recovered; a demonstration must start all the same.
    log.warn({ error: String(error) }, 'sandbox.state_unreadable')
    try {
      renameSync(file, `${file}.unreadable`)
    } catch {
      // In that case the next save overwrites the file.
    }
    return null
  }
}

function revive({ records, files, ...account }: SavedAccount): AccountState {
  return {
    ...account,
    records: new Map(
      Object.entries(records).map(([object, list]) => [object, new Map(list.map((one) => [one.uuid, one]))]),
    ),
    files: new Map(Object.entries(files)),
    options: { ...DEFAULT_OPTIONS, ...account.options },
    apiKeys: account.apiKeys ?? [],
    lateHistory: account.lateHistory ?? [],
    calls: noCalls(),
    keyCalls: noCalls(),
  }
}
