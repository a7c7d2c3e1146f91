// One delivery with all its details: as stored, as the page shows it, as calls return it.
import { type AttemptTiming, timingOf, wasSent } from '#app/domain/deliveries/attempt-timing.ts'
import type { DeliveryCause } from '#app/domain/deliveries/delivery.ts'
import type {
  FoundDelivery,
  FoundRow,
  SearchedRow,
  StoredAttempt,
  StoredDelivery,
} from '#app/domain/deliveries/stored-delivery.ts'
import { type EndpointKey, keyOf } from '#app/domain/endpoint-key.ts'
import { objectLabel } from '#app/domain/object-catalog.ts'
import { fullName, type RecordName } from '#app/domain/record-name.ts'
import { iso, isoOrNull, type Millis } from '#app/lib/clock.ts'
import { curlCommand } from '#app/lib/curl.ts'
import { chatProgramOf, textFor } from './chat/chat-message.ts'
import { webhookId } from './delivering/delivery.ts'
import {
  type DeliveryStatus,
  deliveryStatus,
  ENDED_TEXTS,
  ownerThing,
  type Waiting,
  waitingOf,
} from './delivery-status.ts'

export interface AttemptView extends Omit<StoredAttempt, keyof AttemptTiming> {
  /** False = nothing was sent: `sentence` says why. */
  sent: boolean
  delivered: boolean
  timing: AttemptTiming | null
}

export interface RequestView {
  method: 'POST'
  url: string
  /** Null when the value is set at sending time. */
  headers: { name: string; value: string | null }[]
  /** Null when no longer stored. */
  body: string | null
  /** The chat program whose format the body has; null = the event as it came. */
  chat: string | null
  /** The attempt that sent this request, the latest one; null when nothing was sent yet. */
  attempt: { number: number; at: Millis } | null
}

/** Another delivery of the same event. */
interface SiblingView extends Pick<DeliveryView, 'id' | 'status' | 'cause' | 'createdAt'> {
  url: string
  /** Name of the forwarding rule; null = the webhook's own address. */
  rule: string | null
  attempts: number
  lastCode: number | null
}

export interface DeliveryView {
  id: number
  status: DeliveryStatus
  cause: DeliveryCause
  /** The delivery's state, as a sentence. */
  sentence: string
  waiting: Waiting | null
  createdAt: Millis
  settledAt: Millis | null
  request: RequestView
  /** Newest first. */
  attempts: AttemptView[]
  /** Number of attempts made; after days of 429 more than are listed. */
  attemptsMade: number
  event: Omit<SearchedRow, 'delivery'> & Pick<RecordName, 'what' | 'who'> & { id: string; source: string }
  /** The card on the manager page; null when it was deleted. */
  owner: { label: string; card: EndpointKey | null }
  others: SiblingView[]
  /** Null when it can be sent again, otherwise why not. */
  whyNotAgain: string | null
}

/** Replaces the signature, which proves to a receiver that we sent the request and must not be shared. */
export const MASKED_SIGNATURE = 'v1,••••••••••••'

/** `version` of the product, as the user agent states it; `sentName` = the record's name when it was sent. */
export function deliveryView(
  stored: StoredDelivery,
  name: RecordName,
  now: Millis,
  version: string,
  sentName: RecordName = name,
): DeliveryView {
  const { delivery, eventId, seq, source, object, objectUuid, changedFields, receivedAt } = stored
  const { what, who } = name
  const { id, cause, createdAt, settledAt } = delivery
  return {
    id,
    status: deliveryStatus(delivery, now),
    cause,
    sentence: standingSentence(delivery, now),
    waiting: waitingOf(delivery, now),
    createdAt,
    settledAt,
    request: requestView(stored, sentName, version),
    attempts: stored.attempts.map(attemptView),
    attemptsMade: delivery.attempts,
    event: { seq, id: eventId, source, object, objectUuid, what, who, changedFields, receivedAt },
    owner: ownerView(stored),
    others: stored.others.map((other) => siblingView(other, now)),
    whyNotAgain: whyNotAgain(stored),
  }
}

/** The last attempt's answer and time; neither belongs to what another sending delivered. */
export function lastAnswer({ state, stateReason, lastCode, lastMs }: FoundDelivery) {
  const isItsOwn = state !== 'delivered' || stateReason === null
  return { lastCode: isItsOwn ? lastCode : null, lastMs: isItsOwn ? lastMs || null : null }
}

function siblingView(other: FoundDelivery, now: Millis): SiblingView {
  const { id, cause, attempts, createdAt } = other
  const { lastCode } = lastAnswer(other)
  const url = other.lastUrl ?? other.address.url
  const rule = other.address.rule ?? null
  return { id, status: deliveryStatus(other, now), cause, url, rule, attempts, lastCode, createdAt }
}

/** Describes the state of a delivery, for lists and the headline of its page. */
export function standingSentence(delivery: FoundDelivery, now: Millis): string {
  const waiting = waitingOf(delivery, now)
  if (waiting !== null) {
    const last = delivery.attempts > 0 ? delivery.lastSentence : null
    return last === null || waiting.reason.includes(last) ? waiting.reason : `${last} ${waiting.reason}`
  }
  if (delivery.state === 'delivered') return delivery.stateReason ?? delivery.lastSentence ?? 'Delivered.'
  return (
    delivery.stateReason ?? delivery.lastSentence ?? ENDED_TEXTS[delivery.state === 'expired' ? 'expired' : 'stopped']
  )
}

