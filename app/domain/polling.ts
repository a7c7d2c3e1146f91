// When we poll objects that the platform sends no webhooks for, and the related texts. Pure.
import { assertNever } from '#app/lib/assert-never.ts'
import type { Millis } from '#app/lib/clock.ts'
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import { recordsText } from './object-catalog.ts'

/** While nothing changes, one list call per account and object in this time. */
export const POLL_EVERY = minutes(5)

/** The purpose of polls for webhooks and forwarding rules, as opposed to other polls. */
export const POLL_PURPOSE = 'webhook'

/** The cursor's name: `webhook:jobcontact`. */
export function sourceOf(object: string): string {
  return `${POLL_PURPOSE}:${object}`
}

/** Heading for those objects in a list; short, and sufficient where no script can show the full sentence. */
export const CHECKED_TEXTS = `Checked every ${POLL_EVERY / minutes(1)} minutes (ServiceM8 sends no webhooks for these)`

/** For the form and the card. */
export function pollingSentence(object: string): string {
  return `ServiceM8 sends no webhooks for ${recordsText(object)}, so Fieldhook looks every ${POLL_EVERY / minutes(1)} minutes.`
}

/**
 * When an object is due next. Each account and object has a fixed offset within the five minutes, so late polls and
 * restarts never bunch them together.
 */
export function nextPollAt(accountUuid: string, object: string, now: Millis): Millis {
  const phase = hash(`${accountUuid}|${object}`) % POLL_EVERY
  const slot = Math.floor((now - phase) / POLL_EVERY) + 1
  const at = slot * POLL_EVERY + phase
  // Work is picked up once a minute, so a poll may run shortly before its next slot.
  return at - now < minutes(1) ? at + POLL_EVERY : at
}

/** FNV-1a: small, stable, and even enough to spread polls. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (const char of text) value = Math.imul(value ^ (char.codePointAt(0) ?? 0), 0x01000193)
  return value >>> 0
}

/** Why a poll failed: the platform's failures, as `callAsAccount` reports them, and our own. */
export type PollFailure =
  | {
      outcome: 'not_connected' | 'reconnect' | 'unauthorized' | 'forbidden' | 'suspended' | 'refused' | 'unavailable'
      message: string
    }
  | { outcome: 'rate_limited'; message: string; retryAt: Millis }
  /** The account has too many pending deliveries, or storage is nearly full. The remaining records are stored later. */
  | { outcome: 'no_room' }
  /** A bug on our side; the log has the details. */
  | { outcome: 'ours' }

/** The scopes needed to read (platform facts 5.7): name the permission when the platform only says "insufficient". */
const READ_SCOPES: Readonly<Record<string, string>> = {
  jobcontact: 'read_job_contacts',
  jobmaterial: 'read_job_materials',
}

/** For the card: the problem and the fix. Whether and when we poll again is shown next to it. */
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
 * When to poll again after a failure. Platform trouble: after as long as the trouble has lasted, so 5, 10, 20, 40
 * minutes, then hourly. A limit: when it ends. A missing sign-in costs no call, so we soon notice a new one.
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

/** Each account's first target, then each account's second: an account with many objects does not delay the others. */
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

/** The polling state a card shows: the last success, the next poll, and the current problem. */
export interface PollState {
  lastOkAt: Millis | null
  nextAt: Millis
  /** A sentence; null = no problem. */
  problem: string | null
}

/** Two missed polls plus time for the current one: a shorter failure counts as a brief platform problem. */
const PATIENCE = 2 * POLL_EVERY + minutes(2)

/** Is it accurate to say that nothing is received? */
export function pollsInVain(poll: PollState, now: Millis): boolean {
  return poll.problem !== null && (poll.lastOkAt === null || now - poll.lastOkAt > PATIENCE)
}

/** Whether the first poll succeeded, which an address for the object's events requires. */
export type BegunPolling =
  | { outcome: 'looking' }
  /** No one is signed in, or the sign-in has expired. */
  | { outcome: 'no_credentials' }
  /** The message includes the platform's own words where they say more than ours. */
  | { outcome: 'platform_refused'; message: string }

/** The result of adding such an address when the first poll failed. */
export function begunInVain(object: string, failure: PollFailure): BegunPolling {
  switch (failure.outcome) {
    case 'not_connected':
    case 'reconnect':
    case 'unauthorized':
      return { outcome: 'no_credentials' }
    case 'forbidden': {
      const own = failureSentence(object, failure)
      // Where we name the permission ourselves, add the platform's own words.
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
      // The existing records wait for room; polling itself works.
      return { outcome: 'looking' }
    default:
      return assertNever(failure)
  }
}
