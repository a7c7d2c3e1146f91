// The data a screen shows about an endpoint, built by the use cases. Moments are epoch milliseconds.
import type { Replay } from '#app/domain/deliveries/stored-delivery.ts'
import type { EndpointKey, EndpointKind } from '#app/domain/endpoint-key.ts'
import type { PollState } from '#app/domain/polling.ts'
import type { Millis } from '#app/lib/clock.ts'

/** The status of an endpoint. */
export type WebhookStatus =
  | 'working'
  | 'waiting' // created, but nothing delivered yet
  | 'no_address' // no callback address: events are stored and shown, never forwarded
  | 'slow'
  | 'failing'
  | 'held'
  | 'paused'
  | 'stopped' // the receiver answered 410
  | 'unsubscribed' // the platform sends us no events at present, or we cannot poll for them

/** With so many missed events, the card of an address that is still tried says “or more”. */
export const MISSED_COUNTED = 500

/** What a card shows of an endpoint: a webhook, or an extra address for an object's events. */
export interface EndpointView {
  /** Identifies the card in forms and URLs. */
  id: EndpointKey
  kind: EndpointKind
  /** The name its owner chose; null for a webhook, which is named after its object. */
  name: string | null
  objectType: string
  /** Display name: `Job Activity`. */
  label: string
  callbackUrl: string
  /** Empty for all fields. */
  fields: string[]
  active: boolean
  /** Decides which buttons show: paused by its owner, stopped by the receiver (410), or given up after 72 hours. */
  state: 'active' | 'paused' | 'stopped' | 'failing'
  status: WebhookStatus
  /** One sentence for the owner, with the next step when there is one. */
  statusMessage: string
  /** How we poll for its events; null when the platform sends them. */
  polling: PollState | null
  /** Signing secret, `whsec_…`; shown on request. */
  signingSecret: string
  /** Until when events are also signed with the previous secret; null when only the current one signs. */
  previousSecretUntil: Millis | null
  /** Attempts in each of the last 24 hours, oldest first; `firstHour` = when the first began. */
  firstHour: Millis
  hours: { delivered: number; failed: number }[]
  /** Number of waiting deliveries. */
  pending: number
  /** The receiver asked us to wait. */
  asked: boolean
  nextAttemptAt: Millis | null
  lastEventAt: Millis | null
  createdAt: Millis
  /** Since when every delivery fails; null when deliveries work. */
  failingSince: Millis | null
  /** Where nothing is tried any more: undelivered events that could be sent again. Null when not counted. */
  missed: number | null
  /** "Send everything since …": running replays and one that ended recently, newest first. */
  replays: Replay[]
  /** Our address that the platform posts to, on a webhook's card; '' for none. */
  forwardingUrl: string
}

/** An endpoint as a single line, for accounts with many. */
export type EndpointLine = Pick<EndpointView, 'id' | 'kind' | 'name' | 'label' | 'callbackUrl' | 'status'>

/** The view, and the fields only the call returns. */
export interface EndpointDetails {
  view: EndpointView
  accountUuid: string
  endpointId: number
  lastSuccessAt: Millis | null
  /** The platform's uuid of a webhook's subscription; null until it is known. */
  servicem8Id: string | null
}

/** The card's heading: `Job`, or the name of an extra address. */
export function titleOf(card: { name: string | null; label: string }): string {
  return card.name ?? card.label
}

/** The endpoint's name in sentences and labels: `Job webhook`, `Zapier rule`. */
export function calledOf(card: Pick<EndpointView, 'kind' | 'name' | 'label'>): string {
  return `${titleOf(card)} ${card.kind === 'extra' ? 'rule' : 'webhook'}`
}

/** A webhook or rule that was just deleted. */
export interface DeletedView {
  key: EndpointKey
  /** `Job webhook`. */
  called: string
  /** Events that wait, and go out if the deletion is undone. */
  waiting: number
}
