// The model of pending and in-flight deliveries: small, strict, and written from the design page and the contract. It
// receives everything that happens (outgoing requests, changed rows) and reports violations.
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import type { Meaning } from './answers.ts'
import { gatesAt, type ModelEndpoint, opensAt, whyShut } from './endpoint.ts'

export const KEPT_FOR = hours(72)
/** A last attempt is due at the deadline; it may start this much later, since a slot may take a moment. */
export const GRACE = minutes(1)
/** How long something may be due without activity: after a 429 up to 10 s lie between two starts. */
const IDLE_AT_MOST = seconds(15)
/** "A manual retry is sent within 10 s." */
const BY_HAND_WITHIN = seconds(10)
/** Pending deliveries of a stopped endpoint end within this time; of a deleted one once nobody can undo it. */
const ENDED_WITHIN = minutes(2)
const UNDO_KEPT = minutes(10)
const MOST_AT_ONCE = 4

export interface DeliveryRow {
  id: number
  eventSeq: number
  endpointId: number
  account: string
  record: string
  cause: 'live' | 'replay' | 'retry' | 'test'
  causeNo: number
  state: 'pending' | 'delivered' | 'expired' | 'stopped'
  reason: string | null
  dueAt: number
  deadlineAt: number
  attempts: number
  steps: number
  createdAt: number
  settledAt: number | null
}

export interface ModelDelivery extends DeliveryRow {
  /** Since when the owner must know of it. */
  knownAt: number
  /** When it became certain that it must end: its endpoint or its replay is over. */
  overAt: number | null
}

export interface ModelRequest {
  process: string
  deliveryId: number
  eventSeq: number
  endpointId: number
  record: string
  at: number
  stepsBefore: number
  /** either: the breaker changed so recently that the process may or may not know. */
  kind: 'regular' | 'probe' | 'either' | 'by_hand' | 'test'
  meaning: Meaning | null
  status: number | null
  answeredAt: number | null
  /** Its process lost the lease, or ended: the next owner cannot see what it does. */
  orphaned: boolean
}

export interface ModelReplay {
  id: number
  endpointId: number
  since: number
  status: 'all' | 'failed'
  objectUuid: string | null
  cancelledAt: number | null
}

export interface ModelEvent {
  seq: number
  account: string
  object: string
  record: string
  receivedAt: number
}

/** A process, as far as the model distinguishes them. */
export interface ModelProcess {
  name: string
  /** Thirds of its in-flight limit, per endpoint: 3 at the start, one more per success. */
  thirds: Map<number, number>
  /** Endpoints that could not be reached at its last attempt. */
  unreachable: Set<number>
  /** Endpoints that took an event after they could not be reached: what waits for them may be brought forward. */
  back: Set<number>
}

export interface Model {
  endpoints: Map<number, ModelEndpoint>
  deliveries: Map<number, ModelDelivery>
  /** Pending deliveries (and some that were pending until recently), per endpoint. */
  waiting: Map<number, Set<ModelDelivery>>
  events: Map<number, ModelEvent>
  replays: Map<number, ModelReplay>
  requests: Set<ModelRequest>
  processes: Map<string, ModelProcess>
  webhookIds: Map<string, string>
  usedWebhookIds: Set<string>
  /** Deliveries whose overdue retry was spread at the last take-over. */
  spread: number[]
  /** The lease's holder, and since when; null when nobody holds it. */
  owner: { name: string; since: number } | null
  /** Since when the current owner has run without a break: a machine may sleep, a process may freeze. */
  awakeSince: number
  counts: { requests: number; duplicates: Map<string, number> }
  /** How often each situation occurred: a run that meets none proves nothing. */
  seen: Map<string, number>
  violate(message: string): void
}

export function createModel(violate: (message: string) => void): Model {
  return {
    endpoints: new Map(),
    deliveries: new Map(),
    waiting: new Map(),
    events: new Map(),
    replays: new Map(),
    requests: new Set(),
    processes: new Map(),
    webhookIds: new Map(),
    usedWebhookIds: new Set(),
    spread: [],
    owner: null,
    awakeSince: 0,
    counts: { requests: 0, duplicates: new Map() },
    seen: new Map(),
    violate,
  }
}

export function endpointOf(model: Model, id: number): ModelEndpoint {
  const endpoint = model.endpoints.get(id)
  if (!endpoint) throw new Error(`the model knows no endpoint ${id}`)
  return endpoint
}

