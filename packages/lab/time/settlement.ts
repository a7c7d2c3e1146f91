// Judges the stored results of attempts: the model computes the expected result, and compares.
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import type { AttemptReport } from '#db/store/deliveries.ts'
import type { Meaning } from './answers.ts'
import { afterAnswer, askedWait, changesEndpoint, freeRecord, opensAt, rememberGate } from './endpoint.ts'
import { type Act, judgeDeadline, type Logged } from './logged.ts'
import {
  type DeliveryRow,
  endpointOf,
  GRACE,
  learnPace,
  type Model,
  type ModelDelivery,
  type ModelProcess,
  type ModelRequest,
  ownsSince,
  processOf,
  see,
  waitingFor,
} from './model.ts'

/** The design's backoff, before jitter. */
const GAPS = [
  seconds(5),
  seconds(30),
  minutes(2),
  minutes(10),
  minutes(30),
  hours(1),
  hours(2),
  hours(4),
  hours(6),
  hours(8),
  hours(10),
  hours(12),
  hours(12),
  hours(12),
]
/** "Min 60 s", but "the first retry comes between 0.5 s and 60 s after the failure": with its jitter it stays below. */
const OVERLOADED_GAP = seconds(50)
interface Expected {
  due: { from: number; to: number } | null
}

export function judgeSettlement(
  model: Model,
  act: Act,
  changes: Map<number, { before: DeliveryRow; after: DeliveryRow }>,
  log: readonly Logged[],
): void {
  const rows = log.flatMap((entry) => (entry.kind === 'attempt' ? [entry] : []))
  const touched = new Map<number, Expected>()
  const recovered = new Map<number, number>()
  const lastAt = new Map<number, number>()
  for (const { process, report } of act.reports) {
    const delivery = model.deliveries.get(report.job.id)
    if (!delivery) continue
    if (report.result.kind === 'not_sent') {
      expireUnsent(model, act, delivery, touched)
      continue
    }
    const request = [...model.requests].find(
      (one) => one.process === process && one.deliveryId === delivery.id && one.answeredAt !== null,
    )
    if (!request?.meaning || request.answeredAt === null) {
      model.violate(`an attempt of delivery ${delivery.id} is written down that was not answered`)
      continue
    }
    const row = rows.find((one) => one.deliveryId === delivery.id && !/^(stopped|expired)$/.test(one.outcome))
    if (!row) model.violate(`an attempt of delivery ${delivery.id} left no row`)
    else judgeRow(model, request, row)
    model.requests.delete(request)
    see(model, `answer: ${request.meaning.says}`)
    learnPace(model, request)
    learnReach(processOf(model, process), request, report)
    const endpoint = endpointOf(model, delivery.endpointId)
    const at = request.answeredAt
    const wasProbe = request.kind === 'either' ? report.probe : request.kind === 'probe'
    if (wasProbe !== report.probe)
      model.violate(`delivery ${delivery.id} was sent as ${request.kind}, settled as probe: ${report.probe}`)
    rememberGate(endpoint, act.now, act.lagMs)
    const facts = { eventSeq: delivery.eventSeq, deadlineAt: delivery.deadlineAt, probe: wasProbe }
    if (changesEndpoint(endpoint, delivery.cause, request.meaning)) {
      if (afterAnswer(endpoint, facts, request.meaning, at).recovered) recovered.set(endpoint.id, at)
    }
    lastAt.set(endpoint.id, at)
    endpoint.freedAt = act.now
    freeRecord(endpoint, delivery.record, act.now)
    settleOne(model, act, delivery, request, request.meaning, at, touched)
  }
  for (const endpointId of recovered.keys()) {
    const at = lastAt.get(endpointId) ?? act.now
    endpointOf(model, endpointId).openedAt = act.now + act.lagMs
    for (const one of waitingFor(model, endpointId)) {
      if (one.cause === 'test') continue
      one.knownAt = Math.max(one.knownAt, act.now + act.lagMs)
      const { from, to } = touched.get(one.id)?.due ?? { from: one.dueAt, to: one.dueAt }
      // Made in the same transaction, before or behind this: due at once either way.
      const made = one.createdAt > at
      touched.set(one.id, { due: { from: Math.min(from, at), to: made ? to : Math.min(to, at) } })
    }
  }
  compare(model, changes, touched)
}

/** A process that could not reach an address brings forward what waits for it, once it takes an event again. */
function learnReach({ unreachable, back }: ModelProcess, { endpointId, meaning }: ModelRequest, report: AttemptReport) {
  const { result } = report
  if (result.kind !== 'sent') return
  const { outcome } = result.verdict
  if (
    /^(refused|dns)$/.test(outcome) ||
    (/^(reset|timeout|tls)$/.test(outcome) && result.connectMs === null && !result.reached)
  ) {
    unreachable.add(endpointId)
  } else if (unreachable.delete(endpointId) && meaning?.says === 'delivered') {
    back.add(endpointId)
  }
}

