// What a screen knows of a webhook. Built by the use cases, drawn by the pixels; moments are epoch milliseconds.

import type { EndpointKey, RuleKey } from '#app/domain/endpoint-key.ts'
import type { LookState } from '#app/domain/polling.ts'
import type { Millis } from '#app/lib/clock.ts'

/** The one honest status of a webhook. */
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

/** What a card shows of an address that events go to, whoever it belongs to. */
interface EndpointView {
  /** Names the card in forms and addresses. */
  id: EndpointKey
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
  polling: LookState | null
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
}

export interface WebhookView extends EndpointView {
  id: number
  /** Our address that the platform posts to. */
  forwardingUrl: string
}

/** A forwarding rule: one more address for an object's events. */
export interface RuleView extends EndpointView {
  id: RuleKey
  ruleId: number
  name: string
}

/** A rule in one line, where an account has many. */
export type RuleLineView = Pick<RuleView, 'id' | 'ruleId' | 'name' | 'label' | 'callbackUrl' | 'status'>

export type CardView = WebhookView | RuleView

export function isRule(card: CardView): card is RuleView {
  return 'ruleId' in card
}

/** Its heading: `Job`, or the rule's name. */
export function titleOf(card: { label: string } | { name: string }): string {
  return 'name' in card ? card.name : card.label
}

/** How a sentence or a label calls it: `Job webhook`, `Zapier rule`. */
export function calledOf(card: CardView): string {
  return isRule(card) ? `${card.name} rule` : `${card.label} webhook`
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
