// Decides the status of a webhook and the sentence that explains it to the owner.
import type { AddressHealth } from '#app/domain/deliveries/delivery.ts'
import type { EndpointKey, EndpointKind } from '#app/domain/endpoint-key.ts'
import { planHoldText } from '#app/domain/plan-hold.ts'
import { type PollState, pollsInVain } from '#app/domain/polling.ts'
import { ago, clockTime, plural } from '#app/domain/time/moments.ts'
import { HOPELESS_IN_A_ROW } from '#app/features/events/delivering/endpoint-health.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import type { Millis } from '#app/lib/clock.ts'
import { minutes, seconds } from '#app/lib/duration.ts'
import type { EndpointLine, EndpointView, WebhookStatus } from './endpoint-view.ts'

/** The facts that decide the status. Field names match the stored endpoint, so a row can be passed in. */
export interface WebhookCondition {
  endpoint: Omit<AddressHealth, 'nextProbeAt'>
  /** Since when and why delivery is on hold for the whole account; null or missing when it is not. */
  accountHold?: { since: Millis; reason: string } | null
  /** Our subscription at the platform: null when there is none; `stateReason` set when it does not work now. */
  subscription: { stateReason: string | null } | null
  lastEventAt: Millis | null
  /** Mean duration of what was recently delivered in ms; null when it was too little. */
  meanMs: number | null
  /** How we poll for the object's events; null or missing when the platform sends them. */
  polling?: PollState | null
  /** An additional remark about the chosen fields. */
  note: string | null
  /** Missing for a webhook. */
  kind?: EndpointKind
}

/** A webhook with at least this mean duration counts as slow. One attempt may take at most 15 s. */
const SLOW_FROM_MS = seconds(5)

/** Returns status and sentence. `timezone` = the account's IANA zone, for times of day. */
export function webhookStatus(
  condition: WebhookCondition,
  now: Millis,
  timezone: string,
): { status: WebhookStatus; sentence: string } {
  const status = statusOf(condition, now)
  const sentence = sentenceFor(status, condition, now, timezone)
  const looking = status === 'unsubscribed' ? null : pollTrouble(condition.polling ?? null, now, timezone)
  return { status, sentence: [sentence, looking, condition.note].filter(Boolean).join(' ') }
}

function statusOf(condition: WebhookCondition, now: Millis): WebhookStatus {
  const { endpoint, meanMs, accountHold } = condition
  // Worst first: without a subscription nothing arrives at all, whatever state the endpoint is in.
  if (isUnsubscribed(condition, now)) return 'unsubscribed'
  if (endpoint.state === 'paused') return 'paused'
  if (endpoint.url === '') return 'no_address'
  if (endpoint.state === 'stopped' || endpoint.state === 'failing') return endpoint.state
  if (accountHold || askedToWait(endpoint, now)) return 'held'
  if (endpoint.failingSince !== null || endpoint.breaker === 'open') return 'failing'
  if (endpoint.lastSuccessAt === null) return 'waiting'
  return meanMs !== null && meanMs >= SLOW_FROM_MS ? 'slow' : 'working'
}

function isUnsubscribed({ subscription, polling }: WebhookCondition, now: Millis): boolean {
  return polling ? pollsInVain(polling, now) : subscription === null || subscription.stateReason !== null
}

/** One slow minute, or one event that is never accepted, is not worth a notice. */
export const FAILING_FOR = minutes(15)
export const FAILING_EVENTS = 3

type Failing = Pick<AddressHealth, 'failingSince' | 'failedEvents' | 'redirectStreak'>

/** Since when an address fails that a notice is about; null = none is. */
export function failingForLong({ failingSince, failedEvents, redirectStreak }: Failing, now: Millis): Millis | null {
  if (failingSince === null || now - failingSince < FAILING_FOR) return null
  // While it rests, the other events are not tried.
  return failedEvents >= FAILING_EVENTS || redirectStreak >= HOPELESS_IN_A_ROW ? failingSince : null
}

/** Outlives a success. It hides no failure when nothing waits, or a notice tells it. After redirects it is our own rest. */
function askedToWait(endpoint: WebhookCondition['endpoint'], now: Millis): boolean {
  const { failingSince, pendingCount } = endpoint
  const isPassing = pendingCount > 0 && isAsked(endpoint, now) && failingForLong(endpoint, now) === null
  return isOnHold(endpoint, now) && (failingSince === null || isPassing)
}

