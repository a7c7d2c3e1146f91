// The platform as the product sees it: its calls and their outcomes. The ServiceM8 adapter implements it over real
// HTTP, against the real hosts or the sandbox; the product does not know which.
import type { Millis } from '../lib/clock.ts'

/** The tokens from a sign-in or a refresh. Times use our clock (expiry computed from `expires_in` at receipt). */
export interface PlatformTokens {
  accessToken: string
  refreshToken: string
  expiresAt: Millis
  /** Space-separated, as granted. */
  scope: string
}

/** Every way a platform call can fail. `message` is the platform's own text when it sent one. */
export type PlatformFailure =
  /** 401: the token is missing, expired or revoked. */
  | { outcome: 'unauthorized'; status: number; message: string }
  /** 403: a scope is missing (the name is inside `message`) or impersonation failed. */
  | { outcome: 'forbidden'; status: number; message: string }
  /** 402: the platform account is not in good standing. */
  | { outcome: 'suspended'; status: number; message: string }
  /** 400, 404, 409, 426 and the rest of 4xx: a wrong request, or no such record. */
  | { outcome: 'refused'; status: number; message: string }
  /** 429: wait until `retryAt`. */
  | {
      outcome: 'rate_limited'
      status: 429
      message: string
      retryAt: Millis
      /** The limit for messages, not the one for calls: the account's other calls continue. */
      ofMessages?: true
    }
  /** 5xx, no connection, a timeout, or an unreadable answer. */
  | {
      outcome: 'unavailable'
      status: number | null
      message: string
      /** The platform certainly did nothing: there was no connection, or the platform says so. */
      undone?: true
      /** The answer exceeds the size limit. A retry would too. */
      tooLarge?: true
    }

export type PlatformResult<T> = { outcome: 'ok'; value: T } | PlatformFailure

/** The platform's OAuth 2 (`../platform` facts: section 2). */
export interface PlatformOAuth {
  authorizeUrl(input: { state: string; redirectUri: string; codeChallenge: string }): string
  exchangeCode(input: {
    code: string
    redirectUri: string
    codeVerifier: string
  }): Promise<PlatformResult<PlatformTokens>>
  /** The old refresh token stops working once this returns `ok`. `unauthorized` = the account must sign in again. */
  refresh(refreshToken: string): Promise<PlatformResult<PlatformTokens>>
}

/** `vendor.json`: the account that owns the token. */
export interface Vendor {
  uuid: string
  name: string
  /** IANA zone. */
  timezone: string
  /** Empty when the platform has none. */
  email: string
}

/** One entry of the platform's list of webhook subscriptions. */
export interface RemoteSubscription {
  uuid: string
  kind: 'object' | 'event'
  /** Object or event name, lower case. */
  subject: string
  callbackUrl: string
  fields: string[]
  active: boolean
  lastFailureReason: string | null
  /** Time of the last failure, `YYYY-MM-DD HH:MM:SS` in the account's zone as the platform writes it; null = none. */
  lastFailureAt: string | null
}

/** An email the platform sends in the account's name (facts: section 6). One recipient per call. */
export interface PlatformEmail {
  to: string
  subject: string
  /** At least one of the two bodies is set; neither may be empty. */
  textBody?: string
  htmlBody?: string
  cc?: string
  replyTo?: string
  regardingJobUuid?: string
  /** Uuids of existing attachment records. */
  attachmentUuids?: string[]
  /** Sends as this staff member and may use their signature. */
  asStaffUuid?: string
}

/** A record as the platform returns it: numbers, strings and quoted flags, untyped on purpose. */
export type PlatformRecord = Record<string, unknown>

/** Field values to write: text, numbers as text, flags as `0` and `1`. An empty string empties the field. */
export type RecordFields = Readonly<Record<string, string>>

/** Who makes a write: this staff member, or the add-on when missing (facts: section 1). */
export interface ActingStaff {
  asStaffUuid?: string
}

export interface PlatformSms {
  /** E.164. */
  to: string
  message: string
  regardingJobUuid?: string
}

export interface DocumentOrder {
  objectType: 'Job' | 'Company'
  objectUuid: string
  templateType: string
  /** Missing = the type's default template. */
  templateUuid?: string
  outputFormat: 'pdf' | 'docx' | 'jpg'
  /** The platform keeps a copy in the job's diary. */
  storeToDiary: boolean
}

export interface PlatformFile {
  /** Our id, the same for every attempt, so that a repeat creates no second file. */
  uuid?: string
  relatedObject: 'job' | 'company'
  relatedObjectUuid: string
  /** At most 127 characters. */
  name: string
  /** Includes the dot: `.pdf`. */
  fileType: string
  tags?: string
  bytes: Uint8Array
}

/**
 * Calls that change something or reach a person; none is retried here. `unavailable` with `undone`: certainly not done.
 * `unavailable` without it: may have been done. Every other failure: certainly not done.
 */
