// The model of an endpoint: how answers change it. Written from the design page ("Retry policy") instead of the code.
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import type { Meaning } from './answers.ts'

/** The state that decides whether something may be sent. */
export interface ModelGate {
  state: 'active' | 'paused' | 'stopped' | 'failing' | 'deleted'
  /** Nothing is sent before this; 0 = no hold. */
  holdUntil: number
  /** Open breaker: failed probes so far, and the time of the next one. */
  breaker: { probes: number; nextAt: number } | null
}

export interface ModelEndpoint extends ModelGate {
  id: number
  account: string
  object: string
  url: string
  /** What owns it: one of the two is set. */
  webhookId: number | null
  ruleId: number | null
  stateSince: number
  failingSince: number | null
  streak: number
  /** Different events that failed in this streak. */
  failedEvents: Set<number>
  /** Redirects or refused addresses in a row. */
  hopeless: number
  /** The last delivery that was a probe, as far as the current owner knows. */
  lastProbe: number | null
  /** Since when every process knows that the endpoint is open. */
  openedAt: number
  /** When its last attempt was stored. */
  freedAt: number
  /** Records that became free at a time: a choice made at the same time could not know. */
  freed: { at: number; records: Set<string> }
  /** Earlier gates, until every process knows that they are outdated. */
  earlier: { gate: ModelGate; changedAt: number; knownAt: number }[]
}

const SPREAD_OF_FAILURES = minutes(1)
const PROBE_GAPS = [seconds(30), minutes(1), minutes(2), minutes(5), minutes(10), minutes(15)] as const
/** The design says "hold the endpoint" for redirects and refused addresses; the product defines how long. */
const HOPELESS_HOLD = hours(6)

export function newModelEndpoint(
  given: Pick<ModelEndpoint, 'id' | 'account' | 'object' | 'url' | 'webhookId' | 'ruleId'>,
  now: number,
): ModelEndpoint {
  return {
    ...given,
    ...cleanSlate(),
    state: 'active',
    stateSince: now,
    lastProbe: null,
    openedAt: now,
    freedAt: now,
    freed: { at: now, records: new Set() },
    earlier: [],
  }
}

function cleanSlate() {
  return {
    holdUntil: 0,
    breaker: null,
    failingSince: null,
    streak: 0,
    failedEvents: new Set<number>(),
    hopeless: 0,
  }
}

export function freeRecord(endpoint: ModelEndpoint, record: string, now: number): void {
  if (endpoint.freed.at !== now) endpoint.freed = { at: now, records: new Set() }
  endpoint.freed.records.add(record)
}

/**
 * Call before a change: keeps the state until then. `lagMs`: how long the owner may not know of the change. A sample
 * sent by another process can hold an endpoint or turn its breaker, and so can a person who resumes it there.
 */
export function rememberGate(endpoint: ModelEndpoint, now: number, lagMs: number): void {
  const { state, holdUntil, breaker } = endpoint
  endpoint.earlier = endpoint.earlier.filter(({ knownAt }) => knownAt >= now)
  const gate = { state, holdUntil, breaker: breaker && { ...breaker } }
  endpoint.earlier.push({ gate, changedAt: now, knownAt: now + lagMs })
}

/**
 * The states a process may assume at that time: the current one, earlier ones of the same millisecond, and, for an
 * active endpoint (each delivery is looked up before it is sent, and goes to no other), changes by another process
 * only.
 */
export function gatesAt(endpoint: ModelEndpoint, at: number): ModelGate[] {
  const believed = endpoint.earlier.filter(
    ({ changedAt, knownAt }) => changedAt === at || (knownAt >= at && endpoint.state === 'active'),
  )
  return [endpoint, ...believed.map(({ gate }) => gate)]
}

/** The wait an answer requests, for the whole endpoint; null for none. */
export function askedWait(meaning: Meaning): number | null {
  if (meaning.says === 'rate_limited') return Math.min(Math.max(meaning.waitMs, minutes(1)), hours(24))
  return meaning.says === 'maintenance' ? Math.min(meaning.waitMs, hours(1)) : null
}

/** A test event is shown but has no effect: only its success counts, and never re-enables anything. */
export function changesEndpoint(endpoint: ModelEndpoint, cause: string, meaning: Meaning): boolean {
  return cause !== 'test' || (meaning.says === 'delivered' && endpoint.state !== 'failing')
}

