// Judges every change of a delivery's row by its cause: each act of the store may only change certain things.
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import type { ModelEndpoint } from './endpoint.ts'
import { type Act, judgeDeadline, type Logged } from './logged.ts'
import {
  addDelivery,
  type DeliveryRow,
  endpointOf,
  GRACE,
  KEPT_FOR,
  type Model,
  type ModelDelivery,
  processOf,
  see,
  waitingFor,
} from './model.ts'
import { judgeSettlement } from './settlement.ts'

const SPREAD = { from: seconds(1), to: minutes(1) }
const UNTRIED_KEPT = hours(1)
/** A test whose process has gone is given up this long after it should have ended. */
const TEST_LEFT = minutes(5)

export function judge(model: Model, act: Act, log: readonly Logged[]): void {
  const changes = new Map<number, { before: DeliveryRow; after: DeliveryRow }>()
  if (act.name === 'tidyAfterRestart') model.spread = []
  for (const entry of log) {
    if (entry.kind === 'event') model.events.set(entry.seq, entry)
    else if (entry.kind === 'delivery') judgeNew(model, act, entry.row)
    else if (entry.kind === 'deleted') model.violate(`delivery ${entry.id} was deleted by ${act.name}`)
    else if (entry.kind === 'change') {
      const { before, row } = entry
      if (before.state !== 'pending' && before.state !== row.state) {
        model.violate(`delivery ${row.id} was ${before.state} and became ${row.state} in ${act.name}`)
      }
      changes.set(row.id, { before: changes.get(row.id)?.before ?? before, after: row })
    }
  }
  if (act.name === 'settleAttempts') {
    judgeSettlement(model, act, changes, log)
    return
  }
  if (log.some((entry) => entry.kind === 'attempt' && !/^(stopped|expired)$/.test(entry.outcome))) {
    model.violate(`${act.name} wrote down an attempt`)
  }
  if (act.name === 'tidyAfterRestart') demandSpread(model, act, changes)
  for (const { after } of changes.values()) {
    const delivery = model.deliveries.get(after.id)
    if (!delivery) continue
    const wrong = (why: string) => model.violate(`${act.name} changed delivery ${after.id} (${delivery.cause}): ${why}`)
    judgeChange(model, act, delivery, after, wrong)
    Object.assign(delivery, after)
  }
}

/** Overdue deliveries at a take-over must not all be sent at once. */
function demandSpread(model: Model, { now }: Act, changes: ReadonlyMap<number, unknown>): void {
  for (const one of [...model.endpoints.keys()].flatMap((id) => waitingFor(model, id))) {
    const overdue = one.state === 'pending' && one.attempts > 0 && one.dueAt < now && one.deadlineAt > now
    if (overdue && one.cause !== 'test' && !changes.has(one.id))
      model.violate(`delivery ${one.id} was overdue at a take-over and is not spread`)
  }
}

function judgeNew(model: Model, act: Act, row: DeliveryRow): void {
  const event = model.events.get(row.eventSeq)
  const endpoint = endpointOf(model, row.endpointId)
  const wrong = (why: string) => model.violate(`${act.name} made delivery ${row.id} (${row.cause}): ${why}`)
  const causes: Record<string, string> = {
    acceptEvents: 'live',
    retryDelivery: 'retry',
    growReplayStep: 'replay',
    createTestDelivery: 'test',
  }
  if (causes[act.name] !== row.cause) wrong('that is not its business')
  if (event?.account !== endpoint.account || event.object !== endpoint.object)
    wrong('the event is not for this endpoint')
  const from = row.cause === 'live' ? (event?.receivedAt ?? 0) : act.now
  if (row.dueAt !== from) wrong(`due ${row.dueAt - from} ms after it was made`)
  if (row.cause !== 'test' && row.deadlineAt !== from + KEPT_FOR) wrong(`kept for ${row.deadlineAt - from} ms`)
  const state = row.cause === 'live' && endpoint.state === 'stopped' ? 'stopped' : 'pending'
  if (row.state !== state) wrong(`as ${row.state}`)
  if (row.cause === 'replay') judgeReplayed(model, row, wrong)
  addDelivery(model, { ...row, knownAt: act.now + act.lagMs, overAt: null })
}

