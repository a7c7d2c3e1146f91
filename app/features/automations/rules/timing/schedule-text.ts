// A rule's schedule in words: "Every Monday at 08:00".
import type { ManualTrigger, PollTrigger, WebhookTrigger } from '#app/domain/automations/rule.ts'
import {
  dateOf,
  dayOf,
  isoDate,
  localStamp,
  MONTHS,
  readLocal,
  readTimeOfDay,
  WEEKDAYS,
} from '#app/domain/time/local-time.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import type { JudgedAt } from '../../records/facts.ts'
import { comesAt, cronLineOf, timesOf } from './schedule.ts'
import { intervalOf, isOnWorkingDays, weekdayIn } from './schedule-interval.ts'

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
  const at = `at ${timeOf(trigger.runTime)}`
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
      return `Every month on the ${workingDays ? 'first working day from the ' : ''}${ordinal(trigger.dayOfMonth)} ${at}`
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

function hourlyWords({ runTime }: PollTrigger): string {
  const minute = Number(timeOf(runTime).slice(3))
  return minute === 0 ? 'Every hour' : `Every hour, ${minute} ${minute === 1 ? 'minute' : 'minutes'} past`
}

function onceText(trigger: PollTrigger): string {
  const reading = trigger.scheduleDate === null ? null : readLocal(trigger.scheduleDate.trim(), 'UTC')
  if (reading === null) return 'Once, when it is switched on'
  const time = reading.hasTime ? localStamp(reading.wall).slice(11, 16) : timeOf(trigger.runTime)
  return `Once, on ${dateText(isoDate(dayOf(reading.wall)))} at ${time}`
}

function timeOf(text: string): string {
  const time = readTimeOfDay(text)
  return time === null ? '09:00' : localStamp(time).slice(11, 16)
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
