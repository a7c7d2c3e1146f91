// The next tick of a polled rule, in its account's time zone. Computed from the rule and a moment alone, so it is the
// same after a restart. A tick whose local time does not exist comes at the first minute that does; one whose local
// time occurs twice comes the first time only; the 31st is the last day of a shorter month.
import { Cron } from 'croner'
import type { ManualTrigger, PollTrigger, Schedule, WebhookTrigger } from '#app/domain/automations/rule.ts'
import {
  dateOf,
  dayOf,
  dayOfDate,
  isoDate,
  localStamp,
  MONTHS,
  readLocal,
  readTimeOfDay,
  WEEKDAYS,
  wallOfDay,
  weekdayOf,
} from '#app/domain/time/local-time.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import type { Millis } from '#app/lib/clock.ts'
import { hours, minutes } from '#app/lib/duration.ts'
import { momentOfWall, type Wall, wallAt } from '#app/lib/zone.ts'
import type { JudgedAt } from '../../records/facts.ts'
import { INTERVAL_TEXTS, intervalOf, isOnWorkingDays, weekdayIn } from './schedule-interval.ts'

/** Used when a rule's own time cannot be read, so that no customer gets a message at midnight. */
const DEFAULT_TIME = hours(9)

/** Every poll uses calls of the account's daily budget, so ticks of a cron line are at least this far apart. */
const CLOSEST_TICKS = minutes(5)

/** A zone that moved west has the same tick again, hours later: it is no other one. */
const SAME_TICK = hours(12)

/** No two zones are further apart. */
const ZONES_APART = hours(26)

/** Longer than any gap between two ticks, even of 29 February. */
const LOOKED_AHEAD_DAYS = 8 * 366

/** The schedule that results from the interval with its day and time, or from a recurrence instead. */
type Plan =
  | { kind: 'hourly'; minute: number; workingDays: boolean }
  | { kind: 'days'; time: number; isDay: (day: number) => boolean }
  | { kind: 'cron'; line: string }
  | { kind: 'once' }
  | { kind: 'never' }

/**
 * The first tick after a moment, epoch ms; null when the schedule has none. `once` without a date is due only when the
 * rule is switched on: use `firstRun`. An unknown zone counts as UTC. `last` = the tick before, from which days and a
 * cron line keep their distance; null = there was none.
 */
export function nextRun(trigger: PollTrigger, zone: string, after: Millis, last: Millis | null = null): Millis | null {
  const start = startOf(trigger, zone)
  const from = start === null ? after : Math.max(after, start - 1)
  const apart = (gap: number) => (last === null ? from : Math.max(from, last + gap - 1))
  const plan = planOf(trigger)
  switch (plan.kind) {
    case 'never':
      return null
    case 'once':
      return start !== null && start > after ? start : null
    case 'hourly':
      return nextHourly(plan, zone, from)
    case 'days':
      return nextDay(plan, zone, apart(SAME_TICK))
    case 'cron':
      return nextOfLine(plan.line, zone, apart(CLOSEST_TICKS))
    default:
      return assertNever(plan)
  }
}

/**
 * Where a tick that is still to come moves now that this is the account's zone: to the nearest one. Null = it stays,
 * also where that one is past, unless its date has its own tick. So none is left out, and none is repeated.
 */
export function movedTick(trigger: PollTrigger, zone: string, tick: Millis, now: Millis): Millis | null {
  const before = lastRun(trigger, zone, tick - ZONES_APART, tick) ?? Number.NEGATIVE_INFINITY
  const after = nextRun(trigger, zone, tick) ?? Number.POSITIVE_INFINITY
  const nearest = after - tick < tick - before ? after : before
  if (nearest > now) return nearest !== tick && nearest < tick + ZONES_APART ? nearest : null
  const dayAt = (at: Millis) => dayOf(wallAt(at, zone))
  return planOf(trigger).kind === 'days' && dayAt(after) === dayAt(tick) ? after : null
}

/** The last tick of `from` to `to`; null = none. Looks ever further back: there are ticks each 5 minutes, and yearly. */
export function lastRun(trigger: PollTrigger, zone: string, from: Millis, to: Millis): Millis | null {
  for (let back = hours(1); ; back *= 8) {
    let last: Millis | null = null
    let next = nextRun(trigger, zone, Math.max(from, to - back) - 1)
    while (next !== null && next <= to) {
      last = next
      next = nextRun(trigger, zone, next, next)
    }
    if (last !== null || to - back <= from) return last
  }
}