/** A request is sent. Checks everything that must hold at that time, and stores it as in flight. */
export function requestLeaves(
  model: Model,
  given: { process: string; deliveryId: number; webhookId: string; attemptHeader: string; leaseHolder: string | null },
  now: number,
): ModelRequest | null {
  const delivery = model.deliveries.get(given.deliveryId)
  if (!delivery) {
    model.violate(`a request left for delivery ${given.deliveryId}, which does not exist`)
    return null
  }
  const endpoint = endpointOf(model, delivery.endpointId)
  const what = `delivery ${delivery.id} (${delivery.cause}) of endpoint ${endpoint.id}`
  const wrong = (why: string) => model.violate(`${what} was attempted: ${why}`)
  const kind = kindOf(delivery, endpoint, now)
  const flying = [...model.requests].filter((one) => one.endpointId === endpoint.id && !one.orphaned)
  const own = flying.filter((one) => one.process === given.process && one.kind !== 'test')

  if (delivery.state !== 'pending') wrong(`it is ${delivery.state}`)
  checkWebhookId(model, delivery, given.webhookId)
  if (given.attemptHeader !== String(delivery.attempts + 1)) {
    wrong(`as attempt ${given.attemptHeader} after ${delivery.attempts}`)
  }
  if (flying.some((one) => one.deliveryId === delivery.id)) wrong('it is in flight already')
  if (kind !== 'test') {
    if (given.leaseHolder !== given.process)
      wrong(`by ${given.process} while ${given.leaseHolder ?? 'nobody'} owns the lease`)
    if (flying.some((one) => one.record === delivery.record && one.kind !== 'test')) {
      wrong('another delivery of its record is in flight')
    }
    if (delivery.dueAt > now) wrong(`${delivery.dueAt - now} ms before it is due`)
    if (now > delivery.deadlineAt + GRACE) wrong(`${now - delivery.deadlineAt} ms after its deadline`)
    const room = kind === 'probe' ? 1 : Math.floor((thirdsOf(model, given.process).get(endpoint.id) ?? 3) / 3)
    // One that a person asked for may always go, also when a failure has just taken the room of those in flight.
    const isFull = kind === 'by_hand' ? own.length > room && own.some((one) => one.kind === kind) : own.length >= room
    if (isFull) wrong(`with ${own.length} others in flight, room for ${room}`)
  }
  if (kind === 'regular' || kind === 'probe' || kind === 'either') {
    checkGate(endpoint, now, wrong)
    // Probes go through pending deliveries one by one.
    if (kind === 'regular') checkOrder(model, delivery, endpoint, flying, now, wrong)
  }
  if (kind === 'probe') checkProbe(model, delivery, endpoint, own, now, wrong)

  const request: ModelRequest = {
    process: given.process,
    deliveryId: delivery.id,
    eventSeq: delivery.eventSeq,
    endpointId: endpoint.id,
    record: delivery.record,
    at: now,
    stepsBefore: delivery.steps,
    kind,
    meaning: null,
    status: null,
    answeredAt: null,
    orphaned: false,
  }
  model.requests.add(request)
  model.counts.requests++
  see(model, `attempt: ${kind}`)
  if (now >= delivery.deadlineAt && kind !== 'test') see(model, 'last try at the deadline')
  if (kind === 'probe') endpoint.lastProbe = delivery.id
  // Whether it was a probe is only known when it is stored.
  if (kind === 'either') endpoint.lastProbe = null
  return request
}

export function see(model: Model, what: string): void {
  model.seen.set(what, (model.seen.get(what) ?? 0) + 1)
}

function kindOf(delivery: ModelDelivery, endpoint: ModelEndpoint, now: number): ModelRequest['kind'] {
  if (delivery.cause === 'test') return 'test'
  if (isByHand(delivery)) return 'by_hand'
  const probes = new Set(gatesAt(endpoint, now).map(({ breaker }) => breaker !== null))
  if (probes.size > 1) return 'either'
  return endpoint.breaker ? 'probe' : 'regular'
}

export function processOf(model: Model, name: string): ModelProcess {
  const known = model.processes.get(name)
  if (known) return known
  const fresh: ModelProcess = { name, thirds: new Map(), unreachable: new Set(), back: new Set() }
  model.processes.set(name, fresh)
  return fresh
}

const thirdsOf = (model: Model, process: string) => processOf(model, process).thirds

/** After a success one more third, otherwise back to one at a time. */
export function learnPace(model: Model, request: ModelRequest): void {
  if (request.kind === 'test' || !request.meaning) return
  const thirds = thirdsOf(model, request.process)
  const more = Math.min((thirds.get(request.endpointId) ?? 3) + 1, MOST_AT_ONCE * 3)
  thirds.set(request.endpointId, request.meaning.says === 'delivered' ? more : 3)
}

function checkWebhookId(model: Model, { eventSeq, endpointId }: ModelDelivery, id: string): void {
  const known = model.webhookIds.get(`${eventSeq}|${endpointId}`)
  if (known !== undefined && known !== id) model.violate(`event ${eventSeq} went out as ${known} and then as ${id}`)
  if (known !== undefined) return
  if (model.usedWebhookIds.has(id)) model.violate(`two events went out as ${id}`)
  model.usedWebhookIds.add(id)
  model.webhookIds.set(`${eventSeq}|${endpointId}`, id)
}

function checkGate(endpoint: ModelEndpoint, now: number, wrong: (why: string) => void): void {
  const reasons = gatesAt(endpoint, now).map((gate) => whyShut(gate, now))
  if (!reasons.includes(null)) wrong(`its endpoint is shut: ${reasons[0]}`)
}

