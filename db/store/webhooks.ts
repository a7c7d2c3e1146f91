/** Webhooks, the endpoints they forward to, and our subscriptions at the platform. */
import type { Millis } from '#app/lib/clock.ts'
import type { ReplayRow } from './deliveries.ts'
import type { PollCursorRow } from './records.ts'

export type SubscriptionState = 'pending' | 'active' | 'replaced' | 'deleted'

/** Our subscription at the platform. The secret part of its address is only here as hash and sealed copy. */
export interface SubscriptionRow {
  id: number
  accountUuid: string
  object: string
  /** Comma-separated, sorted: what the platform accepted. */
  fields: string
  tokenHash: string
  tokenSealed: string
  platformUuid: string | null
  state: SubscriptionState
  /** Active: why nothing arrives at present. Replaced or deleted: the platform may still hold it. Null = all is well. */
  stateReason: string | null
  /** Replaced: accepted until then. */
  endsAt: Millis | null
  createdAt: Millis
  updatedAt: Millis
}

export interface WebhookRow {
  id: number
  accountUuid: string
  objectType: string
  /** Comma-separated as chosen; empty = all fields. */
  fields: string
  createdAt: Millis
  updatedAt: Millis
}

/** The part of an endpoint that the webhook screens read; the delivery engine writes it. */
export interface EndpointRow {
  id: number
  url: string
  fieldFilter: string
  secretSealed: string
  /** Until when forwards are signed with the secret before as well; null = there was none. */
  previousSecretUntil: Millis | null
  state: 'active' | 'paused' | 'stopped' | 'failing' | 'deleted'
  stateReason: string | null
  stateSince: Millis
  holdUntil: Millis | null
  holdReason: string | null
  breaker: 'closed' | 'open'
  nextProbeAt: Millis | null
  failingSince: Millis | null
  lastSuccessAt: Millis | null
  lastAttemptAt: Millis | null
  lastCode: number | null
  lastSentence: string | null
  pendingCount: number
}

/** What a card shows of an endpoint, a webhook's or a forwarding rule's. */
export interface EndpointFacts {
  endpoint: EndpointRow
  /** Since when and why nothing is sent for the account at all; null = it is. */
  accountHold: { since: Millis; reason: string } | null
  /** The active one of its object, null when there is none. */
  subscription: SubscriptionRow | null
  /** How its object is read from lists, where the platform sends nothing for it; null = it is not. */
  polling: PollCursorRow | null
  /** When the earliest waiting delivery is due, null when none waits. */
  nextDueAt: Millis | null
  /** When the latest event of the object was received. */
  lastEventAt: Millis | null
  /** Attempts of the current and the previous hour, and their mean duration in ms. */
  recentAttempts: number
  recentMeanMs: number | null
  /** The latest few, newest first, ended ones included. */
  replays: ReplayRow[]
}

/** A webhook with everything its card shows. */
export interface WebhookRecord extends EndpointFacts {
  webhook: WebhookRow
}

/** What became of a new signing secret. */
export interface SecretRotation {
  /** False = one was made so shortly before that this is the same wish: `secretSealed` is that one. */
  rotated: boolean
  secretSealed: string
  previousSecretUntil: Millis
}

/** A subscription the platform accepted, to be made the active one together with what it was made for. */
export interface SubscriptionSwitch {
  id: number
  fields: string
  /** Until when the one it replaces is still accepted. */
  replacedUntil: Millis
}

export interface NewWebhook {
  objectType: string
  fields: string
  url: string
  fieldFilter: string
  active: boolean
  /** Used when the webhook is new; one that is replaced keeps its own. */
  secretSealed: string
  /** Null = the platform cannot be subscribed to the object: it is read from lists. */
  subscription: SubscriptionSwitch | null
  at: Millis
}

export interface WebhookUpdate {
  fields?: { chosen: string; filter: string }
  url?: string
  active?: boolean
  subscription: SubscriptionSwitch | null
  at: Millis
}

export interface WebhookStore {
  /** Oldest first, without deleted ones. */
  listWebhooks(accountUuid: string): Promise<WebhookRecord[]>
  findWebhook(accountUuid: string, id: number): Promise<WebhookRecord | null>
  findWebhookOfObject(accountUuid: string, objectType: string): Promise<WebhookRecord | null>

  /**
   * Makes the account's webhook of the object, or replaces the one there is (same id, same secret, clean slate for its
   * endpoint), and switches the subscription, all in one transaction. `replaced` = there was one.
   */
  saveWebhook(accountUuid: string, input: NewWebhook): Promise<{ id: number; endpointId: number; replaced: boolean }>
  /**
   * Changes what is named, in one transaction. Resuming, or a new address, clears what is known about failures and makes
   * everything that waits due. Null = no such webhook of this account.
   */
  updateWebhook(accountUuid: string, id: number, change: WebhookUpdate): Promise<{ endpointId: number } | null>
  /**
   * Deletes it, its endpoint with it, in one transaction; the delivery engine then ends what waits for the endpoint, in
   * steps. `endSubscriptions` = nobody else needs the object: its subscriptions become tombstones (410) and are returned,
   * for the platform to be told.
   * Null = no such webhook of this account.
   */
  deleteWebhook(
    accountUuid: string,
    id: number,
    input: { reason: string; endSubscriptions: boolean; at: Millis },
  ): Promise<{ endpointId: number; objectType: string; ended: SubscriptionRow[] } | null>

  /**
   * Signs with this secret from now on, and with the one before as well for `overlapMs`, in one transaction. Asked again
   * within `sameWishMs` it changes nothing. Null = no such endpoint of this account.
   */
  rotateSecret(
    accountUuid: string,
    endpointId: number,
    input: { secretSealed: string; overlapMs: number; sameWishMs: number; at: Millis },
  ): Promise<SecretRotation | null>

  /** Every subscription of the account, of all objects and states, oldest first. */
  listSubscriptions(accountUuid: string): Promise<SubscriptionRow[]>
  /** Accounts whose subscriptions should be compared with the platform's list, those not connected included. */
  accountsToReconcile(): Promise<string[]>
  /** Adds a `pending` one and returns its id: on disk before the platform is called, so that its challenge is known. */
  beginSubscription(
    accountUuid: string,
    input: { object: string; fields: string; tokenHash: string; tokenSealed: string; at: Millis },
  ): Promise<number>
  /** Removes a `pending` one the platform refused. Anything else stays. */
  dropPendingSubscription(accountUuid: string, id: number): Promise<void>
  /** Makes this one the object's active one and the active one a replaced one, in one transaction. */
  switchSubscription(accountUuid: string, input: SubscriptionSwitch & { at: Millis }): Promise<void>
  /** Sets what is named of one subscription. */
  updateSubscription(
    accountUuid: string,
    id: number,
    change: {
      platformUuid?: string | null
      state?: SubscriptionState
      stateReason?: string | null
      endsAt?: Millis | null
      at: Millis
    },
  ): Promise<void>
}