/** Returns the same reasons for which sending again is refused; null when it is possible. */
export function whyNotAgain({ delivery, bodyKept }: FoundRow): string | null {
  if (delivery === null) return 'It was not forwarded.'
  if (delivery.address.state === 'deleted') return `The ${ownerThing(delivery.address)} was deleted.`
  if (delivery.address.url === '') return 'The webhook no longer has an address.'
  return bodyKept ? null : 'This event is too old. We no longer keep its content.'
}

function ownerView({ owner, delivery }: StoredDelivery): DeliveryView['owner'] {
  const { webhookId, forwardingRuleId, objectType } = owner
  const label =
    webhookId === null ? `${delivery.address.rule ?? 'Forwarding'} rule` : `${objectLabel(objectType)} webhook`
  if (delivery.address.state === 'deleted') return { label: `${label} (deleted)`, card: null }
  return {
    label,
    card: webhookId ?? (forwardingRuleId === null ? null : keyOf({ kind: 'extra', id: forwardingRuleId })),
  }
}

function requestView(stored: StoredDelivery, name: RecordName, version: string): RequestView {
  const { delivery, eventId, body, attempts } = stored
  const latest = attempts.find((attempt) => wasSent(attempt.outcome)) ?? null
  const url = latest?.url ?? delivery.address.url
  return {
    method: 'POST',
    url,
    headers: requestHeaders(webhookId(eventId, delivery.endpointId), version, latest),
    body: body === null ? null : textFor(url, body, name),
    chat: chatProgramOf(url)?.name ?? null,
    attempt: latest === null ? null : { number: latest.number, at: latest.at },
  }
}

/** `attempt` is null when nothing was sent yet. */
export function requestHeaders(
  id: string,
  version: string,
  attempt: Pick<StoredAttempt, 'number' | 'at'> | null,
): RequestView['headers'] {
  return [
    { name: 'content-type', value: 'application/json' },
    { name: 'user-agent', value: `Fieldhook/${version}` },
    { name: 'webhook-id', value: id },
    { name: 'webhook-timestamp', value: attempt === null ? null : String(Math.floor(attempt.at / 1000)) },
    { name: 'webhook-signature', value: attempt === null ? null : MASKED_SIGNATURE },
    { name: 'x-fieldhook-attempt', value: String(attempt?.number ?? 1) },
  ]
}

function attemptView(attempt: StoredAttempt): AttemptView {
  const { dnsMs: _dns, connectMs: _connect, tlsMs: _tls, firstByteMs: _first, ...shown } = attempt
  const delivered = attempt.outcome === 'delivered'
  return { ...shown, sent: wasSent(attempt.outcome), delivered, timing: timingOf(attempt) }
}

/**
 * Returns the delivery as a command to run at `now`: receivers refuse old timestamps. The command has no signature,
 * because that needs the secret. Null when there is no body to send any more.
 */
export function deliveryCurl(
  { url, headers, body }: Pick<RequestView, 'url' | 'headers' | 'body'>,
  now: Millis,
): string | null {
  if (body === null || url === '') return null
  const fresh: Record<string, string> = {
    'webhook-timestamp': String(Math.floor(now / 1000)),
    'webhook-signature': 'v1,SIGN_WITH_YOUR_SECRET',
    'x-fieldhook-attempt': '1',
  }
  const sent = headers.map(({ name, value }) => [name, fresh[name] ?? value ?? ''] as const)
  return curlCommand({ url, headers: Object.fromEntries(sent), body })
}

/** The display texts for why a delivery exists. */
export const CAUSE_TEXTS: Record<DeliveryCause, string> = {
  live: 'Automatically',
  replay: 'With “send everything since”',
  retry: 'Sent again by hand',
  test: 'Test event',
}

/** A delivery as calls return it. */
export function deliveryJson(view: DeliveryView) {
  const { request, event, waiting, whyNotAgain: why } = view
  return {
    id: view.id,
    status: view.status,
    cause: view.cause,
    sentence: view.sentence,
    waiting:
      waiting === null
        ? null
        : { reason: waiting.reason, nextAttemptAt: isoOrNull(waiting.nextAt), until: iso(waiting.until) },
    createdAt: iso(view.createdAt),
    settledAt: isoOrNull(view.settledAt),
    request: {
      method: request.method,
      url: request.url,
      headers: Object.fromEntries(request.headers.map(({ name, value }) => [name, value])),
      body: request.body,
      attempt: request.attempt?.number ?? null,
      sentAt: isoOrNull(request.attempt?.at ?? null),
    },
    attempts: view.attempts.map(({ at, ...attempt }) => ({ ...attempt, at: iso(at) })),
    attemptsMade: view.attemptsMade,
    event: {
      id: event.id,
      number: event.seq,
      source: event.source,
      objectType: event.object,
      objectUuid: event.objectUuid,
      recordName: fullName(event),
      changedFields: event.changedFields,
      receivedAt: iso(event.receivedAt),
    },
    webhookId: typeof view.owner.card === 'number' ? view.owner.card : null,
    otherDeliveries: view.others.map(({ createdAt, ...other }) => ({ ...other, createdAt: iso(createdAt) })),
    canSendAgain: why === null,
  }
}

export type DeliveryJson = ReturnType<typeof deliveryJson>
