// Operations with a decision between reading and writing: read the rows, let the use case's function decide, write the
// rows, all in one transaction. SQL knows none of these functions, and an operation knows no database.
import type { NamedAs } from '#app/domain/account-id.ts'
import type { EndpointHealth, Settlement } from '#app/domain/deliveries/delivery.ts'
import type { Millis } from '#app/lib/clock.ts'
import type { Step } from './database.ts'
import type { DecideNamedAs, MappedId, SignIn } from './store/accounts.ts'
import type {
  AttemptReport,
  DeliveryJob,
  ExpireHeldOptions,
  GrownReplay,
  GrowOptions,
  HeldCursor,
  HeldFailure,
  HeldHealth,
  ReplayedEvent,
  SettledAttempt,
  SettleOptions,
} from './store/deliveries.ts'
import type { AcceptedEvent, AcceptOptions, FanOutEndpoint, IncomingEvent } from './store/events.ts'
import type { PolledRecord, PolledTake, TakenIn } from './store/records.ts'

/** An event and the endpoints that receive it. */
export interface PlannedEvent {
  event: IncomingEvent
  to: readonly FanOutEndpoint[]
}

export type AcceptLimits = Omit<AcceptOptions, 'choose'>

export interface EventRows {
  /** For each event, the endpoints of its account and object that are not deleted. */
  endpointsFor(events: readonly IncomingEvent[]): Step<FanOutEndpoint[][]>
  /** Stores events, bodies, deliveries, counters, usage. An event that cannot be stored does not affect the others. */
  insertEvents(planned: readonly PlannedEvent[], limits: AcceptLimits): Step<AcceptedEvent[]>
}

/** Stores incoming events. */
export function* acceptEvents(
  rows: EventRows,
  events: readonly IncomingEvent[],
  options: AcceptOptions,
): Step<AcceptedEvent[]> {
  return yield* rows.insertEvents(yield* plan(rows, events, options), options)
}

function* plan(rows: EventRows, events: readonly IncomingEvent[], { choose }: AcceptOptions): Step<PlannedEvent[]> {
  const endpoints = yield* rows.endpointsFor(events)
  return events.map((event, index) => ({ event, to: choose(event, endpoints[index] ?? []) }))
}

interface PolledRows extends EventRows {
  /** Stores events, snapshots and the cursor; nothing if claimed elsewhere. `planned`: one per event, in order. */
  insertPolled(take: PolledTake, planned: readonly PlannedEvent[], limits: AcceptLimits): Step<TakenIn>
}

/** Stores the records read from a list. */
export function* takeInPolled(rows: PolledRows, take: PolledTake, options: AcceptOptions): Step<TakenIn> {
  const events = take.records.flatMap(({ event }: PolledRecord) => event ?? [])
  return yield* rows.insertPolled(take, yield* plan(rows, events, options), options)
}

/** A report, its endpoint's state after the previous attempt, and what follows; null = nothing was sent. */
export interface DecidedReport {
  report: AttemptReport
  before: EndpointHealth
  /** It was sent to an address that the endpoint no longer has, so it says nothing about the present one. */
  moved: boolean
  settlement: Settlement | null
}

/** An endpoint's present address. */
export interface PresentAddress {
  url: string
  health: EndpointHealth
}

export interface SettleRows {
  /** Every requested endpoint has a row. The caller may change what it gets. */
  addressesOf(endpointIds: readonly number[]): Step<Map<number, PresentAddress>>
  /** When the delivery of a stored report is due again, null = never; undefined = the report is not stored. */
  dueAfter(report: AttemptReport): Step<Millis | null | undefined>
  settle(decided: readonly DecidedReport[], reasons: SettleOptions['reasons']): Step<SettledAttempt[]>
}

/** Stores the results of attempts. */
export function* settleAttempts(
  rows: SettleRows,
  reports: readonly AttemptReport[],
  { decide, reasons, again = false }: SettleOptions,
): Step<SettledAttempt[]> {
  const addresses = yield* rows.addressesOf(reports.map(({ job }) => job.endpointId))
  const presentOf = ({ job }: AttemptReport) => {
    const address = addresses.get(job.endpointId)
    if (!address) throw new Error(`endpoint ${job.endpointId} has deliveries but no row`)
    return { address, before: address.health, moved: job.url !== address.url }
  }
  const stored = new Map<AttemptReport, SettledAttempt>()
  for (const report of again ? reports : []) {
    const dueAt = yield* rows.dueAfter(report)
    if (dueAt === undefined || report.result.kind !== 'sent') continue
    const { before: endpoint, moved } = presentOf(report)
    const { id: deliveryId, endpointId } = report.job
    stored.set(report, { deliveryId, endpointId, dueAt, outcome: report.result.verdict.outcome, moved, endpoint })
  }
  const fresh = stored.size === 0 ? reports : reports.filter((report) => !stored.has(report))
  const decided = fresh.map((report): DecidedReport => {
    const { address, before, moved } = presentOf(report)
    if (report.result.kind !== 'sent') return { report, before, moved, settlement: null }
    const settlement = decide(report, report.result.verdict, before, moved)
    address.health = settlement.endpoint
    return { report, before, moved, settlement }
  })
  const settled = yield* rows.settle(decided, reasons)
  if (stored.size === 0) return settled
  const others = settled.values()
  return reports.map((report) => stored.get(report) ?? (others.next().value as SettledAttempt))
}

