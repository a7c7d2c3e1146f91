// The platform as the product sees it: what can be asked and how it can answer. The ServiceM8 adapter implements it,
// over real HTTP, against the real hosts or the sandbox; the product does not know which.
import type { Millis } from '../lib/clock.ts'

/** What a sign-in or a refresh yields. Times are ours (expiry computed from `expires_in` at receipt). */
export interface PlatformTokens {
  accessToken: string
  refreshToken: string
  expiresAt: Millis
  /** Space-separated, as granted. */
  scope: string
}

/** Every way a platform call can end other than well. `message` is the platform's own text where it gave one. */
export type PlatformFailure =
  /** 401: the token is missing, expired or revoked. */
  | { outcome: 'unauthorized'; status: number; message: string }
  /** 403: a scope is missing (the name is inside `message`) or impersonation failed. */
  | { outcome: 'forbidden'; status: number; message: string }
  /** 402: the platform account is not in good standing. */
  | { outcome: 'suspended'; status: number; message: string }
  /** 400, 404, 409, 426 and the rest of 4xx: asked wrongly, or not there. */
  | { outcome: 'refused'; status: number; message: string }
  /** 429: wait until `retryAt`. */
  | {
      outcome: 'rate_limited'
      status: 429
      message: string
      retryAt: Millis
      /** The limit of messages, not the one of calls: other calls of the account go on. */
      ofMessages?: true
    }
  /** 5xx, no connection, no answer in time, unreadable answer. */
  | {
      outcome: 'unavailable'
      status: number | null
      message: string
      /** It is certain that nothing was done: no connection, or the platform says so. */
      undone?: true
      /** The answer is longer than what is read. The next one will be, too. */
      tooLarge?: true
    }

export type PlatformResult<T> = { outcome: 'ok'; value: T } | PlatformFailure

/** OAuth 2 of the platform (`../platform` facts: section 2). */
export interface PlatformOAuth {
  authorizeUrl(input: { state: string; redirectUri: string; codeChallenge: string }): string
  exchangeCode(input: {
    code: string
    redirectUri: string
    codeVerifier: string
  }): Promise<PlatformResult<PlatformTokens>>
  /** The old refresh token is dead once this answered `ok`. `unauthorized` = the account must sign in again. */
  refresh(refreshToken: string): Promise<PlatformResult<PlatformTokens>>
}

/** `vendor.json`: who the token belongs to. */
export interface Vendor {
  uuid: string
  name: string
  /** IANA zone. */
  timezone: string
  /** '' = the platform has none. */
  email: string
}

/** One entry of the platform's own list of webhook subscriptions. */
export interface RemoteSubscription {
  uuid: string
  kind: 'object' | 'event'
  /** Object or event name, lower case. */
  subject: string
  callbackUrl: string
  fields: string[]
  active: boolean
  lastFailureReason: string | null
  /** When it failed last, `YYYY-MM-DD HH:MM:SS` in the account's zone as the platform writes it; null = it did not. */
  lastFailureAt: string | null
}

/** An e-mail the platform sends in the account's name (facts: section 6). One recipient a call. */
export interface PlatformEmail {
  to: string
  subject: string
  /** At least one of the two; neither may be empty. */
  textBody?: string
  htmlBody?: string
  cc?: string
  replyTo?: string
  regardingJobUuid?: string
  /** Of attachment records that exist already. */
  attachmentUuids?: string[]
  /** Sends as this staff member, whose signature may then be used. */
  asStaffUuid?: string
}

/** A record as the platform gives it: numbers, strings and quoted flags, untyped on purpose. */
export type PlatformRecord = Record<string, unknown>

/** Values of a record to write: text, numbers as text, flags as `0` and `1`. An empty text empties the field. */
export type RecordFields = Readonly<Record<string, string>>

/** On whose behalf a write is made: as this staff member, else as the add-on (facts: section 1). */
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
  /** Absent = the type's default template. */
  templateUuid?: string
  outputFormat: 'pdf' | 'docx' | 'jpg'
  /** The platform keeps a copy in the job's diary. */
  storeToDiary: boolean
}

export interface PlatformFile {
  /** Ours: the same over every try, so that a repeat makes no second file. */
  uuid?: string
  relatedObject: 'job' | 'company'
  relatedObjectUuid: string
  /** At most 127 characters. */
  name: string
  /** With its dot: `.pdf`. */
  fileType: string
  tags?: string
  bytes: Uint8Array
}

/**
 * Calls that change something or reach somebody. None is repeated here. How an unclear end is told: `unavailable` with `undone`
 * was certainly not done, `unavailable` without it may have been done; every other failure is a clear no.
 */