/** The first tick of a rule that is switched on now: like `nextRun`, but `once` without a future date is due now. */
export function firstRun(trigger: PollTrigger, zone: string, now: Millis): Millis | null {
  return nextRun(trigger, zone, now) ?? (planOf(trigger).kind === 'once' ? now : null)
}

/** The schedule of a rule that collects, in the form of a polled rule. Daily without a recurrence. */
export function timesOf(schedule: Schedule): PollTrigger {
  return {
    source: 'api_polling',
    endpoint: '/api_1.0/job.json',
    method: 'GET',
    interval: schedule.scheduleType === 'scheduled' ? 'once' : 'daily',
    ...schedule,
  }
}

/**
 * How long a rule on events, or one that is called, collects records; null = it acts at once. Scheduled: until its
 * date, at once after that. Recurring: until its next time, again and again.
 */
export function collectsUntil(trigger: WebhookTrigger | ManualTrigger, zone: string, now: Millis): Millis | null {
  return trigger.schedule ? nextRun(timesOf(trigger.schedule), zone, now) : null
}

/**
 * Does the schedule ever start a run? `passed` = its only date is past, `never` = no calendar day matches the cron
 * line. `yes` for "on demand" and "when it is switched on": a person starts those.
 */
export function comesAt(trigger: PollTrigger, zone: string, now: Millis): 'yes' | 'passed' | 'never' {
  const plan = planOf(trigger)
  if (plan.kind === 'cron') return readLine(plan.line)?.nextRun(new Date(now)) ? 'yes' : 'never'
  const start = plan.kind === 'once' ? startOf(trigger, zone) : null
  return start !== null && start <= now ? 'passed' : 'yes'
}

/** A local time in the platform's format, moved back by hours of local time. Unreadable text is returned unchanged. */
export function localBefore(text: string, hoursBefore: number): string {
  const reading = readLocal(text, 'UTC')
  return reading === null ? text : localStamp(reading.wall - hours(hoursBefore))
}

/** The earliest moment of a tick; null = any time. */
function startOf(trigger: PollTrigger, zone: string): Millis | null {
  if (trigger.scheduleDate === null) return null
  if (trigger.scheduleType !== 'scheduled' && intervalOf(trigger) !== 'once') return null
  const reading = readLocal(trigger.scheduleDate.trim(), zone)
  if (reading === null) return null
  // A date without a time means the whole day; a rule that runs once takes the time from `runTime`.
  const time = reading.hasTime || intervalOf(trigger) !== 'once' ? 0 : timeOf(trigger)
  return momentOfWall(reading.wall + time, zone).at
}

function timeOf(trigger: PollTrigger): number {
  return readTimeOfDay(trigger.runTime) ?? DEFAULT_TIME
}

/** The cron line used instead of the interval; null when there is none or it cannot be read. */
function cronLineOf(trigger: PollTrigger): string | null {
  const line = (trigger.scheduleRecurrence ?? '').trim()
  if (trigger.scheduleType !== 'recurring' || INTERVAL_TEXTS.has(line.toLowerCase())) return null
  return isCronLine(line) ? line : null
}

function isCronLine(line: string): boolean {
  return line.split(/\s+/).length === 5 && readLine(line) !== null
}

function readLine(line: string): Cron | null {
  try {
    return new Cron(line, { timezone: 'UTC', paused: true })
  } catch {
    return null
  }
}

function planOf(trigger: PollTrigger): Plan {
  const line = cronLineOf(trigger)
  if (line !== null) return { kind: 'cron', line }
  const interval = intervalOf(trigger)
  const time = timeOf(trigger)
  const workingDays = isOnWorkingDays(trigger)
  const on = (isDay: (day: number) => boolean): Plan => ({ kind: 'days', time, isDay })
  switch (interval) {
    case 'on_demand':
      return { kind: 'never' }
    case 'once':
      return { kind: 'once' }
    case 'hourly':
      return { kind: 'hourly', minute: time % hours(1), workingDays }
    case 'daily':
      return on((day) => !workingDays || isWorkingDay(day))
    case 'weekly':
      return on((day) => weekdayOf(day) === weekdayIn(trigger))
    case 'monthly':
      return on((day) => day === dayInMonth(day, trigger.dayOfMonth, workingDays))
    case 'first_of_month':
      return on((day) => day === dayInMonth(day, 1, workingDays))
    case 'last_of_month':
      return on((day) => day === dayInMonth(day, 31, workingDays))
    default:
      return assertNever(interval)
  }
}

