// Why a run waits, needs you, was skipped or did nothing, and why an automation is paused: the text of each reason code.

import { type CodedReason, type Reason, reasonsOf } from '#app/domain/reason.ts'
import { dayOf, MONTHS, WEEKDAYS, wallOfDay, weekdayOf } from '#app/domain/time/local-time.ts'
import { timeText } from '#app/domain/time/moments.ts'
import type { Millis } from '#app/lib/clock.ts'
import { wallAt } from '#app/lib/zone.ts'

type SeenFrom = { now: Millis; zone: string }

/** Words a day relative to `now`, the time of the decision. */
type OnDay = SeenFrom & { at: Millis }

export const RUN_REASON_TEXTS = {
  // For one effect of a run.
  may_have_been_sent:
    'It may have been sent: ServiceM8 did not confirm it. We never resend it automatically. Check the job diary, then say whether it went out.',
  never_done: 'We tried several times. ServiceM8 still does not have it.',
  previous_failed: 'Not started: the step before it was skipped or failed.',
  needed_failed: 'Not started: the step it needs gave no result.',
  parent_failed: 'Not started: the record it belongs to was not created.',
  nothing_to_do: 'There was nothing to do.',
  cancelled_before_sent: 'Cancelled before it was sent.',
  switched_off_meanwhile: 'Not sent: the automation was switched off in the meantime.',
  deleted_meanwhile: 'Not sent: the automation was deleted in the meantime.',
  conditions_no_longer_met: 'Not sent: the conditions are no longer met.',
  record_gone: 'Not sent: the record no longer exists in ServiceM8.',
  went_out: 'A person confirmed that it went out.',
  no_clear_answer: 'ServiceM8 gave no clear response.',
  no_clear_answer_again: 'ServiceM8 gave no clear response. It may have been done.',
  broken_off: 'An error on our side interrupted this. It may have been done.',
  not_looked: 'An error on our side stopped us from checking the result.',

  // For the customer guards.
  muted: ({ kind, until, ...at }: { kind: 'company' | 'job'; until: Millis | null } & SeenFrom) =>
    `Not sent: automatic messages are switched off for ${kind === 'company' ? 'this customer' : 'this job'}${until === null ? '' : ` until ${dayText(until, at)}`}.`,
  // The run waits until a person decides, so "today" would not last. `job`: number of another job.
  answered: ({ words, at, zone, job }: OnDay & { id: number; words: string; job?: string }) =>
    `They answered${job ? ` about job ${job}` : ''} on ${dateText(at, zone)} at ${timeText(at, zone)}: "${words}"`,
  stopped_after_answer: 'Not sent: they answered, and a person stopped it.',
  rule_cooldown: ({ days, at, ...seen }: OnDay & { days: number }) =>
    `Not sent: this automation wrote to the customer ${onDay(at, seen)}. It leaves ${dayCount(days)} between messages.`,
  customer_cooldown: ({ days, at, ...seen }: OnDay & { days: number }) =>
    `Not sent: the customer got an automatic message ${onDay(at, seen)}. You leave ${dayCount(days)} between messages.`,
  same_message: ({ at, ...seen }: OnDay) =>
    `Not sent: the customer got the same words about this job ${answeredText(at, seen)}.`,
  rule_daily_cap: ({ limit }: { limit: number }) =>
    `This automation sent ${messages(limit)} to customers today, its daily limit.`,
  account_daily_cap: ({ limit }: { limit: number }) =>
    `Your automations sent ${messages(limit)} to customers today, the daily limit.`,
  flood: ({ limit }: { limit: number }) =>
    `This automation sent ${messages(limit)} to customers within an hour. Is that right?`,
  quiet_hours: ({ at, ...seen }: OnDay) =>
    `Waits until your quiet hours end: ${dayText(at, seen)}, ${timeText(at, seen.zone)}.`,

  // For a whole run.
  ask_first: 'This automation asks you before each run.',
  held: 'Waits for you.',
  message_unclear:
    'A message may have been sent, and later steps depend on it. Say whether it went out, and the run continues.',
  waiting: 'Waits for the next attempt.',
  collected: 'Collected. It runs at its scheduled time.',
  records_gone: 'Nothing was done: ServiceM8 has no such record.',
  conditions_not_met: 'Nothing was done: this job does not meet the conditions.',
  empty_list: 'Nothing was done: the list was empty.',
  switched_off: 'The automation was switched off before this run began.',
  deleted: 'The automation was deleted before this run began.',
  rule_deleted: 'The automation was deleted.',
  // A function: no stored sentence of an older version means it.
  rule_restored: () => 'The automation was deleted and brought back.',
  account_erased: 'The account was erased.',
  version_gone: 'We no longer have the automation as it was then.',
  cancelled: 'Cancelled by a person.',
  discarded: 'Discarded by a person.',
  done_before: ({ once }: { once: string }) => `Done before. This automation runs ${once}.`,
  no_steps: 'The automation has no actions.',
  released: 'Released by a person.',
  hop_limit: 'A chain of three automations started this run. They may be starting each other.',
  too_old: 'It waited more than 72 hours while the account was on hold. Check that it still makes sense, then send it.',

  // Obstacles at the platform; the first three pause rules until they are resolved.
  reconnect: 'ServiceM8 no longer accepts our connection. Please click Reconnect in the Webhook Manager.',
  suspended: 'The ServiceM8 account is suspended.',
  scope: ({ scope, message }: { scope: string | null; message: string }) =>
    `We may not do this in ServiceM8: ${scope ? `the permission ${scope} is missing` : `ServiceM8 says "${message}"`}. Please click Reconnect in the Webhook Manager to give it.`,
  message_limit: "ServiceM8's own limit for messages is reached.",
  call_limit: 'ServiceM8 allows only so many calls a minute.',

  // A pause that only a person can end.
  breaker: 'This automation ran three times for one record within ten minutes.',
}

type RunReasonCode = keyof typeof RUN_REASON_TEXTS

export const { reason: runReason, text: runReasonText } = reasonsOf(RUN_REASON_TEXTS)

/** Pauses about the account's connection, status or permissions: they end automatically. */
const CONNECTION: ReadonlySet<string> = new Set<RunReasonCode>(['reconnect', 'suspended', 'scope'])

export function isConnectionPause(reason: Reason): reason is CodedReason {
  return typeof reason !== 'string' && CONNECTION.has(reason.code)
}

function messages(limit: number): string {
  return limit === 1 ? '1 message' : `${limit} messages`
}

function dayCount(count: number): string {
  return count === 1 ? '1 day' : `${count} days`
}

function dayText(at: Millis, { now, zone }: SeenFrom): string {
  const day = dayOf(wallAt(at, zone))
  const today = dayOf(wallAt(now, zone))
  if (day === today) return 'today'
  return day === today + 1 ? 'tomorrow' : dateText(at, zone)
}

function dateText(at: Millis, zone: string): string {
  const day = dayOf(wallAt(at, zone))
  const date = new Date(wallOfDay(day))
  return `${WEEKDAYS[weekdayOf(day) - 1]}, ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`
}

/** `today`, else `on Tuesday, 24 November`. */
function onDay(at: Millis, seen: SeenFrom): string {
  const day = dayText(at, seen)
  return day === 'today' ? day : `on ${day}`
}

function answeredText(at: Millis, seen: SeenFrom): string {
  const day = onDay(at, seen)
  return day === 'today' ? `at ${timeText(at, seen.zone)}` : `${day} at ${timeText(at, seen.zone)}`
}