function expireUnsent(model: Model, act: Act, delivery: ModelDelivery, touched: Map<number, Expected>): void {
  if (delivery.state !== 'pending') return
  const wrong = (why: string) => model.violate(`delivery ${delivery.id} was not sent any more: ${why}`)
  const endpoint = endpointOf(model, delivery.endpointId)
  judgeDeadline(delivery, endpoint, act.now, GRACE, wrong)
  const shutUntil = opensAt(endpoint) ?? act.now
  const prevented = Math.max(
    shutUntil,
    ownsSince(model, act.now),
    endpoint.freedAt,
    endpoint.openedAt,
    delivery.knownAt,
  )
  if (prevented < delivery.deadlineAt) wrong('its last try was not made, and nothing prevented it')
  see(model, 'given up without a last try: nobody could')
  delivery.state = 'expired'
  touched.set(delivery.id, { due: null })
}

function settleOne(
  model: Model,
  _act: Act,
  delivery: ModelDelivery,
  request: ModelRequest,
  meaning: Meaning,
  at: number,
  touched: Map<number, Expected>,
): void {
  delivery.attempts++
  touched.set(delivery.id, touched.get(delivery.id) ?? { due: null })
  if (meaning.says === 'delivered') {
    if (delivery.state === 'pending') delivery.state = 'delivered'
    for (const sibling of waitingFor(model, delivery.endpointId)) {
      if (sibling.eventSeq !== delivery.eventSeq) continue
      sibling.state = 'delivered'
      see(model, 'settled by the success of another')
      touched.set(sibling.id, { due: null })
    }
    return
  }
  if (delivery.state !== 'pending') return
  if (delivery.cause === 'test') {
    delivery.state = 'expired'
    return
  }
  if (meaning.says === 'gone') {
    delivery.state = 'stopped'
    return
  }
  if (at >= delivery.deadlineAt) {
    const endpoint = endpointOf(model, delivery.endpointId)
    judgeDeadline(delivery, endpoint, at, 0, (why) => model.violate(`delivery ${delivery.id} failed: ${why}`))
    delivery.state = 'expired'
    return
  }
  const held = at + (askedWait(meaning) ?? 0)
  const within = (moment: number) => Math.min(moment, delivery.deadlineAt)
  if (meaning.says === 'rate_limited') {
    delivery.steps = request.stepsBefore
    touched.set(delivery.id, { due: { from: within(held), to: within(held) } })
    return
  }
  // Only deliveries whose 72 hours restarted get beyond the last gap.
  const gap = GAPS[request.stepsBefore] ?? hours(12)
  const least = meaning.says === 'overloaded' ? Math.max(gap, OVERLOADED_GAP) : gap
  const from = within(Math.max(held, at + least))
  const to = within(Math.max(held, at + Math.ceil(least * 1.2)))
  delivery.steps = request.stepsBefore + 1
  touched.set(delivery.id, { due: { from, to } })
}

function judgeRow(model: Model, request: ModelRequest, row: Extract<Logged, { kind: 'attempt' }>): void {
  const outcomes: Record<Meaning['says'], RegExp> = {
    delivered: /^delivered$/,
    gone: /^gone$/,
    rate_limited: /^rate_limited$/,
    maintenance: /^http_error$/,
    overloaded: /^(http_error|timeout)$/,
    hopeless: /^(redirect|blocked)$/,
    failed: /^(http_error|dns|refused|reset|tls|protocol)$/,
  }
  const says = request.meaning?.says ?? 'failed'
  const right = outcomes[says].test(row.outcome) && row.status === request.status && row.sentence !== ''
  if (!right)
    model.violate(`an answer that means "${says}" (${request.status}) is in the log as ${row.outcome} ${row.status}`)
}

/** The rows must match the model, and nothing else may have changed. */
function compare(
  model: Model,
  changes: Map<number, { before: DeliveryRow; after: DeliveryRow }>,
  touched: Map<number, Expected>,
): void {
  for (const id of touched.keys()) if (!changes.has(id)) touchedOnly(model, id, touched.get(id))
  for (const [id, { after }] of changes) {
    const delivery = model.deliveries.get(id)
    if (!delivery) continue
    const expected = touched.get(id)
    const endpoint = endpointOf(model, delivery.endpointId)
    const stops = endpoint.state === 'stopped' && after.state === 'stopped' && after.attempts === delivery.attempts
    if (!expected && !stops) model.violate(`delivery ${id} changed although nothing happened to it`)
    const due = expected?.due
    if (due && after.state === 'pending' && (after.dueAt < due.from || after.dueAt > due.to)) {
      model.violate(
        `delivery ${id} is due ${after.dueAt - due.from} ms after the earliest moment, at most ${due.to - due.from} are allowed`,
      )
    }
    const states = stops ? ['stopped'] : [delivery.state]
    if (!states.includes(after.state)) model.violate(`delivery ${id} is ${after.state} instead of ${delivery.state}`)
    if (after.attempts !== delivery.attempts)
      model.violate(`delivery ${id} has ${after.attempts} attempts, not ${delivery.attempts}`)
    if (after.state === 'pending' && after.steps !== delivery.steps) {
      model.violate(`delivery ${id} has used ${after.steps} steps, not ${delivery.steps}`)
    }
    if (after.deadlineAt !== delivery.deadlineAt)
      model.violate(`the deadline of delivery ${id} moved when an attempt ended`)
    Object.assign(delivery, after)
  }
}

/** Nothing was written: then the row must already match the expectation. */
function touchedOnly(model: Model, id: number, expected: Expected | undefined): void {
  const delivery = model.deliveries.get(id)
  const due = expected?.due
  if (delivery && due && delivery.dueAt >= due.from && delivery.dueAt <= due.to) return
  model.violate(`delivery ${id} should have changed when an attempt ended`)
}
