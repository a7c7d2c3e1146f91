// Why a run waits, is held, skipped or did nothing, and why a rule is paused: the text of each reason code.

import { type CodedReason, type Reason, reasonsOf } from '#app/domain/reason.ts'
import { dayOf, localStamp, MONTHS, WEEKDAYS, wallOfDay, weekdayOf } from '#app/domain/time/local-time.ts'
import type { Millis } from '#app/lib/clock.ts'
import { wallAt } from '#app/lib/zone.ts'

type SeenFrom = { now: Millis; zone: string }

/** Words a day relative to `now`, the time of the decision. */
type OnDay = SeenFrom & { at: Millis }

export const RUN_REASON_TEXTS = {
  // For one effect of a run.
  may_have_been_sent:
    'It may have been sent: ServiceM8 was asked, and no answer came back. It is never repeated by itself. Look in the job diary, then say: it went out, or send it.',
  never_done: 'It was tried several times and ServiceM8 still does not have it.',
  previous_failed: 'Not begun: the step before it did not succeed.',
  needed_failed: 'Not begun: it uses the result of a step that did not succeed.',
  parent_failed: 'Not begun: what it belongs to could not be made.',
  nothing_to_do: 'There was nothing to do.',
  cancelled_before_sent: 'Cancelled before it was sent.',
  switched_off_meanwhile: 'Not sent: the automation was switched off in the meantime.',
  deleted_meanwhile: 'Not sent: the automation was deleted in the meantime.',
  conditions_no_longer_met: 'Not sent: the conditions no longer hold.',
  record_gone: 'Not sent: the record no longer exists in ServiceM8.',
  went_out: 'Somebody looked and says that it went out.',
  no_clear_answer: 'ServiceM8 was asked, and no clear answer came back.',
  no_clear_answer_again: 'ServiceM8 was asked, and no clear answer came back. It is tried again.',
  broken_off: 'A fault on our side broke this off, and it may have been done.',
  not_looked: 'Looking whether it was done failed on our side.',

  // For the customer guards.
  muted: ({ kind, until, ...at }: { kind: 'company' | 'job'; until: Millis | null } & SeenFrom) =>
    `Not sent: automatic messages are switched off for ${kind === 'company' ? 'this customer' : 'this job'}${until === null ? '' : ` until ${dayText(until, at)}`}.`,
  answered: ({ words, at, ...seen }: OnDay & { id: number; words: string }) =>
    `Waiting: they answered ${answeredText(at, seen)} "${words}"`,
  stopped_after_answer: 'Not sent: they answered, and a person stopped it.',
  rule_cooldown: ({ days, at, ...seen }: OnDay & { days: number }) =>
    `Not sent: this rule wrote to the customer on ${dayText(at, seen)} and leaves ${dayCount(days)} between.`,
  customer_cooldown: ({ days, at, ...seen }: OnDay & { days: number }) =>
    `Not sent: the customer had an automatic message on ${dayText(at, seen)}, and you leave ${dayCount(days)} between.`,
  rule_daily_cap: ({ limit }: { limit: number }) =>
    `Held: this rule has sent ${messages(limit)} to customers today, its limit for a day.`,
  account_daily_cap: ({ limit }: { limit: number }) =>
    `Held: your rules have sent ${messages(limit)} to customers today, the limit for a day.`,
  flood: ({ limit }: { limit: number }) =>
    `Held: this rule has sent ${messages(limit)} to customers within an hour. Is that right?`,
  quiet_hours: ({ at, ...seen }: OnDay) =>
    `Waits for the end of your quiet hours: ${dayText(at, seen)}, ${timeText(at, seen)}.`,

  // For a whole run.
  ask_first: 'This rule asks you first, each time.',
  held: 'Waits for you.',
  message_unclear: 'A message may have been sent, and later steps depend on it. Settle it, and the rest goes on.',
  waiting: 'Waits before it tries again.',
  collected: 'Collected. It runs at its scheduled time.',
  records_gone: 'Nothing was done: the record was deleted before the automation came to it.',
  empty_list: 'Nothing was done: the list was empty.',
  switched_off: 'The automation was switched off before this run began.',
  deleted: 'The automation was deleted before this run began.',
  rule_deleted: 'The automation was deleted.',
  // A function: no stored sentence of an older version means it.
  rule_restored: () => 'The automation was deleted and brought back.',
  account_erased: 'The account was erased.',
  version_gone: 'What the automation said at that time is no longer known.',
  cancelled: 'Cancelled by a person.',
  discarded: 'Discarded by a person.',
  done_before: ({ once }: { once: string }) => `Done before. This automation runs ${once}.`,
  no_steps: 'The automation has no actions.',
  released: 'A person said: go on.',
  hop_limit:
    'Held: this run was set off by a change that other rules made, three in a row. They may be going round in a circle.',
  too_old:
    'It waited more than 72 hours because nothing was sent for the account. Look whether it still makes sense, then let it go on.',

  // Obstacles at the platform; the first three pause rules until they are resolved.
  reconnect: 'ServiceM8 no longer accepts our connection. Please click Reconnect in the Webhook Manager.',
  suspended: 'The ServiceM8 account is suspended. The automation goes on when ServiceM8 accepts calls again.',
  scope: ({ scope, message }: { scope: string | null; message: string }) =>
    `We may not do this in ServiceM8: ${scope ? `the permission ${scope} is missing` : `ServiceM8 says "${message}"`}. Please click Reconnect in the Webhook Manager to give it.`,
  message_limit:
    "ServiceM8's own limit for messages is reached. It goes on by itself when ServiceM8 accepts messages again.",
  call_limit: 'ServiceM8 allows only so many calls a minute. It goes on by itself in a moment.',

  // A pause that only a person can end.
  breaker:
    'Stopped: this rule has run three times for the same record within ten minutes. Look at what sets it off, then switch it on again.',
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
  if (day === today + 1) return 'tomorrow'
  const date = new Date(wallOfDay(day))
  return `${WEEKDAYS[weekdayOf(day) - 1]}, ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`
}

function answeredText(at: Millis, seen: SeenFrom): string {
  const day = dayText(at, seen)
  return day === 'today' ? timeText(at, seen) : `on ${day} at ${timeText(at, seen)}`
}

function timeText(at: Millis, { zone }: SeenFrom): string {
  return localStamp(wallAt(at, zone)).slice(11, 16)
}
