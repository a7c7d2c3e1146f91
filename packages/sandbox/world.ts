// Long: one interface with all its records. The pretend platform's inside as the console, the receiver, the seed data
// and tests see it. `world.server.ts` creates it. The wire (`servicem8/`) works on the same state, so a change made here
// behaves exactly like one made over REST.
import type { Millis } from '#app/lib/clock.ts'
import type { MovableClock } from '#app/lib/clocks.server.ts'
import type { PaymentsWorld } from './stripe/payments-world.ts'

/** Why a person's change was refused: the error the wire would have returned. */
export interface Refusal {
  outcome: 'refused'
  status: number
  message: string
}

/** A record as it is stored: every field of the object's catalogue, times in the account's zone, flags 0 or 1, money as text. */
export type SandboxRecord = Record<string, unknown> & { uuid: string }

export type ChangeResult = { outcome: 'done'; record: SandboxRecord } | Refusal

export type JobStatus = 'Quote' | 'Work Order' | 'Unsuccessful' | 'Completed'

export const JOB_STATUSES: readonly JobStatus[] = ['Quote', 'Work Order', 'Unsuccessful', 'Completed']

export interface AccountView {
  /** The account UUID, equal to the uuid of its vendor record. */
  uuid: string
  name: string
  /** IANA zone: every time in this account without a zone uses it. */
  timezone: string
  currency: string
  /** The first active staff member: acts when no one is named. */
  ownerStaffUuid: string
  /** Now, in the account's local time: `YYYY-MM-DD HH:MM:SS`. */
  localNow: string
  /** At least one grant of the add-on can still be used or refreshed. */
  connected: boolean
}

/** One sign-in of the add-on. Tokens are never shown: only their hashes are stored. */
export interface ConnectionView {
  id: string
  accountUuid: string
  /** Space-separated, as granted. */
  scope: string
  grantedAt: Millis
  /** When the newest access token expires. */
  accessExpiresAt: Millis
  refreshes: number
  revoked: boolean
}

export interface TokenAnswer {
  access_token: string
  expires_in: number | string
  token_type: 'bearer'
  scope: string
  refresh_token: string
}

/** A message the platform sent to a person, or would have sent. */
export type OutboxItem = {
  id: number
  accountUuid: string
  at: Millis
  /** The related job, or ''. */
  jobUuid: string
} & (
  | {
      kind: 'email'
      to: string
      cc: string
      replyTo: string
      subject: string
      /** Written by any token holder: show it escaped, or in an iframe with an empty `sandbox` attribute. */
      htmlBody: string
      textBody: string
      attachments: { uuid: string; name: string }[]
      /** Staff member whose signature was inserted, or ''. */
      signedByStaffUuid: string
      messageId: string
      /** False = accepted, and it never arrives. */
      delivered: boolean
      /** Its row in the history; null = the history never shows it. */
      historyUuid: string | null
    }
  | {
      kind: 'sms'
      to: string
      message: string
      credits: number
      messageId: string
      delivered: boolean
      historyUuid: string | null
    }
  | { kind: 'staff_message'; fromStaffUuid: string; toStaffUuid: string; message: string }
  | {
      kind: 'document'
      templateType: string
      outputFormat: string
      fileName: string
      bytes: number
      /** Set when the message was stored in the job's diary: readable with `fileOf`. */
      attachmentUuid: string
    }
  | { kind: 'notification'; message: string; destinationUrl: string; body: string }
  | { kind: 'feed'; message: string; showActionBar: boolean }
)

/** A webhook subscription of the add-on. */
export interface SubscriptionView {
  uuid: string
  accountUuid: string
  kind: 'object' | 'event'
  /** Object or event name, lower case. */
  subject: string
  callbackUrl: string
  /** Watched fields; empty for the event kind. */
  fields: string[]
  uniqueId: string
  active: boolean
  deleted: boolean
  /** Made with a private app's key: the add-on neither sees nor replaces it. Missing for the add-on's own. */
  byKey?: true
  createdAt: Millis
  lastFailureReason: string | null
  lastFailureAt: Millis | null
  /** Start of the current run of failed attempts, or null. */
  failingSince: Millis | null
}

interface DeliveryAttempt {
  at: Millis
  /** Null when no answer came. */
  status: number | null
  /** '' when an answer came. */
  error: string
  durationMs: number
  /** First 200 characters of the answer. */
  answer: string
}