/** The wait is the receiver's own, whatever the status says. */
export function isAsked(endpoint: WebhookCondition['endpoint'], now: Millis): boolean {
  return isOnHold(endpoint, now) && endpoint.redirectStreak < HOPELESS_IN_A_ROW
}

function isOnHold({ holdUntil, holdReason }: WebhookCondition['endpoint'], now: Millis): boolean {
  return holdUntil !== null && holdUntil > now && holdReason !== null
}

function sentenceFor(status: WebhookStatus, condition: WebhookCondition, now: Millis, timezone: string): string {
  const { endpoint, subscription } = condition
  const time = (at: Millis) => clockTime(at, now, timezone)
  const waiting = endpoint.pendingCount === 0 ? '' : ` ${plural(endpoint.pendingCount, 'event')} waiting.`
  switch (status) {
    case 'unsubscribed':
      if (condition.polling) return pollTrouble(condition.polling, now, timezone) ?? ''
      return notSubscribed(condition.kind ?? 'webhook', subscription?.stateReason ?? null)
    case 'paused':
      if (endpoint.url === '')
        return `Paused since ${time(endpoint.stateSince)}. Without an address, events are shown here and not sent later.`
      return `Paused since ${time(endpoint.stateSince)}. We keep events and send them, oldest first, when you resume.${waiting}`
    case 'no_address':
      return 'No callback address. You see events here, and we forward nothing.'
    case 'stopped':
      return `Stopped by your system since ${time(endpoint.stateSince)}. ${endpoint.stateReason ?? 'Your address asked us to send nothing more.'}${waiting}`
    case 'failing':
      return failingSentence(condition, now, time) + waiting
    case 'held':
      return heldSentence(condition, now, time) + waiting
    case 'waiting':
      return condition.lastEventAt === null ? 'Waiting for the first event.' : 'Waiting for the first delivery.'
    case 'slow':
      return `Slow. Your address takes ${((condition.meanMs ?? 0) / 1000).toFixed(1)} seconds to answer; the limit is 15.`
    case 'working':
      return `Working. Last delivered ${ago(endpoint.lastSuccessAt ?? now, now)}.`
    default:
      return assertNever(status)
  }
}

function notSubscribed(kind: EndpointKind, reason: string | null): string {
  const [thing, again] = kind === 'extra' ? ['rule', 'save'] : ['webhook', 'create']
  const next = reason ?? `We subscribe again within a day. To subscribe now, ${again} the ${thing} again.`
  return `ServiceM8 sends no events for this ${thing} at present. ${next}`
}

/** Describes what is wrong with polling, since when and until when; null when nothing is. */
function pollTrouble(polling: PollState | null, now: Millis, timezone: string): string | null {
  if (!polling || polling.problem === null) return null
  const time = (at: Millis) => clockTime(at, now, timezone)
  const since = polling.lastOkAt === null ? '' : ` Last checked at ${time(polling.lastOkAt)}.`
  return `${polling.problem}${since} Next check at ${time(Math.max(polling.nextAt, now))}.`
}

function heldSentence({ accountHold, endpoint }: WebhookCondition, now: Millis, time: (at: Millis) => string): string {
  if (accountHold) {
    return `On hold since ${time(accountHold.since)}. ${planHoldText(accountHold.reason)}. Events from the last 72 hours go out then.`
  }
  return `${endpoint.holdReason} ${sendsAgain(endpoint, now, time)}`
}

function sendsAgain(endpoint: WebhookCondition['endpoint'], now: Millis, time: (at: Millis) => string): string {
  return isOnHold(endpoint, now) ? `We send again at ${time(endpoint.holdUntil ?? now)}.` : ''
}

function failingSentence({ endpoint }: WebhookCondition, now: Millis, time: (at: Millis) => string): string {
  const since = time(endpoint.failingSince ?? endpoint.stateSince)
  // An attempt's sentence says what happened and what to do: "Your address answered 404. Is the scenario switched on?"
  const what = endpoint.lastSentence ?? endpoint.stateReason ?? ''
  if (endpoint.state !== 'failing')
    return [`Failing since ${since}.`, what, sendsAgain(endpoint, now, time)].filter(Boolean).join(' ')
  return `Failing since ${since}, for more than 72 hours, so we stopped trying. ${what} Press “Start again” when it is repaired.`
}