/** Oldest due first, skipping deliveries that must wait for their record. */
function checkOrder(
  model: Model,
  delivery: ModelDelivery,
  endpoint: ModelEndpoint,
  flying: ModelRequest[],
  now: number,
  wrong: (why: string) => void,
): void {
  for (const other of waitingFor(model, delivery.endpointId)) {
    if (other.id === delivery.id || laneOf(other) !== laneOf(delivery) || other.knownAt >= now) continue
    const older = other.dueAt < delivery.dueAt || (other.dueAt === delivery.dueAt && other.id < delivery.id)
    if (!older || !isRegular(other) || other.dueAt >= now) continue
    // Records that became free at this very moment were unknown when this delivery was chosen.
    const busy = endpoint.freed.at === now && endpoint.freed.records.has(other.record)
    if (busy || flying.some(({ record }) => record === other.record)) continue
    wrong(`before ${other.id}, which was due ${delivery.dueAt - other.dueAt} ms earlier`)
    return
  }
}

const laneOf = ({ cause }: ModelDelivery) => (cause === 'replay' ? 'replay' : 'live')

function checkProbe(
  model: Model,
  delivery: ModelDelivery,
  endpoint: ModelEndpoint,
  own: ModelRequest[],
  now: number,
  wrong: (why: string) => void,
): void {
  if (own.some((one) => one.kind === 'probe')) wrong('another probe is in flight')
  if (endpoint.lastProbe !== delivery.id) return
  for (const other of waitingFor(model, endpoint.id)) {
    if (other.id === delivery.id || !isRegular(other)) continue
    if (laneOf(other) !== laneOf(delivery)) continue
    const couldGo = other.dueAt < now && other.knownAt < now && !own.some(({ record }) => record === other.record)
    if (!couldGo) continue
    wrong(`it was the last probe too, although ${other.id} is waiting`)
    return
  }
}

/** Sent at once, whatever the state of its endpoint. */
export const isByHand = (one: ModelDelivery) => one.cause === 'retry' && one.attempts === 0

const isRegular = (one: ModelDelivery) => one.state === 'pending' && one.cause !== 'test' && !isByHand(one)

export function addDelivery(model: Model, delivery: ModelDelivery): void {
  model.deliveries.set(delivery.id, delivery)
  const waiting = model.waiting.get(delivery.endpointId) ?? new Set()
  model.waiting.set(delivery.endpointId, waiting.add(delivery))
}

/** All pending deliveries of the endpoint, oldest first. */
export function waitingFor(model: Model, endpointId: number): ModelDelivery[] {
  const waiting = model.waiting.get(endpointId) ?? new Set()
  for (const one of waiting) if (one.state !== 'pending') waiting.delete(one)
  return [...waiting]
}

/**
 * Nothing may be forgotten: called when the world stands still. For every sendable due delivery, one of its endpoint
 * must be in flight; finished ones must have ended.
 */
export function checkNothingForgotten(model: Model, now: number): void {
  const since = ownsSince(model, now)
  for (const endpoint of model.endpoints.values()) {
    const waiting = waitingFor(model, endpoint.id)
    const flying = [...model.requests].filter((one) => one.endpointId === endpoint.id && !one.orphaned)
    for (const one of waiting) {
      const over =
        endpoint.state === 'deleted' || one.overAt !== null || (endpoint.state === 'stopped' && isRegular(one))
      const within = ENDED_WITHIN + (endpoint.state === 'deleted' && one.overAt === null ? UNDO_KEPT : 0)
      if (over && now - Math.max(one.overAt ?? 0, endpoint.stateSince, one.knownAt, since) > within) {
        model.violate(
          `delivery ${one.id} (${one.cause}) still waits although its ${one.overAt ? 'replay' : 'endpoint'} is over`,
        )
      }
    }
    if (flying.length > 0 || endpoint.state === 'deleted') continue
    const opened = opensAt(endpoint)
    for (const one of waiting) {
      const byHand = isByHand(one)
      if (one.cause === 'test' || (!byHand && opened === null)) continue
      const from = byHand
        ? Math.max(one.knownAt, endpoint.freedAt, since)
        : Math.max(one.dueAt, one.knownAt, endpoint.freedAt, endpoint.openedAt, opened ?? 0, since)
      if (now - from > (byHand ? BY_HAND_WITHIN : IDLE_AT_MOST)) {
        model.violate(
          `delivery ${one.id} (${one.cause}) of endpoint ${endpoint.id} could go for ${now - from} ms, and nothing happens`,
        )
        return
      }
    }
  }
}

/** Since when the owner has worked without a break. */
export function ownsSince(model: Model, now: number): number {
  return Math.max(model.owner?.since ?? now, model.awakeSince)
}

/** The owner changed, or a process ended: others cannot see its requests in flight. */
export function orphanRequests(model: Model, of: (process: string) => boolean): void {
  for (const request of model.requests) {
    if (!of(request.process) || request.orphaned) continue
    request.orphaned = true
    see(model, 'attempt in flight at a hand-over')
  }
}