function isWorkingDay(day: number): boolean {
  return weekdayOf(day) <= 5
}

/**
 * The day of the month that `day` is in. On working days only, a weekend day becomes the Monday after, or the Friday
 * before if that Monday is in the next month.
 */
function dayInMonth(day: number, dayOfMonth: number, workingDays: boolean): number {
  const { year, month } = dateOf(day)
  const wanted = dayOfDate(year, month, dayOfMonth)
  if (!workingDays || isWorkingDay(wanted)) return wanted
  const monday = wanted + 8 - weekdayOf(wanted)
  return dateOf(monday).month === month ? monday : wanted + 5 - weekdayOf(wanted)
}

function nextDay(plan: Extract<Plan, { kind: 'days' }>, zone: string, after: Millis): Millis | null {
  // A day that the zone skips altogether has its tick at the start of the next day, so begin one day back.
  const first = dayOf(wallAt(after, zone)) - 1
  for (let day = first; day < first + LOOKED_AHEAD_DAYS; day += 1) {
    if (!plan.isDay(day)) continue
    const { at } = momentOfWall(wallOfDay(day) + plan.time, zone)
    if (at > after) return at
  }
  return null
}

/** An hour skipped by a clock change has no tick; the tick after it is near enough. */
function nextHourly(plan: Extract<Plan, { kind: 'hourly' }>, zone: string, after: Millis): Millis | null {
  const hour = Math.floor(wallAt(after, zone) / hours(1)) * hours(1)
  for (let step = -2; step < 24 * 5; step += 1) {
    const wall = hour + hours(step) + plan.minute
    if (plan.workingDays && !isWorkingDay(dayOf(wall))) continue
    const { at, exists } = momentOfWall(wall, zone)
    if (exists && at > after) return at
  }
  return null
}

/** Reads the line in the account's local time as if it were UTC, then converts each result with the zone. */
function nextOfLine(line: string, zone: string, after: Millis): Millis | null {
  const cron = readLine(line)
  // Two hours back: after clocks are put back, local times that are still to come look like past ones.
  let wall: Wall | null = wallAt(after, zone) - hours(2)
  for (let tries = 0; tries < 1000 && wall !== null; tries += 1) {
    wall = cron?.nextRun(new Date(wall))?.getTime() ?? null
    if (wall === null) return null
    const { at } = momentOfWall(wall, zone)
    if (at > after) return at
  }
  return null
}

/** What a person has to fix before the rule can be switched on, and in which field. */
interface ScheduleProblem {
  field: 'runTime' | 'weekday' | 'dayOfMonth' | 'scheduleDate' | 'scheduleRecurrence'
  message: string
}

export function scheduleProblem(trigger: PollTrigger): ScheduleProblem | null {
  if (readTimeOfDay(trigger.runTime) === null) {
    return { field: 'runTime', message: 'Enter the time of day as HH:MM, for example 07:30.' }
  }
  if (intervalOf(trigger) === 'weekly' && !isBetween(trigger.weekday, 1, 7)) {
    return { field: 'weekday', message: 'Choose a day of the week.' }
  }
  if (intervalOf(trigger) === 'monthly' && !isBetween(trigger.dayOfMonth, 1, 31)) {
    return { field: 'dayOfMonth', message: 'Choose a day from 1 to 31.' }
  }
  if (trigger.scheduleDate !== null && readLocal(trigger.scheduleDate.trim(), 'UTC') === null) {
    const message = `"${trigger.scheduleDate}" is not a date. Use a date such as 2026-11-21.`
    return { field: 'scheduleDate', message }
  }
  if (trigger.scheduleType === 'scheduled' && trigger.scheduleDate === null) {
    return { field: 'scheduleDate', message: DATE_WANTED }
  }
  const recurrence = trigger.scheduleType === 'recurring' ? recurrenceProblem(trigger.scheduleRecurrence ?? '') : null
  return recurrence === null ? null : { field: 'scheduleRecurrence', message: recurrence }
}

export const DATE_WANTED = 'Choose the date it starts on.'

/** The problem of a recurrence that is neither a known word nor a cron line; null when there is none. */
export function recurrenceProblem(text: string): string | null {
  const line = text.trim()
  if (line === '' || INTERVAL_TEXTS.has(line.toLowerCase()) || isCronLine(line)) return null
  return `"${line}" cannot be read. Use hourly, daily, weekly, monthly or weekdays.`
}

