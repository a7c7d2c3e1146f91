/** An account's endpoints (its webhooks and extra addresses), and our subscriptions at the platform. */
import type { EndpointKind, EndpointRef } from '#app/domain/endpoint-key.ts'
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

/** What a card shows of the address of an endpoint. */
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

/** An endpoint with everything its card shows. */
export interface EndpointRecord extends EndpointFacts, EndpointRef {
  accountUuid: string
  /** What its owner calls it; null = a webhook, which has no name. */
  name: string | null
  objectType: string
  /** Comma-separated as chosen; empty = all fields. Of an extra address: its filter. */
  fields: string
  createdAt: Millis
  updatedAt: Millis
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

interface NewAddress {
  objectType: string
  url: string
  /** Comma-separated; empty = every event of the object. */
  fieldFilter: string
  active: boolean
  /** Used when it is new; a webhook that is replaced keeps its own. */
  secretSealed: string
  /** Null = nothing has to change at the platform, or it cannot be subscribed to the object. */
  subscription: SubscriptionSwitch | null
  at: Millis
}

export type NewEndpoint = NewAddress &
  ({ kind: 'webhook' /** Comma-separated as chosen. */; fields: string } | { kind: 'extra'; name: string })

export interface EndpointUpdate {
  /** Of an extra address. */
  name?: string
  fields?: { chosen: string; filter: string }
  url?: string
  active?: boolean
  subscription: SubscriptionSwitch | null
  at: Millis
}

export interface EndpointStore {
  /** Webhooks first, each kind oldest first, without deleted ones. `kind` = of this one only. */
  listEndpoints(accountUuid: string, kind?: EndpointKind): Promise<EndpointRecord[]>
  /** Of all of them, in the same order, what events they want. Reads nothing else. */
  listEndpointFields(accountUuid: string): Promise<{ objectType: string; fields: string }[]>
  findEndpoint(accountUuid: string, ref: EndpointRef): Promise<EndpointRecord | null>
  findWebhookOfObject(accountUuid: string, objectType: string): Promise<EndpointRecord | null>
  /** Deleted ones not counted. */
  countEndpoints(accountUuid: string): Promise<number>

  /**
   * Makes an endpoint and switches the subscription, all in one transaction. The webhook of an object that has one already
   * replaces it (same id, same secret, clean slate): `replaced`.
   */
  saveEndpoint(accountUuid: string, input: NewEndpoint): Promise<{ id: number; endpointId: number; replaced: boolean }>
  /**
   * Changes what is named, in one transaction. Resuming, or a new address, clears what is known about failures and makes
   * everything that waits due. Null = no such endpoint of this account.
   */
  updateEndpoint(accountUuid: string, ref: EndpointRef, change: EndpointUpdate): Promise<{ endpointId: number } | null>
  /**
   * Deletes it in one transaction; the delivery engine then ends what waits for it, in steps. `endSubscriptions` = nobody
   * else needs the object: its subscriptions become tombstones (410) and are returned, for the platform to be told.
   * Null = no such endpoint of this account.
   */
  deleteEndpoint(
    accountUuid: string,
    ref: EndpointRef,
    input: { reason: string; endSubscriptions: boolean; at: Millis },
  ): Promise<{ endpointId: number; objectType: string; ended: SubscriptionRow[] } | null>

  /**
   * Signs with this secret from now on, and with the one before as well for `overlapMs`, in one transaction. Asked again
   * within `sameRequestMs` it changes nothing. Null = no such endpoint of this account.
   */
  rotateSecret(
    accountUuid: string,
    endpointId: number,
    input: { secretSealed: string; overlapMs: number; sameRequestMs: number; at: Millis },
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
