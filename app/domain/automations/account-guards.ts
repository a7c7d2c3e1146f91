// What an account chose once for all its automations: quiet hours, limits and cool-downs.
import { z } from 'zod'
import { readTimeOfDay } from '../local-time.ts'

const TIME_WANTED = 'Give the time as HH:MM, for example 20:00.'

const timeOfDay = z.string(TIME_WANTED).refine((text) => readTimeOfDay(text) !== null, TIME_WANTED)

const yesOrNo = z.boolean('Give true or false.')

const count = (least: number, most: number) =>
  z
    .number('Give a number.')
    .int('Give a whole number.')
    .min(least, `Give at least ${least}.`)
    .max(most, `Give at most ${most}.`)

/** Chosen once for the account; kept as JSON. */
export const accountGuardsSchema = z.object({
  /** Local times of day; the end may be on the next day. The same twice = no quiet hours. */
  quietFrom: timeOfDay,
  quietTo: timeOfDay,
  /** True: quiet on Saturday and Sunday all day, too. */
  quietWeekends: yesOrNo,
  /** True: for every rule; false: for those that say so themselves. */
  quietForAll: yesOrNo,
  /** Days between two messages to one customer, whichever rules they come from; 0 = no limit. */
  customerCooldownDays: count(0, 365),
  /** Most customer messages a day of one rule that says nothing itself, and of all rules together. */
  ruleDailyCap: count(1, 100_000),
  accountDailyCap: count(1, 100_000),
  /** More customer messages of one rule within an hour are held until a person says "send". */
  floodPerHour: count(1, 100_000),
})

export type AccountGuards = z.infer<typeof accountGuardsSchema>

export interface AutomationSettings extends AccountGuards {
  /** Staff messages come from this person, and e-mails carry their signature; null = the first active staff member. */
  senderStaffUuid: string | null
}
