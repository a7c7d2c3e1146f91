// The bag every use case draws from, as narrow as it needs: `Pick<App, 'store' | 'clock'>`. One file fills it: `boot.server.ts`.
// What only one feature can name, that feature adds to `App` and `LongWork` itself (`declare module`), so that this file knows none.
import type { Outbound } from '#app/adapters/outbound/outbound.ts'
import type { Payments } from '#app/adapters/payments.ts'
import type { CallAsAccount, PlatformApi, PlatformOAuth } from '#app/adapters/platform.ts'
import type { SecretBox } from '#app/adapters/secret-box.ts'
import type { ReadSigned } from '#app/adapters/servicem8/servicem8-signed.ts'
import type { RuleDefinition } from '#app/domain/automations/rule.ts'
import type { CallsLeft } from '#app/domain/call-budget.ts'
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

/** The part of the configuration that use cases may see. Secrets and paths stay with the composition root. */
export interface Settings {
  /** Public address without a trailing slash; every absolute link and ingress address is built from it. */
  origin: string
  /** Accounts whose sessions may be admin. */
  adminAccounts: ReadonlySet<string>
  /** Asked at sign-in. */
  scopes: readonly string[]
  /** True when the built-in stand-in plays the platform. Only words on a page may depend on it. */
  sandbox: boolean
  version: string
  /** Who takes card payments; the publishable key is for the browser. */
  payments: { mode: PaymentMode; publishableKey: string | null }
  /** Path of the platform's activity feed below its API address; absent or '' = not known, and notes stand in (facts: section 8). */
  feedPath?: string
  /** Days for which events and deliveries are kept. */
  retentionDays?: number
  /** Whom to tell about a weakness: an address that begins with https: or mailto:. Absent or null = nobody is named. */
  securityContact?: string | null
  /** Events a second that one address given to the platform may bring, and ten times as many at once. Absent or 0 = no limit. */
  eventsPerSecond?: number
  /** Addresses one account may have. Absent = 1,000. */
  mostAddresses?: number
  /** Ids that begin like this are never loaded by themselves when an address names none. */
  autoLoadExcludes?: readonly string[]
  /** What a session's token is stored and found as. Absent = its plain hash. */
  sessionHash?: (token: string) => string
  /** A restored copy that nobody has looked at yet: nothing is sent. Absent = no. */
  readonly held?: boolean
  /** Backups are made. Absent = no. */
  readonly backups?: boolean
}

/** What is done apart from the main thread, by name; each feature declares its functions beside them. */
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
  /** How many calls to the platform are left for an account, of those a screen may make. */
  callsLeft(accountUuid: string): Promise<CallsLeft>
  /** Null = no card payments: nothing can be paid, and nothing is ever held for it. */
  payments: Payments | null
  /** Into the group-commit buffer; resolves after the commit, rejects when nothing could be committed (answer 503). */
  acceptEvent(event: IncomingEvent): Promise<AcceptedEvent>
  /** The same for what was read from a list: events, snapshots and cursor in one transaction. Rejects when nothing was committed. */
  acceptPolled(take: PolledTake): Promise<TakenIn>
  /**
   * Somebody wants events of an object that the platform sends no webhooks for: takes the first look, so that everything
   * edited from now on is noticed. Changes nothing where it is looked for already.
   */
  beginPolling(accountUuid: string, object: string): Promise<BegunPolling>
  /** Tells the delivery engine that an endpoint has something new, or changed. */
  wakeDeliveries(endpointId: number): void
  /** Sends one delivery at once and tells how it went, for a test that a person waits for. Null = there is no such delivery. */
  deliverNow(deliveryId: number): Promise<AttemptReport | null>
  /**
   * The platform's subscriptions follow what webhooks, forwarding rules and automations need. Null = they do; else a sentence on
   * what is in the way. What could not be done is tried again by the daily comparison.
   */
  keepSubscribed(accountUuid: string): Promise<string | null>
  /** The record's own fields that the platform has to watch for an automation; empty = all, null = it needs no event. */
  fieldsOfRule(rule: Pick<RuleDefinition, 'trigger'>): string[] | null
  /** Tells the loops that set automations off that a rule was made, changed or switched. */
  rulesChanged(): void
  /** Does what may be long apart from the main thread. */
  apart: WorkApart<LongWork>
  /** Tells the run engine that there are new runs, or that a person decided something about one. */
  wakeRuns(): void
  /**
   * Resolves when the run has ended, or waits for something, or after `limitMs`: for a person who waits for its outcome. What
   * became of it is in the store.
   */
  whenRunSettles(accountUuid: string, runId: number, limitMs: number): Promise<void>
  /** What is not done while storage is nearly full. */
  space: Space
  /** Is this a restored copy that nobody has looked at yet? */
  hold: Quarantine
  /** Checks and reads the platform's signed bodies. */
  readSigned: ReadSigned
  /** Is the database writable and the engine turning? For `/readyz`. */
  ready(): Promise<Readiness>
  /** For whoever watches over the process, at `/metrics` and with the details of `/readyz`. */
  watching: {
    /** How the holder of this `Authorization` header stands to METRICS_TOKEN. */
    accessOf(authorization: string | null): OperatorAccess
    metrics(): Promise<{ contentType: string; text: string }>
    details(): Promise<ReadinessDetails>
  }
  /** How the process itself does, from memory alone. */
  signs(): ProcessSigns
}

declare module '@remix-run/node' {
  interface AppLoadContext {
    app: App
    /** Set by the server for each request: the peer's address, and the nonce of this answer's CSP. */
    clientIp: string
    nonce: string
  }
}
