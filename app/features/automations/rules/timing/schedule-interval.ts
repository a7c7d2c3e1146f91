// The effective interval of a schedule. Without the heavy cron parser: pages need only this, engines and checks more.
import { type PollInterval, type PollTrigger, RECURRENCE_INTERVALS } from '#app/domain/automations/rule.ts'

/** The words allowed as a recurrence, in lower case. */
export const INTERVAL_TEXTS: ReadonlyMap<string, PollInterval> = new Map(Object.entries(RECURRENCE_INTERVALS))

/** The recurrence if it is a known word; null for a cron line or none. */
function recurrenceWord(trigger: PollTrigger): string | null {
  const word = (trigger.scheduleRecurrence ?? '').trim().toLowerCase()
  return trigger.scheduleType === 'recurring' && INTERVAL_TEXTS.has(word) ? word : null
}

/** The effective interval: a recurrence that is a word replaces the chosen one. */
export function intervalOf(trigger: PollTrigger): PollInterval {
  return INTERVAL_TEXTS.get(recurrenceWord(trigger) ?? '') ?? trigger.interval
}

/** Monday to Friday only? */
export function isOnWorkingDays(trigger: PollTrigger): boolean {
  return trigger.workingDays || recurrenceWord(trigger) === 'weekdays'
}

/** The day of a weekly schedule. On working days only, one at the weekend becomes the Monday after. */
export function weekdayIn(trigger: PollTrigger): number {
  return isOnWorkingDays(trigger) && trigger.weekday > 5 ? 1 : trigger.weekday
}
