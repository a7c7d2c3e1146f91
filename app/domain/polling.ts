// When we look at what the platform sends no webhooks for, and what is said about it. Pure.
import { assertNever } from '#app/lib/assert-never.ts'
import type { Millis } from '#app/lib/clock.ts'
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import { recordsText } from './object-catalog.ts'

/** One list call per account, object and this long, while nothing changes. */
export const POLL_EVERY = minutes(5)

/** Looks of webhooks and forwarding rules, as opposed to those of anything else. */
export const POLL_PURPOSE = 'webhook'

/** Names the cursor: `webhook:jobcontact`. */
export function sourceOf(object: string): string {
  return `${POLL_PURPOSE}:${object}`
}

/** Heads those objects in a list of all; shorter than the sentence, and enough where no script can show that. */
export const CHECKED_TEXTS = `Checked every ${POLL_EVERY / minutes(1)} minutes (ServiceM8 sends no webhooks for these)`

/** For the form and the card. */
export function pollingSentence(object: string): string {
  return `ServiceM8 sends no webhooks for ${recordsText(object)}, so Fieldhook looks every ${POLL_EVERY / minutes(1)} minutes.`
}

/**
 * When an object is due next. Every account and object has its own moment within the five minutes, and keeps it: neither a
 * late look nor a restart makes many of them fall together.
 */
export function nextPollAt(accountUuid: string, object: string, now: Millis): Millis {
  const phase = hash(`${accountUuid}|${object}`) % POLL_EVERY
  const slot = Math.floor((now - phase) / POLL_EVERY) + 1
  const at = slot * POLL_EVERY + phase
  // The work is picked up once a minute, so that a look may come shortly before its next moment.
  return at - now < minutes(1) ? at + POLL_EVERY : at
}

/** FNV-1a: small, stable, and even enough to spread by. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (const char of text) value = Math.imul(value ^ (char.codePointAt(0) ?? 0), 0x01000193)
  return value >>> 0
}

/** Why a look did not work. The platform's ways to fail, as `callAsAccount` tells them, and ours. */
export type PollFailure =
  | {
      outcome: 'not_connected' | 'reconnect' | 'unauthorized' | 'forbidden' | 'suspended' | 'refused' | 'unavailable'
      message: string
    }
  | { outcome: 'rate_limited'; message: string; retryAt: Millis }
  /** The account has too much waiting, or storage is nearly full. What was not taken in is taken in later. */
  | { outcome: 'no_room' }
  /** A mistake on our side, which the log tells of. */
  | { outcome: 'ours' }

/** Scopes that reading takes (facts: platform 5.7): they name what to allow when the platform only says "insufficient". */
const READ_SCOPES: Readonly<Record<string, string>> = {
  jobcontact: 'read_job_contacts',
  jobmaterial: 'read_job_materials',
}

/** For the card: what is wrong and what helps. Whether and when we look again is said beside it. */
export function failureSentence(object: string, failure: PollFailure): string {
  const records = recordsText(object)
  switch (failure.outcome) {
    case 'not_connected':
    case 'reconnect':
    case 'unauthorized':
      return `ServiceM8 no longer accepts this connection, so we cannot look for ${records}. Please sign in again.`
    case 'forbidden': {
      const scope = READ_SCOPES[object]
      if (scope === undefined) return `ServiceM8 does not let us read ${records}: ${sentence(failure.message)}`
      return `ServiceM8 does not let us read ${records}: the permission ${scope} is missing. Please sign in again and allow all permissions.`
    }
    case 'suspended':
      return 'ServiceM8 says that this account is not active. Please check your ServiceM8 subscription.'
    case 'refused':
      return `ServiceM8 refused to list ${records}: ${sentence(failure.message)}`
    case 'unavailable':
      return `ServiceM8 could not be read: ${sentence(failure.message)}`
    case 'rate_limited':
      return 'This account has used up the calls that ServiceM8 allows for now.'
    case 'ours':
      return `Looking for ${records} did not work on our side.`
    case 'no_room':
      return 'Too many events are waiting. What changed stays in ServiceM8 and is fetched when there is room.'
    default:
      return assertNever(failure)
  }
}