/** One POST of the platform to the add-on, with its retries. Lists show the newest first. */
export interface DeliveryView {
  id: number
  accountUuid: string
  /** '' for the manifest kind, which has no subscription. */
  subscriptionUuid: string
  kind: 'object' | 'event' | 'manifest'
  /** Object or event name. */
  subject: string
  recordUuid: string
  callbackUrl: string
  contentType: string
  /** The exact body that is posted. */
  body: string
  createdAt: Millis
  state: 'waiting' | 'delivered' | 'given_up' | 'dropped' | 'unsubscribed'
  /** When the next attempt is due; null when none is. */
  nextAt: Millis | null
  attempts: DeliveryAttempt[]
}

/** How one account of the platform behaves. Each option is a switch in the console; all survive a restart. */
export interface AccountOptions {
  /** Records per page when a list is requested with a cursor. */
  pageSize: number
  /** Call limits for the add-on, per minute and per day. */
  perMinute: number
  perDay: number
  /** 402 to every call: the account has not paid. */
  unpaid: boolean
  /** 426 to every call, as for plain http. */
  insistOnHttps: boolean
  /** Scopes that are withheld from a grant although they were requested. */
  withheldScopes: string[]
  /** Flags in some records (always the same), error codes in some answers and the token lifetime come in quotes. */
  quotedFlags: boolean
  /** The object's name in a delivery: `job`, `JOB`, or `Job`. */
  objectSpelling: 'lower' | 'upper' | 'title'
  /** How a delivery is wrapped: JSON, or a form whose key or value is the JSON. */
  deliveryWrapping: 'json' | 'form_key' | 'form_value'
  /** Objects that accept subscriptions although no documentation says so. */
  undocumentedWebhooks: string[]
  /** A new subscription replaces every other one of its object, including those with another address. */
  oneSubscriptionPerObject: boolean
  /** Every delivery is sent twice. */
  duplicateDeliveries: boolean
  /** Every second delivery overtakes the one before it. */
  reorderDeliveries: boolean
  /** Number of upcoming deliveries that are never sent. */
  dropNextDeliveries: number
  /** Time between a change and the first attempt, in ms of the clock. */
  deliveryDelayMs: number
  /** Webhooks of the add-on's manifest: sent to the add-on's own address as a signed JWT. */
  manifestWebhooks: { object: string; fields: string[] }[]
  /** Messaging answers 200 without a messageID and sends nothing. */
  messagingSilent: boolean
  /** Message limits (SMS and e-mail together), per minute and per 24 hours. */
  messagesPerMinute: number
  messagesPerDay: number
  /** Producing a document answers a JSON error. */
  documentsFail: boolean
  /** How many of the next messages are accepted and never arrive. */
  undeliveredNext: number
  /** 403 to `sms.json` and `email.json`, as if their scopes had been withdrawn. */
  historyRefused: boolean
  /** Minutes until a message shows in the history. */
  historyLateMinutes: number
  /** Messages never show in the history, answers neither. */
  historyMissing: boolean
  /** Every row of the history is listed twice. */
  historyDoubled: boolean
  /** The history's clock: minutes ahead of ours; negative = behind. */
  historyClockSkewMinutes: number
}

/** What a customer writes back. */
interface CustomerAnswer {
  channel: 'sms' | 'email'
  /** The number or address. */
  from: string
  text: string
}

export type FaultEffect =
  /** Answers with this status, and the body the real service is known for. 429 is plain text. */
  | { kind: 'status'; status: number; body?: string }
  /** Takes the request and never answers. */
  | { kind: 'hang' }
  /** Closes the connection before doing anything. */
  | { kind: 'drop' }
  /** Performs the request, then closes the connection without an answer. */
  | { kind: 'lose_answer' }
  /** Answers late. */
  | { kind: 'delay'; ms: number }

/** Makes the next calls of an account misbehave. */
export interface FaultRule {
  id: number
  /** Null matches every account, and calls that name none. */
  accountUuid: string | null
  /** Upper case, or '*' for any. */
  method: string
  /** Path below `/sandbox/servicem8`; `*` matches anything: `/api_1.0/job*`, `/oauth/access_token`. */
  path: string
  effect: FaultEffect
  /** How many more calls the fault applies to. */
  left: number
}

/** How a person opens the add-on inside the platform. */
export interface OpeningInput {
  /** Default: the account's owner. */
  staffUuid?: string
  /** The manifest's event name. Default `fieldhook_open`. */
  event?: string
  jobUuid?: string
  companyUuid?: string
}