export interface PlatformWrites {
  /**
   * `uuid` chosen by us makes a repeat harmless: it is refused with 409 (facts: 5.1). Answers the uuid the platform gave, which
   * is only in a header. Scope by object (facts: 5.7).
   */
  create(
    token: string,
    object: string,
    fields: RecordFields,
    input?: ActingStaff & { uuid?: string },
  ): Promise<PlatformResult<{ uuid: string }>>
  /** Only the named fields change. */
  update(
    token: string,
    object: string,
    uuid: string,
    fields: RecordFields,
    input?: ActingStaff,
  ): Promise<PlatformResult<null>>
  /** Soft: `active` becomes 0. */
  remove(token: string, object: string, uuid: string): Promise<PlatformResult<null>>
  /** Needs publish_sms. A good answer without a message id means that nothing was sent: `unavailable` and `undone`. */
  sendSms(token: string, sms: PlatformSms): Promise<PlatformResult<{ messageId: string }>>
  /** The bytes of the file; the platform answers no id (facts: 7.1). May take a minute. */
  produceDocument(
    token: string,
    order: DocumentOrder,
  ): Promise<PlatformResult<{ bytes: Uint8Array; mediaType: string }>>
  /** Makes the attachment record, then sends its bytes; an empty record is not left behind (facts: 7.2). */
  uploadFile(token: string, file: PlatformFile): Promise<PlatformResult<{ uuid: string }>>
  /** Where the bytes of an attachment can be fetched for a few minutes, without a token. */
  fileAddress(token: string, attachmentUuid: string): Promise<PlatformResult<{ url: string }>>
  /** `path` from the configuration: the real feed's address is not known (facts: section 8). */
  postToFeed(
    token: string,
    input: { path: string; message: string; showActionBar: boolean },
  ): Promise<PlatformResult<null>>
}

/** A part of a list, and the way to the next; null = it was the last. */
export interface RecordPage {
  records: PlatformRecord[]
  next: string | null
}

export interface ListInput {
  filter?: string
  limit?: number
  /** What is kept of a record. Asked page by page, so that what nobody needs never adds up. */
  keep?: (record: PlatformRecord) => PlatformRecord
  /** Bytes of one page; a longer one is refused. Default: 32 MB. */
  mostBytes?: number
}

/** The REST calls, each with the access token to use. Never throws for an answer; throws only for a bug. */
export interface PlatformApi extends PlatformWrites {
  vendor(token: string): Promise<PlatformResult<Vendor>>
  /** Challenge happens inside this call (give it 25 s). Form-urlencoded. `fields` must not be empty. */
  subscribeObject(
    token: string,
    input: { object: string; fields: string[]; callbackUrl: string },
  ): Promise<PlatformResult<null>>
  listSubscriptions(token: string): Promise<PlatformResult<RemoteSubscription[]>>
  deleteSubscription(token: string, uuid: string): Promise<PlatformResult<null>>
  /** `filter` is a ready `$filter` text; pages by cursor until the end or `limit` records. */
  list(token: string, object: string, input?: ListInput): Promise<PlatformResult<PlatformRecord[]>>
  /**
   * One page of a list. `cursor` = `next` of the page before, absent for the first; `next` null = it was the last.
   * `routine` = the clock asks, not a person: good answers are not written down.
   */
  listPage(
    token: string,
    object: string,
    input?: { filter?: string; cursor?: string; routine?: boolean },
  ): Promise<PlatformResult<RecordPage>>
  read(token: string, object: string, uuid: string): Promise<PlatformResult<PlatformRecord>>
  /**
   * Needs the scope publish_email. A good answer without a message id means that nothing was sent (facts: section 6): that is
   * `unavailable` and `undone`. Without `undone`, an `unavailable` without status may have sent it.
   */
  sendEmail(token: string, email: PlatformEmail): Promise<PlatformResult<{ messageId: string }>>
}

/** A platform call of a connected account whose tokens the product looks after. */
export type AccountCallResult<T> =
  | PlatformResult<T>
  /** No credentials at all, or only a placeholder. */
  | { outcome: 'not_connected'; message: string }
  /** The refresh token was refused: the account has to sign in again. */
  | { outcome: 'reconnect'; message: string }

/** Whatever but an answer. */
export type CallFailure = Exclude<AccountCallResult<never>, { outcome: 'ok' }>

/** `screen`: a person waits. `background`: rules at work, which leave a reserve of the account's calls to screens. */
export type CallPriority = 'screen' | 'background'

/** Asked before each exchange with the platform made for an account; told about the platform's own limits. */
export interface CallGate {
  /** Null = go on. */
  admit(): Promise<Extract<PlatformFailure, { outcome: 'rate_limited' }> | null>
  /** The platform itself said 429 for calls: none before that moment. */
  limited(until: Millis): void
}

/** For whom a call is made. */
interface CallOptions {
  /** Default `screen`. */
  priority?: CallPriority
  /** The account's automations make it, so that it counts as used. Default: no. Pages, lists, previews and checks are free. */
  counts?: boolean
}

/**
 * Runs a call with a fresh token of that account: refreshed early, once, in order, and stored before use. Every exchange counts
 * against the account's share of calls at the platform; `background` is told `rate_limited` sooner.
 */
export type CallAsAccount = <T>(
  accountUuid: string,
  call: (api: PlatformApi, token: string) => Promise<PlatformResult<T>>,
  options?: CallOptions,
) => Promise<AccountCallResult<T>>