/** Changes the endpoint as the answer requires. Returns whether it recovered, which reschedules pending deliveries. */
export function afterAnswer(
  endpoint: ModelEndpoint,
  attempt: { eventSeq: number; deadlineAt: number; probe: boolean },
  meaning: Meaning,
  now: number,
): { recovered: boolean } {
  const wasOff = endpoint.breaker !== null || endpoint.state === 'failing'
  if (meaning.says === 'delivered') {
    const keepsHold = endpoint.holdUntil > now && endpoint.hopeless < 3
    const holdUntil = keepsHold ? endpoint.holdUntil : 0
    Object.assign(endpoint, cleanSlate(), { holdUntil })
    if (endpoint.state === 'failing') moveTo(endpoint, 'active', now)
    return { recovered: wasOff }
  }
  if (meaning.says === 'gone') {
    if (endpoint.state !== 'deleted') moveTo(endpoint, 'stopped', now)
    return { recovered: false }
  }
  if (meaning.says !== 'hopeless' && endpoint.hopeless >= 3) Object.assign(endpoint, { hopeless: 0, holdUntil: 0 })
  const wait = askedWait(meaning)
  if (wait !== null) {
    // Never past the deadline of the answered delivery: its last attempt is then.
    holdAtLeast(endpoint, attempt.deadlineAt > now ? Math.min(now + wait, attempt.deadlineAt) : now + wait, now)
  }
  if (meaning.says === 'rate_limited' && attempt.deadlineAt > now) {
    if (attempt.probe) waitForNextProbe(endpoint, now)
  } else {
    fail(endpoint, attempt, meaning, now)
  }
  return { recovered: false }
}

function fail(
  endpoint: ModelEndpoint,
  { eventSeq, probe }: { eventSeq: number; probe: boolean },
  meaning: Meaning,
  now: number,
): void {
  endpoint.failingSince ??= now
  endpoint.streak++
  endpoint.failedEvents.add(eventSeq)
  endpoint.hopeless = meaning.says === 'hopeless' ? endpoint.hopeless + 1 : 0
  // A longer wait that the receiver asked for stays the receiver's.
  if (endpoint.hopeless === 3 && endpoint.holdUntil >= now + HOPELESS_HOLD) endpoint.hopeless = 2
  if (endpoint.hopeless >= 3) holdAtLeast(endpoint, now + HOPELESS_HOLD, now)
  const severalEvents = endpoint.failedEvents.size >= 3
  const failingFor = now - endpoint.failingSince
  if (endpoint.breaker) {
    if (probe) waitForNextProbe(endpoint, now)
  } else if (endpoint.streak >= 5 && severalEvents && failingFor >= SPREAD_OF_FAILURES) {
    endpoint.breaker = { probes: 0, nextAt: now + PROBE_GAPS[0] }
  }
  if (endpoint.state === 'active' && severalEvents && failingFor >= hours(72)) moveTo(endpoint, 'failing', now)
}

function holdAtLeast(endpoint: ModelEndpoint, until: number, now: number): void {
  if (endpoint.holdUntil <= now || until > endpoint.holdUntil) endpoint.holdUntil = until
}

function waitForNextProbe(endpoint: ModelEndpoint, now: number): void {
  if (!endpoint.breaker) return
  const probes = endpoint.breaker.probes + 1
  endpoint.breaker = { probes, nextAt: now + (PROBE_GAPS[probes] ?? minutes(15)) }
}

export function moveTo(endpoint: ModelEndpoint, state: ModelGate['state'], now: number): void {
  endpoint.state = state
  endpoint.stateSince = now
}

/** The effect of a person's "start again". */
export function startAgain(endpoint: ModelEndpoint, now: number): void {
  Object.assign(endpoint, cleanSlate())
  if (endpoint.state !== 'active') moveTo(endpoint, 'active', now)
}

/** Why no regular delivery may be sent at that time; null when one may. */
export function whyShut(gate: ModelGate, at: number): string | null {
  if (gate.state !== 'active') return `it is ${gate.state}`
  if (gate.holdUntil > at) return `it is held for another ${gate.holdUntil - at} ms`
  if (gate.breaker && gate.breaker.nextAt > at) {
    return `the next probe is only due in ${gate.breaker.nextAt - at} ms`
  }
  return null
}

/** When a regular delivery may next be sent; null when a person must act first. */
export function opensAt(gate: ModelGate): number | null {
  return gate.state === 'active' ? Math.max(gate.holdUntil, gate.breaker?.nextAt ?? 0) : null
}