/** The add-on's answer to the signed POST. */
export interface OpeningAnswer {
  /** Null when no answer came. */
  status: number | null
  contentType: string
  /** The absolute target of a redirect, else ''. */
  location: string
  body: string
  error: string
}

/** A time in seed data, converted to the account's local time when the account is created. */
export type SeedTime =
  /** This many days from today (negative: before), at the wall-clock time `HH:MM`. */
  | { days: number; at: string }
  /** This long ago. */
  | { agoMs: Millis }

export type SeedValue = string | number | boolean | null | SeedTime | readonly unknown[]

/**
 * An initial record: `uuid` and every value that differs from the object's defaults. Only the defaults, `edit_date`
 * (now when left out), `generated_job_id` (counted when left out) and `total_invoice_amount` (summed from the job's
 * lines when left out) are filled in; nothing is checked.
 */
export type SeedRecord = { uuid: string } & Record<string, SeedValue>

export interface SeedAccount {
  /** The vendor record; its uuid is the account UUID. `timezone_name` must be an IANA zone. */
  vendor: SeedRecord & { name: string; timezone_name: string; currency: string }
  /** By object key of the catalogue: `job`, `company`, `jobmaterial`, `staff`… in order of creation. */
  records: Record<string, SeedRecord[]>
  /** The number of the next job. Default: one more than the highest in the seed, at least 1001. */
  nextJobNumber?: number
  options?: Partial<AccountOptions>
}

export interface World {
  /** Public address of product and sandbox, without a trailing slash. */
  readonly origin: string
  /** `${origin}/sandbox/servicem8`: base of the wire. */
  readonly baseUrl: string
  readonly appId: string
  readonly clock: MovableClock
  /** The pretend payment provider. */
  readonly payments: PaymentsWorld

  // --- looking ---------------------------------------------------------------------------------------------------
  accounts(): AccountView[]
  findAccount(accountUuid: string): AccountView | null
  /** Every record of the object, also inactive ones, oldest first. Unknown account or object: empty. Do not mutate. */
  records(accountUuid: string, object: string): readonly SandboxRecord[]
  findRecord(accountUuid: string, object: string, uuid: string): SandboxRecord | null
  /** Bytes of an attachment, or null when none were uploaded. */
  fileOf(accountUuid: string, attachmentUuid: string): { name: string; type: string; bytes: Uint8Array } | null
  /** Newest first. */
  outbox(accountUuid: string): OutboxItem[]
  subscriptions(accountUuid: string): SubscriptionView[]
  /** Platform → add-on posts, newest first. */
  deliveries(accountUuid: string, limit?: number): DeliveryView[]
  connections(accountUuid: string): ConnectionView[]
  /** When each key of a private app was created, newest first. Keys are never shown again. */
  apiKeys(accountUuid: string): Millis[]
  /** Grows with every change of anything above: compare it to detect a stale page. */
  revision(): number
  /** Calls `tell` after every change (soon, not at once); returns the unsubscribe function. */
  onChange(tell: () => void): () => void

  // --- a person working inside the platform: webhooks fire as for any other change --------------------------------
  /** `by` is the acting staff member (default: the account's owner). */
  create(accountUuid: string, object: string, values: Record<string, unknown>, by?: string): ChangeResult
  /** Changes only the named fields. */
  update(accountUuid: string, object: string, uuid: string, values: Record<string, unknown>, by?: string): ChangeResult
  /** Soft delete: sets `active` 0. */
  remove(accountUuid: string, object: string, uuid: string, by?: string): ChangeResult
  addJob(
    accountUuid: string,
    job: { status?: JobStatus; companyUuid?: string; description?: string; address?: string; categoryUuid?: string },
  ): ChangeResult
  setJobStatus(accountUuid: string, jobUuid: string, status: JobStatus): ChangeResult
  addNote(accountUuid: string, jobUuid: string, text: string): ChangeResult
  /** Adds a tiny JPEG to the job's diary. */
  addPhoto(accountUuid: string, jobUuid: string, name?: string): ChangeResult
  /** Adds a line to the job and updates the job's total. `price` is in the account's currency, ex tax. */
  addMaterial(
    accountUuid: string,
    jobUuid: string,
    line: { name: string; quantity: number; price: number },
  ): ChangeResult
  addPayment(accountUuid: string, jobUuid: string, amount: number, method?: string): ChangeResult
  /** Null removes the job from its queue. */
  sendToQueue(accountUuid: string, jobUuid: string, queueUuid: string | null, staffUuid?: string): ChangeResult
  addBadge(accountUuid: string, jobUuid: string, badgeUuid: string): ChangeResult
  removeBadge(accountUuid: string, jobUuid: string, badgeUuid: string): ChangeResult
  markQuoteSent(accountUuid: string, jobUuid: string): ChangeResult
  /** Turns a quote into a work order, as when the customer accepts it. */
  acceptQuote(accountUuid: string, jobUuid: string): ChangeResult
  markInvoiceSent(accountUuid: string, jobUuid: string): ChangeResult
  /** Creates a booking from now + 1 day, two hours long, by default (local times `YYYY-MM-DD HH:MM:SS`). */
  schedule(
    accountUuid: string,
    jobUuid: string,
    booking?: { staffUuid?: string; start?: string; end?: string },
  ): ChangeResult
  checkIn(accountUuid: string, jobUuid: string, staffUuid?: string): ChangeResult
  /** Ends the newest open check-in of the job. */
  checkOut(accountUuid: string, jobUuid: string): ChangeResult
  /** Adds a filled-in form to the job (default: the account's first form). */
  submitForm(accountUuid: string, jobUuid: string, formUuid?: string): ChangeResult
  /** A staff member starts or ends the working day: raises an event without changing the record. */
  clockStaff(accountUuid: string, staffUuid: string, way: 'on' | 'off'): ChangeResult
  /** Adds an incoming message to the inbox. */
  receiveInboxMessage(
    accountUuid: string,
    message: { from: string; fromEmail: string; subject: string; text: string },
  ): ChangeResult