const LONGEST_MESSAGE = 200

function sentence(message: string): string {
  const text = message.trim().slice(0, LONGEST_MESSAGE)
  return /[.!?]$/.test(text) ? text : `${text}.`
}

const LONGEST_BACK_OFF = hours(1)
const LONGEST_WAIT = hours(24)

/**
 * When to look again after a failure. Trouble of the platform: after as long again as it has lasted, so 5, 10, 20, 40
 * minutes, then hourly. A limit: when it ends. A missing sign-in costs no call, so that a new one is noticed soon.
 */
export function pollAgainAt(failure: PollFailure, past: { now: Millis; lastOkAt: Millis | null }): Millis {
  const { now, lastOkAt } = past
  switch (failure.outcome) {
    case 'not_connected':
    case 'reconnect':
    case 'unauthorized':
      return now + POLL_EVERY
    case 'forbidden':
    case 'suspended':
      return now + 3 * POLL_EVERY
    case 'refused':
    case 'unavailable':
    case 'ours':
      return now + Math.min(Math.max(now - (lastOkAt ?? now), POLL_EVERY), LONGEST_BACK_OFF)
    case 'rate_limited':
      return Math.min(Math.max(failure.retryAt, now + seconds(30)), now + LONGEST_WAIT)
    case 'no_room':
      return now + minutes(1)
    default:
      return assertNever(failure)
  }
}

/** Each account's first, then each account's second: however many objects one has, the others do not wait for all of them. */
export function inTurns<Target extends { accountUuid: string }>(targets: readonly Target[]): Target[] {
  const rounds: Target[][] = []
  const taken = new Map<string, number>()
  for (const target of targets) {
    const round = taken.get(target.accountUuid) ?? 0
    taken.set(target.accountUuid, round + 1)
    rounds[round] = [...(rounds[round] ?? []), target]
  }
  return rounds.flat()
}

/** What a card knows of looking: when it worked last, when it is next, and what went wrong meanwhile. */
export interface PollState {
  lastOkAt: Millis | null
  nextAt: Millis
  /** A sentence; null = nothing is wrong. */
  problem: string | null
}

/** Two missed looks, and a little for the one under way: until then a failure is the platform having a moment. */
const PATIENCE = 2 * POLL_EVERY + minutes(2)

/** Is it honest to say that nothing is received? */
export function pollsInVain(poll: PollState, now: Millis): boolean {
  return poll.problem !== null && (poll.lastOkAt === null || now - poll.lastOkAt > PATIENCE)
}

/** Whether the first look worked, which an address for the object's events needs. */
export type BegunPolling =
  | { outcome: 'looking' }
  /** Nobody signed in, or the sign-in is over. */
  | { outcome: 'no_credentials' }
  /** The platform's own words are in the message where they tell more than ours. */
  | { outcome: 'platform_refused'; message: string }

/** What becomes of the wish for such an address when the first look did not work. */
export function begunInVain(object: string, failure: PollFailure): BegunPolling {
  switch (failure.outcome) {
    case 'not_connected':
    case 'reconnect':
    case 'unauthorized':
      return { outcome: 'no_credentials' }
    case 'forbidden': {
      const own = failureSentence(object, failure)
      // Where we name the permission ourselves the platform's own words are added.
      const message = READ_SCOPES[object] === undefined ? '' : failure.message.trim()
      const said = message === '' ? '' : ` (ServiceM8: ${message})`
      return { outcome: 'platform_refused', message: `${own}${said}` }
    }
    case 'suspended':
    case 'refused':
    case 'unavailable':
    case 'rate_limited':
    case 'ours':
      return { outcome: 'platform_refused', message: `${failureSentence(object, failure)} Nothing was changed.` }
    case 'no_room':
      // What is there already waits for room; looking itself works.
      return { outcome: 'looking' }
    default:
      return assertNever(failure)
  }
}