/** Describes the account in one sentence, the top line of the page. `lastEventAt` counts events of any object. */
export function accountHealth(
  all: readonly Pick<EndpointView, 'kind' | 'status'>[],
  lastEventAt: Millis | null,
  now: Millis,
): string {
  if (all.length === 0) return 'No webhooks yet. Create the first one and events appear here.'
  const last = lastEventAt === null ? 'No events yet.' : `Last event ${ago(lastEventAt, now)}.`
  const troubled = all.filter(({ status }) => TROUBLE.has(status))
  if (troubled.length > 0) {
    const verb = troubled.length === 1 ? 'needs' : 'need'
    return `${shareOf(troubled, all)} ${verb} attention. ${last}`
  }
  const count = (...of: WebhookStatus[]) => all.filter(({ status }) => of.includes(status)).length
  const states = [
    { count: count('working'), how: 'working' },
    { count: count('waiting'), how: 'ready' },
    { count: count('slow'), how: 'slow' },
    { count: count('held'), how: 'on hold' },
    { count: count(...RESTING), how: 'not forwarding' },
  ].filter(({ count }) => count > 0)
  const [only, ...more] = states
  if (only && more.length === 0) return `${allOf(all)} ${only.how}. ${last}`
  return `${countOf(all)}: ${states.map((state) => `${state.count} ${state.how}`).join(', ')}. ${last}`
}

type Things = readonly { kind: EndpointKind }[]

const KINDS: Record<EndpointKind, string> = { webhook: 'webhook', extra: 'forwarding rule' }

/** Returns the kinds that occur at least once. */
function kindsIn(things: Things): EndpointKind[] {
  return (['webhook', 'extra'] as const).filter((kind) => ofKind(things, kind) > 0)
}

function ofKind(things: Things, kind: EndpointKind): number {
  return things.filter((one) => one.kind === kind).length
}

/** `2 webhooks and 1 forwarding rule`. */
function countOf(things: Things): string {
  return kindsIn(things)
    .map((kind) => plural(ofKind(things, kind), KINDS[kind]))
    .join(' and ')
}

/** `Your webhook is`, `All 4 webhooks are`, `2 webhooks and 1 forwarding rule are`. */
function allOf(things: Things): string {
  const [first] = things
  if (things.length === 1 && first) return `Your ${KINDS[first.kind]} is`
  return `${kindsIn(things).length > 1 ? '' : 'All '}${countOf(things)} are`
}

/** `1 of 2 webhooks and 1 forwarding rule`: kinds without any of them are left out. */
function shareOf(some: Things, all: Things): string {
  const [first] = all
  if (all.length === 1 && first) return `Your ${KINDS[first.kind]}`
  return kindsIn(some)
    .map((kind) => {
      const [count, of] = [ofKind(some, kind), ofKind(all, kind)]
      return of === 1 ? plural(1, KINDS[kind]) : `${count} of ${plural(of, KINDS[kind])}`
    })
    .join(' and ')
}

/** Whether someone has to fix the endpoint. */
export function needsAttention(status: WebhookStatus): boolean {
  return TROUBLE.has(status)
}

/** What needs attention: what only a press can start before what we retry by ourselves. */
export function inTrouble(cards: readonly EndpointView[]): EndpointView[] {
  const isRetried = ({ status, state }: EndpointView) => Number(status === 'failing' && state === 'active')
  return cards.filter(({ status }) => needsAttention(status)).sort((one, other) => isRetried(one) - isRetried(other))
}

const TROUBLE: ReadonlySet<WebhookStatus> = new Set(['failing', 'stopped', 'unsubscribed'])
const RESTING: ReadonlySet<WebhookStatus> = new Set(['paused', 'no_address'])

// An account can have many extra addresses. Only those that need attention and the opened one get whole cards, the
// others a line each: a thousand whole cards make a page of many megabytes that nobody reads.

/** Up to this number, every rule has a whole card. */
export const WHOLE_CARDS = 20

/** Splits rules into whole cards and lines, both in the given order. `opened` = the card named in the page's URL. */
export function foldRules<Rule extends { view: EndpointView }>(
  rules: readonly Rule[],
  opened: EndpointKey | null,
): { whole: Rule[]; lines: EndpointLine[] } {
  if (rules.length <= WHOLE_CARDS) return { whole: [...rules], lines: [] }
  const troubled = inTrouble(rules.map(({ view }) => view)).slice(0, WHOLE_CARDS)
  const shown = new Set([...troubled.map(({ id }) => id), opened])
  return {
    whole: rules.filter(({ view }) => shown.has(view.id)),
    lines: rules.filter(({ view }) => !shown.has(view.id)).map(({ view }) => lineOf(view)),
  }
}

function lineOf({ id, kind, name, label, callbackUrl, status }: EndpointView): EndpointLine {
  return { id, kind, name, label, callbackUrl, status }
}
