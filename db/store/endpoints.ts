/** An account's endpoints (its webhooks and extra addresses), and our subscriptions at the platform. */
import type { AddressHealth } from '#app/domain/deliveries/delivery.ts'
import type { EndpointKind, EndpointRef } from '#app/domain/endpoint-key.ts'
import type { KnownSubscription } from '#app/domain/endpoints/upstream.ts'
import type { Millis } from '#app/lib/clock.ts'
import type { ReplayRow } from './deliveries.ts'
import type { FanOutEndpoint } from './events.ts'
import type { PollCursorRow } from './records.ts'

export type SubscriptionState = KnownSubscription['state']

/** Our subscription at the platform. Stores the secret part of its address only as a hash and a sealed copy. */
export interface SubscriptionRow extends KnownSubscription {
  accountUuid: string
  /** Comma-separated, sorted: what the platform accepted. */
  fields: string
  tokenHash: string
  tokenSealed: string
  createdAt: Millis
  updatedAt: Millis
}

/** The endpoint fields that the webhook screens read; the delivery engine writes them. */
export interface EndpointRow extends AddressHealth {
  id: number
  fieldFilter: string
  secretSealed: string
  previousSecretSealed: string | null
  /** Until when forwards are also signed with the previous secret; null = no previous secret. */
  previousSecretUntil: Millis | null
  lastAttemptAt: Millis | null
}

/** Attempts that ended in one hour. */
interface HourCount {
  delivered: number
  failed: number
}

/** The facts about an endpoint that its card shows. */
export interface EndpointFacts {
  endpoint: EndpointRow
  /** Since when and why sending is on hold for the whole account; null = not on hold. */
  accountHold: { since: Millis; reason: string } | null
  /** The object's active subscription; null when there is none. */
  subscription: SubscriptionRow | null
  /** Polling state for objects the platform sends no events for; null = not polled. */
  polling: PollCursorRow | null
  /** When the earliest pending delivery is due; null when none is pending. */
  nextDueAt: Millis | null
  /** When the latest event of the object was received. */
  lastEventAt: Millis | null
  /** Delivered in the current and the previous hour, and the mean duration in ms. */
  recentDelivered: number
  recentMeanMs: number | null
  /** Attempts in each of the last 24 hours, oldest first; `firstHour` = when the first began. */
  firstHour: Millis
  hours: HourCount[]
  /** The latest replays, newest first, including ended ones. */
  replays: ReplayRow[]
}

/** An endpoint with everything its card shows. */
export interface EndpointRecord extends EndpointFacts, EndpointRef {
  accountUuid: string
  /** The name its owner chose; null for a webhook, which has no name. */
  name: string | null
  objectType: string
  /** Comma-separated as chosen; empty = all fields. For an extra address: its filter. */
  fields: string
  createdAt: Millis
  updatedAt: Millis
}

/** What an endpoint is and wants. */
export interface EndpointOutline extends EndpointRef, Pick<EndpointRecord, 'name' | 'objectType' | 'fields'> {
  endpointId: number
  url: string
}

/** The result of a secret rotation. */
export interface SecretRotation {
  /** False = a rotation shortly before counts as the same request: `secretSealed` is from that one. */
  rotated: boolean
  secretSealed: string
  previousSecretUntil: Millis
}

/** A subscription the platform accepted, to activate together with the endpoint it was created for. */
export interface SubscriptionSwitch {
  id: number
  fields: string
  /** Until when the replaced subscription is still accepted. */
  replacedUntil: Millis
}

export interface NewAddress extends Pick<FanOutEndpoint, 'objectType' | 'url' | 'fieldFilter'> {
  active: boolean
  /** Used for a new endpoint; a replaced webhook keeps its secret. */
  secretSealed: string
  /** Null = the platform needs no change, or cannot be subscribed to the object. */
  subscription: SubscriptionSwitch | null
  at: Millis
}

export type NewEndpoint = NewAddress &
  ({ kind: 'webhook' /** Comma-separated as chosen. */; fields: string } | { kind: 'extra'; name: string })

export interface EndpointUpdate {
  /** For an extra address only. */
  name?: string
  fields?: { chosen: string; filter: string }
  url?: string
  active?: boolean
  subscription: SubscriptionSwitch | null
  at: Millis
}