function judgeReplayed(model: Model, row: DeliveryRow, wrong: (why: string) => void): void {
  const replay = model.replays.get(row.causeNo)
  const event = model.events.get(row.eventSeq)
  if (!replay || !event) {
    wrong('nobody asked for it')
    return
  }
  if (event.receivedAt < replay.since) wrong('the event is older than asked for')
  if (replay.objectUuid !== null && replay.objectUuid !== event.record) wrong('the event is of another record')
  if (replay.cancelledAt !== null) wrong('the replay was cancelled')
  if (replay.status === 'all') return
  const others = [...model.deliveries.values()].filter(
    (one) => one.eventSeq === row.eventSeq && one.endpointId === row.endpointId,
  )
  if (others.some(({ state }) => state === 'delivered' || state === 'pending')) wrong('the event has not failed')
}

function judgeChange(
  model: Model,
  act: Act,
  delivery: ModelDelivery,
  after: DeliveryRow,
  wrong: (why: string) => void,
): void {
  const { now } = act
  const endpoint = endpointOf(model, delivery.endpointId)
  const tidying = act.name === 'tidyAfterRestart'
  if (after.attempts !== delivery.attempts || after.steps !== delivery.steps) wrong('its attempts')
  if (after.deadlineAt !== delivery.deadlineAt) {
    const returned =
      act.name === 'adoptEndpoints' && endpoint.state === 'active' && delivery.createdAt < endpoint.stateSince
    const untried = tidying && delivery.attempts === 0
    see(model, returned ? 'deadline moved by a return' : 'deadline moved by a restart')
    const right = returned ? endpoint.stateSince + KEPT_FOR : untried ? now + UNTRIED_KEPT : null
    if (right === null) wrong('its deadline')
    else if (after.deadlineAt !== right || right < delivery.deadlineAt)
      wrong(`its deadline by ${after.deadlineAt - delivery.deadlineAt} ms`)
  }
  if (after.dueAt !== delivery.dueAt && after.state === 'pending') {
    const overdue = delivery.dueAt < now && delivery.attempts > 0
    if (tidying && overdue) {
      const latest = Math.min(now + SPREAD.to, after.deadlineAt)
      if (after.dueAt < Math.min(now + SPREAD.from, after.deadlineAt) || after.dueAt > latest)
        wrong('its due time, too much')
      model.spread.push(delivery.id)
      see(model, 'overdue retry spread after a take-over')
    } else if (/^(resumeEndpoint|updateEndpoint|saveEndpoint)$/.test(act.name)) {
      if (after.dueAt !== now) wrong('its due time')
      delivery.knownAt = Math.max(delivery.knownAt, now + act.lagMs)
    } else if (act.name === 'bringForward') {
      if (!processOf(model, act.process).back.has(endpoint.id)) wrong('nothing shows that its address is back')
      if (after.dueAt !== now || delivery.dueAt < now || delivery.cause === 'test') wrong('its due time')
      delivery.knownAt = Math.max(delivery.knownAt, now + act.lagMs)
      see(model, 'brought forward: its address is back')
    } else {
      wrong('its due time')
    }
  }
  if (after.state !== delivery.state) judgeEnd(model, act, delivery, after, endpoint, wrong)
}

function judgeEnd(
  model: Model,
  { name, now }: Act,
  delivery: ModelDelivery,
  after: DeliveryRow,
  endpoint: ModelEndpoint,
  wrong: (why: string) => void,
): void {
  if (!after.reason) wrong('no reason is given')
  const left = name === 'tidyAfterRestart' || (name === 'endStoppedStep' && delivery.deadlineAt <= now - TEST_LEFT)
  const sample = left && delivery.cause === 'test' && after.state === 'expired'
  const deleted = name === 'endStoppedStep' && after.state === 'stopped' && endpoint.state === 'deleted'
  if (sample || deleted) return
  if (name === 'endStoppedStep' && after.state === 'stopped') {
    const stopped = endpoint.state === 'stopped' && delivery.cause !== 'test'
    see(model, stopped ? 'ended with its endpoint' : 'ended with its replay')
    if (!stopped && delivery.overAt === null) wrong('neither its endpoint nor its replay is over')
    return
  }
  if (name !== 'expireHeldStep' || after.state !== 'expired') {
    wrong(`to ${after.state}`)
    return
  }
  see(model, 'given up while held')
  const held = endpoint.state !== 'active' || endpoint.breaker !== null || endpoint.holdUntil > now
  if (endpoint.state === 'paused') wrong('given up although paused for less than 30 days')
  if (!held) wrong('given up although its endpoint is not held')
  judgeDeadline(delivery, endpoint, now, GRACE, wrong)
  // A wait that the receiver asked for is a failure once events are lost by it.
  if (endpoint.state !== 'active' || endpoint.holdUntil <= now || delivery.cause === 'test') return
  endpoint.failingSince ??= now
  endpoint.failedEvents.add(delivery.eventSeq)
}
