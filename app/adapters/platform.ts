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
  | { outcome: 'rate_limited'; status: 429; message: string; retryAt: Millis }
  /** 5xx, no connection, no answer in time, unreadable answer. */
  | { outcome: 'unavailable'; status: number | null; message: string }

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
}

/** A record as the platform gives it: numbers, strings and quoted flags, untyped on purpose. */
export type PlatformRecord = Record<string, unknown>

/** The REST calls, each with the access token to use. Never throws for an answer; throws only for a bug. */
export interface PlatformApi {
  vendor(token: string): Promise<PlatformResult<Vendor>>
  /** Challenge happens inside this call (give it 25 s). Form-urlencoded. `fields` must not be empty. */
  subscribeObject(
    token: string,
    input: { object: string; fields: string[]; callbackUrl: string },
  ): Promise<PlatformResult<null>>
  listSubscriptions(token: string): Promise<PlatformResult<RemoteSubscription[]>>
  deleteSubscription(token: string, uuid: string): Promise<PlatformResult<null>>
  /** `filter` is a ready `$filter` text; pages by cursor until the end or `limit` records. */
  list(
    token: string,
    object: string,
    input?: { filter?: string; limit?: number },
  ): Promise<PlatformResult<PlatformRecord[]>>
  read(token: string, object: string, uuid: string): Promise<PlatformResult<PlatformRecord>>
}

/** A platform call of a connected account whose tokens the product looks after. */
export type AccountCallResult<T> =
  | PlatformResult<T>
  /** No credentials at all, or only a placeholder. */
  | { outcome: 'not_connected'; message: string }
  /** The refresh token was refused: the account has to sign in again. */
  | { outcome: 'reconnect'; message: string }

/** Runs a call with a fresh token of that account: refreshed early, once, in order, and stored before use. */
export type CallAsAccount = <T>(
  accountUuid: string,
  call: (api: PlatformApi, token: string) => Promise<PlatformResult<T>>,
) => Promise<AccountCallResult<T>>