/** A deleted endpoint, as far as its deletion can be undone. */
export interface DeletedEndpoint extends Pick<EndpointRecord, 'name' | 'objectType' | 'fields'> {
  /** Deliveries that are neither sent nor ended. */
  pendingCount: number
}

export interface EndpointStore {
  /** Webhooks first, then oldest first within each kind, without deleted ones. `kind` limits the list to one kind. */
  listEndpoints(accountUuid: string, kind?: EndpointKind): Promise<EndpointRecord[]>
  /** What each endpoint is and wants, in the same order, without what its card shows. */
  listOutlines(accountUuid: string): Promise<EndpointOutline[]>
  findEndpoint(accountUuid: string, ref: EndpointRef): Promise<EndpointRecord | null>
  findWebhookOfObject(accountUuid: string, objectType: string): Promise<EndpointRecord | null>
  /** Excludes deleted endpoints. */
  countEndpoints(accountUuid: string): Promise<number>

  /**
   * Creates an endpoint and switches the subscription in one transaction. `replaced` = the object already had a
   * webhook, which was replaced (same id, same secret, clean slate): what differs from it.
   */
  saveEndpoint(
    accountUuid: string,
    input: NewEndpoint,
  ): Promise<{ id: number; endpointId: number; replaced: EndpointUpdate | null }>
  /**
   * Changes only the given fields, in one transaction. Resuming or a new address clears the failure state and makes all
   * pending deliveries due. Null = no such endpoint of this account.
   */
  updateEndpoint(accountUuid: string, ref: EndpointRef, change: EndpointUpdate): Promise<{ endpointId: number } | null>
  /**
   * Deletes the endpoint in one transaction; the delivery engine then ends its pending deliveries in steps.
   * `endSubscriptions` = nothing else needs the object: its subscriptions become tombstones (410) and are returned, to
   * be removed at the platform. Null = no such endpoint of this account.
   */
  deleteEndpoint(
    accountUuid: string,
    ref: EndpointRef,
    input: { endSubscriptions: boolean; at: Millis },
  ): Promise<{ endpointId: number; objectType: string; ended: SubscriptionRow[] } | null>

  /** An endpoint that was deleted at or after `since`, for an undo. Null = none of this account. */
  findDeletedEndpoint(accountUuid: string, ref: EndpointRef, since: Millis): Promise<DeletedEndpoint | null>
  /**
   * Undoes a deletion at or after `since`, in one transaction: the endpoint is there again with a clean slate, and its
   * pending deliveries are due. `paused` = it was paused or stopped, and stays paused. Null = there is nothing to undo.
   */
  restoreEndpoint(
    accountUuid: string,
    ref: EndpointRef,
    input: { since: Millis; subscription: SubscriptionSwitch | null; at: Millis },
  ): Promise<{ endpointId: number; objectType: string; paused: boolean } | null>

  /**
   * Signs with this secret from now on, and also with the previous one for `overlapMs`, in one transaction. A repeat
   * within `sameRequestMs` changes nothing. Null = no such endpoint of this account.
   */
  rotateSecret(
    accountUuid: string,
    endpointId: number,
    input: { secretSealed: string; overlapMs: number; sameRequestMs: number; at: Millis },
  ): Promise<SecretRotation | null>

  /** All subscriptions of the account, in every state, oldest first. */
  listSubscriptions(accountUuid: string): Promise<SubscriptionRow[]>
  /** Accounts whose subscriptions should be compared with the platform's list, also disconnected ones; `only` = of these. */
  accountsToReconcile(only?: string): Promise<string[]>
  /** Adds a `pending` subscription and returns its id. Stored before the platform call, so its challenge is known. */
  beginSubscription(
    accountUuid: string,
    input: { object: string; fields: string; tokenHash: string; tokenSealed: string; at: Millis },
  ): Promise<number>
  /** Removes a `pending` subscription that the platform refused. Others stay. */
  dropPendingSubscription(accountUuid: string, id: number): Promise<void>
  /** Makes this subscription the object's active one and the active one a replaced one, in one transaction. */
  switchSubscription(accountUuid: string, input: SubscriptionSwitch & { at: Millis }): Promise<void>
  /** Sets only the given fields of one subscription. */
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