export interface WaitingRow extends Pick<DeliveryJob, 'id' | 'accountUuid' | 'endpointId' | 'causeNo' | 'eventSeq'> {
  cause: string
  bytes: number
}

interface HeldDelivery extends WaitingRow {
  deadlineAt: Millis
  createdAt: Millis
}

export interface HeldRows {
  /** Some deliveries of one held endpoint, from the cursor on; null = no more held endpoints. */
  heldStretch(
    now: Millis,
    cursor: HeldCursor | null,
  ): Step<{ health: HeldHealth; accountHold: string | null; waiting: HeldDelivery[]; next: HeldCursor } | null>
  expire(waiting: readonly HeldDelivery[], reason: string, now: Millis): Step<void>
  writeFailure(endpointId: number, failure: HeldFailure): Step<unknown>
}

/** Ends held deliveries past their deadline. */
export function* expireHeldStep(
  rows: HeldRows,
  now: Millis,
  cursor: HeldCursor | null,
  { graceMs, pausedForMs, reason, failure }: ExpireHeldOptions,
): Step<{ ended: number; next: HeldCursor | null }> {
  const held = yield* rows.heldStretch(now, cursor)
  if (!held) return { ended: 0, next: null }
  const { health, accountHold, waiting, next } = held
  const past = waiting.filter(({ createdAt, deadlineAt }) =>
    health.state === 'paused' ? createdAt < now - pausedForMs : deadlineAt < now - graceMs,
  )
  yield* rows.expire(past, reason(health, accountHold), now)
  const lost = past.filter(({ cause }) => cause !== 'test')
  const failed = lost[0] && accountHold === null && failure(health, lost, now)
  if (lost[0] && failed) yield* rows.writeFailure(lost[0].endpointId, failed)
  return { ended: past.length, next }
}

/** The next events of one running replay, and where the following ones start. */
export interface ReplayPage {
  replayId: number
  accountUuid: string
  endpoint: FanOutEndpoint
  events: ReplayedEvent[]
  nextSeq: number
}

export interface ReplayRows {
  /** ended = it reached its end and is closed · waits = it has no room for more at present. */
  nextOfReplay(replayId: number, now: Millis, limits: Omit<GrowOptions, 'choose'>): Step<ReplayPage | 'ended' | 'waits'>
  /** Adds a delivery for each event that has none yet, and advances the replay. */
  growReplay(page: ReplayPage, events: readonly ReplayedEvent[], now: Millis, retryFor: number): Step<GrownReplay>
}

/** Creates the next deliveries of a running replay. */
export function* growReplay(rows: ReplayRows, replayId: number, now: Millis, options: GrowOptions): Step<GrownReplay> {
  const page = yield* rows.nextOfReplay(replayId, now, options)
  if (page === 'ended' || page === 'waits') return page
  // The endpoint's field filter applies to replays as to live events; whether it is paused does not matter.
  const wanted = page.events.filter((event) => options.choose(event, [page.endpoint]).length > 0)
  return yield* rows.growReplay(page, wanted, now, options.retryFor)
}

export interface IdRows {
  lookUpId(id: string): Step<{ isAccount: boolean; mappedTo: string | null }>
  addMapping(externalId: string, accountUuid: string, limit: number): Step<'mapped' | 'full'>
}

/** Maps an external id to an account. Never moves one mapped to another account. */
export function* mapId(
  rows: IdRows,
  { externalId, accountUuid, limit }: { externalId: string; accountUuid: string; limit: number },
  decide: DecideNamedAs,
): Step<MappedId> {
  const meaning = decide(externalId, accountUuid, yield* rows.lookUpId(externalId))
  if (meaning === 'same') return 'same'
  return meaning === 'new' ? yield* rows.addMapping(externalId, accountUuid, limit) : 'taken'
}

/** Completes a sign-in. Writes nothing when the named id is taken. */
export function* completeSignIn(
  rows: IdRows & { storeSignIn(input: SignIn): Step<void> },
  input: SignIn,
  decide: DecideNamedAs,
): Step<NamedAs> {
  const { account, named } = input
  const meaning = decide(named, account.uuid, yield* rows.lookUpId(named))
  if (meaning === 'taken') return meaning
  yield* rows.storeSignIn(input)
  if (meaning === 'new') yield* rows.addMapping(named, account.uuid, Number.POSITIVE_INFINITY)
  return meaning
}

export interface TicketRows extends IdRows {
  findTicket(): Step<{ accountUuid: string } | null>
  useTicket(): Step<void>
}

/** Maps an external id to a link ticket's account. A refused mapping leaves the ticket unused. */
export function* linkWithTicket(
  rows: TicketRows,
  externalId: string,
  limit: number,
  decide: DecideNamedAs,
): Step<{ outcome: MappedId; accountUuid: string } | { outcome: 'unknown' }> {
  const ticket = yield* rows.findTicket()
  if (!ticket) return { outcome: 'unknown' }
  const { accountUuid } = ticket
  const outcome = yield* mapId(rows, { externalId, accountUuid, limit }, decide)
  if (outcome === 'mapped' || outcome === 'same') yield* rows.useTicket()
  return { outcome, accountUuid }
}