export interface PlatformWrites {
  /**
   * Our own `uuid` makes a repeat harmless: the platform refuses it with 409 (facts: 5.1). Returns the platform's uuid,
   * which is only in a header. The scope depends on the object (facts: 5.7).
   */
  create(
    token: string,
    object: string,
    fields: RecordFields,
    input?: ActingStaff & { uuid?: string },
  ): Promise<PlatformResult<{ uuid: string }>>
  /** Changes only the given fields. */
  update(
    token: string,
    object: string,
    uuid: string,
    fields: RecordFields,
    input?: ActingStaff,
  ): Promise<PlatformResult<null>>
  /** Soft delete: sets `active` to 0. */
  remove(token: string, object: string, uuid: string): Promise<PlatformResult<null>>
  /** Needs publish_sms. A success without a message id means that nothing was sent: `unavailable` and `undone`. */
  sendSms(token: string, sms: PlatformSms): Promise<PlatformResult<{ messageId: string }>>
  /** Returns the bytes of the file; the platform returns no id (facts: 7.1). May take a minute. */
  produceDocument(
    token: string,
    order: DocumentOrder,
  ): Promise<PlatformResult<{ bytes: Uint8Array; mediaType: string }>>
  /** Creates the attachment record, then uploads its bytes; removes the record if the upload fails (facts: 7.2). */
  uploadFile(token: string, file: PlatformFile): Promise<PlatformResult<{ uuid: string }>>
  /** A URL for the bytes of an attachment; works for a few minutes, without a token. */
  fileAddress(token: string, attachmentUuid: string): Promise<PlatformResult<{ url: string }>>
  /** `path` comes from the configuration: the real feed's address is not known (facts: section 8). */
  postToFeed(
    token: string,
    input: { path: string; message: string; showActionBar: boolean },
  ): Promise<PlatformResult<null>>
}

/** One page of a list and the cursor of the next; null = last page. */
export interface RecordPage {
  records: PlatformRecord[]
  next: string | null
}

export interface ListInput {
  filter?: string
  limit?: number
  /** Reduces each record to the fields to keep, page by page, so unneeded data does not pile up in memory. */
  keep?: (record: PlatformRecord) => PlatformRecord
  /** Maximum bytes of one page; a larger page is refused. Default: 32 MB. */
  mostBytes?: number
}

/** The REST calls, each with its access token. Never throws for an answer; throws only for a bug. */
export interface PlatformApi extends PlatformWrites {
  vendor(token: string): Promise<PlatformResult<Vendor>>
  /** The platform sends its challenge during this call (allow 25 s). Form-urlencoded. `fields` must not be empty. */
  subscribeObject(
    token: string,
    input: { object: string; fields: string[]; callbackUrl: string },
  ): Promise<PlatformResult<null>>
  listSubscriptions(token: string): Promise<PlatformResult<RemoteSubscription[]>>
  deleteSubscription(token: string, uuid: string): Promise<PlatformResult<null>>
  /** `filter` is a complete `$filter` text. Reads pages by cursor until the end or `limit` records. */
  list(token: string, object: string, input?: ListInput): Promise<PlatformResult<PlatformRecord[]>>
  /**
   * One page of a list. `cursor` = `next` of the page before, missing for the first; `next` is null on the last page.
   * `routine` = a scheduled call, not a person's: successful answers are not logged.
   */
  listPage(
    token: string,
    object: string,
    input?: { filter?: string; cursor?: string; routine?: boolean },
  ): Promise<PlatformResult<RecordPage>>
  read(token: string, object: string, uuid: string): Promise<PlatformResult<PlatformRecord>>
  /**
   * Needs the scope publish_email. A success answer without a message id means that nothing was sent (facts: section
   * 6): `unavailable` and `undone`. `unavailable` without `undone` may have sent it.
   */
  sendEmail(token: string, email: PlatformEmail): Promise<PlatformResult<{ messageId: string }>>
}

/** The result of a platform call for a connected account whose tokens the product manages. */
export type AccountCallResult<T> =
  | PlatformResult<T>
  /** No credentials, or only a placeholder. */
  | { outcome: 'not_connected'; message: string }
  /** The platform refused the refresh token: the account has to sign in again. */
  | { outcome: 'reconnect'; message: string }

/** Every outcome except `ok`. */
export type CallFailure = Exclude<AccountCallResult<never>, { outcome: 'ok' }>

/** `screen`: a person waits. `background`: automations, which leave part of the account's calls for screens. */
export type CallPriority = 'screen' | 'background'

/** Checked before each exchange for an account; also receives the platform's own rate limits. */
export interface CallGate {
  /** Null = proceed. */
  admit(): Promise<Extract<PlatformFailure, { outcome: 'rate_limited' }> | null>
  /** The platform returned 429 for calls: make none before `until`. */
  limited(until: Millis): void
}

/** How a call for an account is made. */
interface CallOptions {
  /** Default `screen`. */
  priority?: CallPriority
  /** The account's automations call, so it counts. Default: no. Pages, lists, previews and checks are free. */
  counts?: boolean
}

/**
 * Runs a call with a fresh token of the account: refreshed early, once, in order, and stored before use. Every exchange
 * counts against the account's share of platform calls; `background` calls get `rate_limited` sooner.
 */
export type CallAsAccount = <T>(
  accountUuid: string,
  call: (api: PlatformApi, token: string) => Promise<PlatformResult<T>>,
  options?: CallOptions,
) => Promise<AccountCallResult<T>>
