// The dependencies of use cases, each of which picks its own: `Pick<App, 'store' | 'clock'>`. Only `boot.server.ts`
// fills it. Features extend `App` and `LongWork` themselves (`declare module`), so this file depends on none.
import type { Mailer } from '#app/adapters/mailer.ts'
import type { Outbound } from '#app/adapters/outbound/outbound.ts'
import type { Payments } from '#app/adapters/payments.ts'
import type { CallAsAccount, PlatformApi, PlatformOAuth } from '#app/adapters/platform.ts'
import type { SecretBox } from '#app/adapters/secret-box.ts'
import type { ReadSigned } from '#app/adapters/servicem8/servicem8-signed.ts'
import type { RuleDefinition } from '#app/domain/automations/rule.ts'
import type { CallsLeft } from '#app/domain/call-budget.ts'
import type { Backups } from '#app/domain/kept-until.ts'
import type { PaymentMode } from '#app/domain/plan.ts'
import type { BegunPolling } from '#app/domain/polling.ts'
import type { ProcessSigns } from '#app/domain/process-signs.ts'
import type { Quarantine } from '#app/domain/quarantine.ts'
import type { OperatorAccess, Readiness, ReadinessDetails } from '#app/domain/readiness.ts'
import type { Space } from '#app/domain/space.ts'
import type { WorkApart } from '#app/lib/apart.ts'
import type { Clock } from '#app/lib/clock.ts'
import type { Log } from '#app/lib/log.ts'
import type { AttemptReport } from '#db/store/deliveries.ts'
import type { AcceptedEvent, IncomingEvent } from '#db/store/events.ts'
import type { PolledTake, TakenIn } from '#db/store/records.ts'
import type { Store } from '#db/store.ts'

/** The configuration that use cases may read. Secrets and paths stay in the composition root. */
export interface Settings {
  /** Public address without a trailing slash; the base of every absolute link and ingress address. */
  origin: string
  /** Accounts whose sessions may be admin. */
  adminAccounts: ReadonlySet<string>
  /** Requested at sign-in. */
  scopes: readonly string[]
  /** True when the built-in sandbox replaces the platform. Only text on pages may depend on it. */
  sandbox: boolean
  version: string
  /** The pattern of the route that answers a path: `/deliveries/:id`; ends with `*` for an unknown address. */
  routePattern(path: string): string
  /** The payment provider; the publishable key is for the browser. */
  payments: { mode: PaymentMode; publishableKey: string | null }
  /** Path of the activity feed below the API address; missing or '' = unknown, notes are used (facts: section 8). */
  feedPath?: string
  /** Days to keep events and deliveries. */
  retentionDays?: number
  /** Contact for security reports: starts with https: or mailto:. Missing or null = no contact. */
  securityContact?: string | null
  /** Events per second for one ingress address; bursts may be ten times as large. Missing or 0 = no limit. */
  eventsPerSecond?: number
  /** Maximum endpoints per account. Missing = 1,000. */
  mostAddresses?: number
  /** Prefixes of account ids that a page without an id in its address never loads automatically. */
  autoLoadExcludes?: readonly string[]
  /** Hashes a session token for storage and lookup. Missing = plain hash. */
  sessionHash?: (token: string) => string
  /** Quarantine: a restored copy that nobody has released sends nothing. Missing = no. */
  readonly held?: boolean
  /** Held as a restored or moved copy, which makes no backups. */
  readonly isCopy?: boolean
  /** Whether the operator has set a mail server for notices. Missing = no. */
  readonly mailServer?: boolean
  /** Missing = no backups are made. */
  readonly backups?: Backups
}

/** Work done off the main thread, by name; each feature declares its functions next to them. */
// biome-ignore lint/suspicious/noEmptyInterface: features fill it
export interface LongWork {}

export interface App {
  store: Store
  clock: Clock
  log: Log
  settings: Settings
  secrets: SecretBox
  outbound: Outbound
  oauth: PlatformOAuth
  platformApi: PlatformApi
  callAsAccount: CallAsAccount
  /** The operator's mail server, for notices that the platform cannot carry; missing or null = none is set. */
  mailer?: Mailer | null
  /** The platform calls an account has left, out of those a screen may make. */
  callsLeft(accountUuid: string): Promise<CallsLeft>
  /** Null = no card payments: nothing can be paid, and no account is held for payment. */
  payments: Payments | null
  /** Adds the event to the group-commit buffer; resolves after the commit, rejects when it fails (answer 503). */
  acceptEvent(event: IncomingEvent): Promise<AcceptedEvent>
  /** The same for polled records: events, snapshots and cursor in one transaction. Rejects if nothing committed. */
  acceptPolled(take: PolledTake): Promise<TakenIn>
  /**
   * Starts polling an object that has no platform webhooks: takes the first snapshots, so that every later edit is
   * noticed. Does nothing when the object is polled already.
   */
  beginPolling(accountUuid: string, object: string): Promise<BegunPolling>
  /** Tells the delivery engine that an endpoint changed or has new events. */
  wakeDeliveries(endpointId: number): void
  /** Sends one delivery now and returns the result, for a test that a person waits for. Null = no such delivery. */
  deliverNow(deliveryId: number): Promise<AttemptReport | null>
  /**
   * Aligns the platform's subscriptions with what webhooks, forwarding rules and automations need. Null = done;
   * otherwise a sentence with the obstacle. The daily comparison retries what failed.
   */
  keepSubscribed(accountUuid: string): Promise<string | null>
  /** The record fields that the platform has to watch for an automation; empty = all, null = it needs no event. */
  fieldsOfRule(rule: Pick<RuleDefinition, 'trigger'>): string[] | null
  /** Tells the trigger loops that a rule was created, changed, enabled or disabled. */
  rulesChanged(): void
  /** Runs potentially long work off the main thread. */
  apart: WorkApart<LongWork>
  /** Tells the run engine about new runs, or about a person's decision on a run. */
  wakeRuns(): void
  /**
   * Resolves when the run has ended or waits, or after `limitMs`: for a person who waits for the result. The outcome is
   * in the store.
   */
  whenRunSettles(accountUuid: string, runId: number, limitMs: number): Promise<void>
  /** Pauses work while storage is nearly full. */
  space: Space
  /** Whether this is a restored copy in quarantine. */
  hold: Quarantine
  /** Verifies and reads the platform's signed bodies. */
  readSigned: ReadSigned
  /** Whether the database is writable and the engine runs. For `/readyz`. */
  ready(): Promise<Readiness>
  /** For monitoring: `/metrics` and the details of `/readyz`. */
  watching: {
    /** Checks this `Authorization` header against METRICS_TOKEN. */
    accessOf(authorization: string | null): OperatorAccess
    metrics(): Promise<{ contentType: string; text: string }>
    details(): Promise<ReadinessDetails>
  }
  /** Health of the process, read from memory only. */
  signs(): ProcessSigns
}

declare module '@remix-run/node' {
  interface AppLoadContext {
    app: App
    /** Set by the server for each request: the peer's address, and the CSP nonce of this response. */
    clientIp: string
    nonce: string
    /** Waits until this response has room again; false = it was closed. Remix writes without asking. */
    drained?: () => Promise<boolean>
  }
}