function isBetween(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most
}

/** Starts with a capital, ends without a full stop. With `at`, the text says so if the date has passed. */
export function scheduleText(trigger: PollTrigger, at: JudgedAt | null = null): string {
  const words = intervalText(trigger)
  if (at !== null && comesAt(trigger, at.zone, at.now) === 'passed') return `${words} (this date has passed)`
  const interval = intervalOf(trigger)
  if (trigger.scheduleType !== 'scheduled' || interval === 'once' || interval === 'on_demand') return words
  const from = dateText(trigger.scheduleDate)
  return from === null ? words : `${words}, from ${from}`
}

/** Until when it collects: `until 3 December 2026 at 09:00` · `for the next run (every day at 18:00)`; else null. */
export function collectedText({ schedule }: WebhookTrigger | ManualTrigger): string | null {
  if (!schedule) return null
  const words = scheduleText(timesOf(schedule))
  if (schedule.scheduleType === 'scheduled') return words.replace(/^Once, on /, 'until ')
  return `for the next run (${words.charAt(0).toLowerCase()}${words.slice(1)})`
}

/** The past date until which a rule collected: `3 December 2026 at 09:00`. Null = still to come, or no date. */
export function passedText({ schedule }: WebhookTrigger | ManualTrigger, { now, zone }: JudgedAt): string | null {
  if (!schedule || comesAt(timesOf(schedule), zone, now) !== 'passed') return null
  return scheduleText(timesOf(schedule)).replace(/^Once, on /, '')
}

function intervalText(trigger: PollTrigger): string {
  const line = cronLineOf(trigger)
  if (line !== null) return `On the schedule "${line}"`
  const at = `at ${timeOfDayText(trigger)}`
  const interval = intervalOf(trigger)
  const workingDays = isOnWorkingDays(trigger)
  const day = workingDays ? 'working day' : 'day'
  switch (interval) {
    case 'hourly':
      return `${hourlyWords(trigger)}${workingDays ? ', Monday to Friday' : ''}`
    case 'daily':
      return `${workingDays ? 'Monday to Friday' : 'Every day'} ${at}`
    case 'weekly':
      return `Every ${WEEKDAYS[weekdayIn(trigger) - 1] ?? 'week'} ${at}`
    case 'monthly':
      return monthlyText(trigger.dayOfMonth, workingDays, at)
    case 'first_of_month':
      return `On the first ${day} of every month ${at}`
    case 'last_of_month':
      return `On the last ${day} of every month ${at}`
    case 'once':
      return onceText(trigger)
    case 'on_demand':
      return 'When you press Run Now'
    default:
      return assertNever(interval)
  }
}

/** Says where a shorter month has no such day (`dayInMonth`). */
function monthlyText(day: number, workingDays: boolean, at: string): string {
  if (!workingDays) return `Every month on the ${ordinal(day)}${day > 28 ? ", or the month's last day," : ''} ${at}`
  if (day === 31) return `On the last working day of every month ${at}`
  return `Every month on the first working day from the ${ordinal(day)}${day > 26 ? ", or the month's last," : ''} ${at}`
}

function hourlyWords(trigger: PollTrigger): string {
  const minute = Number(timeOfDayText(trigger).slice(3))
  return minute === 0 ? 'Every hour' : `Every hour, ${minute} ${minute === 1 ? 'minute' : 'minutes'} past`
}

function onceText(trigger: PollTrigger): string {
  const reading = trigger.scheduleDate === null ? null : readLocal(trigger.scheduleDate.trim(), 'UTC')
  if (reading === null) return 'Once, when it is switched on'
  const time = reading.hasTime ? localStamp(reading.wall).slice(11, 16) : timeOfDayText(trigger)
  return `Once, on ${dateText(isoDate(dayOf(reading.wall)))} at ${time}`
}

function timeOfDayText(trigger: PollTrigger): string {
  return localStamp(timeOf(trigger)).slice(11, 16)
}

/** `3 December 2026`; null when it is not a date. */
export function dateText(text: string | null): string | null {
  const reading = text === null ? null : readLocal(text.trim(), 'UTC')
  if (reading === null) return null
  const { year, month, date } = dateOf(dayOf(reading.wall))
  return `${date} ${MONTHS[month - 1]} ${year}`
}

function ordinal(day: number): string {
  const tail = day % 100 >= 11 && day % 100 <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][day % 10] ?? 'th')
  return `${day}${tail}`
}
