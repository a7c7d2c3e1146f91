// What a screen knows of an endpoint. Built by the use cases, drawn by the pixels; moments are epoch milliseconds.
import type { EndpointKey, EndpointKind } from '#app/domain/endpoint-key.ts'
import type { PollState } from '#app/domain/polling.ts'
import type { Millis } from '#app/lib/clock.ts'

/** The one honest status of an endpoint. */
export type WebhookStatus =
  | 'working'
  | 'waiting' // made, but nothing has been delivered yet
  | 'no_address' // no callback address: events are kept and shown, nothing is forwarded
  | 'slow'
  | 'failing'
  | 'held'
  | 'paused'
  | 'stopped' // the receiver answered 410
  | 'unsubscribed' // at present the platform does not send us events, or we cannot look for them

/** What a card shows of an endpoint: a webhook, or an extra address for an object's events. */
export interface EndpointView {
  /** Names the card in forms and addresses. */
  id: EndpointKey
  kind: EndpointKind
  /** What its owner calls it; null = a webhook, which goes by its object. */
  name: string | null
  objectType: string
  /** For people: `Job Activity`. */
  label: string
  callbackUrl: string
  /** Empty = all fields. */
  fields: string[]
  active: boolean
  /** What its buttons depend on: paused by its owner, stopped by the receiver (410), given up after 72 hours. */
  state: 'active' | 'paused' | 'stopped' | 'failing'
  status: WebhookStatus
  /** One sentence an owner would say, with the next step when there is one. */
  statusMessage: string
  /** How we look for its events ourselves; null = the platform sends them. */
  polling: PollState | null
  /** Signing secret, `whsec_…`; shown on demand. */
  signingSecret: string
  /** Until when events are signed with the secret before as well; null = with this one only. */
  previousSecretUntil: Millis | null
  /** Deliveries that wait. */
  pending: number
  nextAttemptAt: Millis | null
  lastEventAt: Millis | null
  createdAt: Millis
  /** Since when nothing could be delivered; null = it can. */
  failingSince: Millis | null
  /** Stopped or given up: events that were not delivered because of it and could be sent again. Null = not counted. */
  missed: number | null
  /** "Send everything since …": those that run, and one that ended a short while ago. Newest first. */
  replays: ReplayView[]
  /** Our address that the platform posts to, on the card of a webhook; '' = none. */
  forwardingUrl: string
}

/** An endpoint in one line, where an account has many. */
export type EndpointLine = Pick<EndpointView, 'id' | 'kind' | 'name' | 'label' | 'callbackUrl' | 'status'>

/** The view, and what only the call's answer shows. */
export interface EndpointDetails {
  view: EndpointView
  accountUuid: string
  endpointId: number
  /** The platform's uuid of a webhook's subscription; null until it was learned. */
  servicem8Id: string | null
}

/** Its heading: `Job`, or the name of an extra address. */
export function titleOf(card: { name: string | null; label: string }): string {
  return card.name ?? card.label
}

/** How a sentence or a label calls it: `Job webhook`, `Zapier rule`. */
export function calledOf(card: Pick<EndpointView, 'kind' | 'name' | 'label'>): string {
  return `${titleOf(card)} ${card.kind === 'extra' ? 'rule' : 'webhook'}`
}

/** Sending everything since a moment again, and how far it has come. */
export interface ReplayView {
  id: number
  since: Millis
  status: 'all' | 'failed'
  /** Of this record only. */
  objectUuid: string | null
  state: 'running' | 'done' | 'cancelled'
  /** How many were found when it was asked for. */
  total: number
  delivered: number
  undelivered: number
  createdAt: Millis
  endedAt: Millis | null
}