  // --- customers ---------------------------------------------------------------------------------------------------
  /** What was sent about a job and what was answered, newest first, also what the history does not show yet. */
  conversation(accountUuid: string, jobUuid: string): { channel: 'sms' | 'email'; row: SandboxRecord; shown: boolean }[]
  /** The customer writes back about a job. */
  customerAnswers(accountUuid: string, jobUuid: string, answer: CustomerAnswer): ChangeResult
  /** The customer opens an e-mail of the history. */
  openEmail(accountUuid: string, rowUuid: string): ChangeResult
  /** The e-mail comes back. */
  bounceEmail(accountUuid: string, rowUuid: string): ChangeResult

  // --- opening the add-on ------------------------------------------------------------------------------------------
  /** The JWT the platform would post: HS256 with the App Secret, claims as documented, valid for ten minutes. */
  signOpening(accountUuid: string, input?: OpeningInput): Promise<{ jwt: string; postTo: string }>
  /** Signs and posts it (raw body) the way the platform's own server does; never throws. Redirects are not followed. */
  postOpening(accountUuid: string, input?: OpeningInput): Promise<OpeningAnswer>

  // --- misbehaving -------------------------------------------------------------------------------------------------
  options(accountUuid: string): AccountOptions
  setOptions(accountUuid: string, patch: Partial<AccountOptions>): void
  faults(): FaultRule[]
  addFault(rule: {
    accountUuid?: string | null
    method?: string
    path?: string
    effect: FaultEffect
    /** Default 1. */
    times?: number
  }): FaultRule
  clearFaults(accountUuid?: string): void

  // --- the add-on's standing ---------------------------------------------------------------------------------------
  /** Issues tokens as if a person had just consented. For tests and for consoles that skip the consent page. */
  grant(accountUuid: string, scope: string): TokenAnswer
  /** Creates a private app's key, as the owner does in the settings. It is shown only once. */
  makeApiKey(accountUuid: string): string
  /** Revokes every key and ends the subscriptions made with them. */
  removeApiKeys(accountUuid: string): void
  /** Removes the add-on, as a person would: ends every token and every subscription. */
  removeAddon(accountUuid: string): void
  /** Access tokens expire now; refresh tokens still work. */
  expireAccessTokens(accountUuid: string): void
  /** Marks a subscription inactive with a reason, as after failing for a long time. */
  deactivateSubscription(accountUuid: string, subscriptionUuid: string, reason?: string): boolean
  /** Makes every pending delivery of the account due now. Returns how many. */
  retryDeliveriesNow(accountUuid: string): number
  /** Resolves when nothing is in flight and nothing is due. For tests. */
  settled(): Promise<void>

  // --- stage machinery ---------------------------------------------------------------------------------------------
  /** Moves the shared clock forward and stores the offset, so that a restart does not go back in time. */
  advanceClock(ms: Millis): void
  /** Resets records, outbox and delivery log to the first day; grants, subscriptions and options stay. */
  resetRecords(accountUuid: string): void
}
