// Which interval a schedule comes to. Without what reads a cron line, which is heavy: pages ask this, and only engines and checks more.
import { type PollInterval, type PollTrigger, RECURRENCE_INTERVALS } from '#app/domain/automations/rule.ts'

/** The words a recurrence may be, in small letters. */
export const INTERVAL_TEXTS: ReadonlyMap<string, PollInterval> = new Map(Object.entries(RECURRENCE_INTERVALS))

/** The recurrence as a word we know, or null: then it is a cron line or nothing. */
function recurrenceWord(trigger: PollTrigger): string | null {
  const word = (trigger.scheduleRecurrence ?? '').trim().toLowerCase()
  return trigger.scheduleType === 'recurring' && INTERVAL_TEXTS.has(word) ? word : null
}

/** The interval that counts: a recurrence that is a word stands in for the one chosen. */
export function intervalOf(trigger: PollTrigger): PollInterval {
  return INTERVAL_TEXTS.get(recurrenceWord(trigger) ?? '') ?? trigger.interval
}

/** Monday to Friday only? */
export function isOnWorkingDays(trigger: PollTrigger): boolean {
  return trigger.workingDays || recurrenceWord(trigger) === 'weekdays'
}
