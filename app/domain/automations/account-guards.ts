// An account's settings for all its automations: quiet hours, limits and cool-downs.
import { z } from 'zod'
import { readTimeOfDay } from '../time/local-time.ts'

const TIME_WANTED = 'Enter the time as HH:MM, for example 20:00.'

/** As a browser's time field wants it, however it was written. */
const timeOfDay = z
  .string(TIME_WANTED)
  .refine((text) => readTimeOfDay(text) !== null, TIME_WANTED)
  .transform((text) => {
    const [hour = '', minute] = text.trim().split(':')
    return `${hour.padStart(2, '0')}:${minute}`
  })

const yesOrNo = z.boolean('Enter true or false.')

const count = (least: number, most: number) =>
  z
    .number('Enter a number.')
    .int('Enter a whole number.')
    .min(least, `Enter at least ${least}.`)
    .max(most, `Enter at most ${most.toLocaleString('en')}.`)

/** Set per account; stored as JSON. */
export const accountGuardsSchema = z.object({
  /** Local times of day; the end may be on the next day. Equal times = no quiet hours. */
  quietFrom: timeOfDay,
  quietTo: timeOfDay,
  /** True: Saturday and Sunday are quiet all day, too. */
  quietWeekends: yesOrNo,
  /** True: for every rule; false: only for rules that opt in. */
  quietForAll: yesOrNo,
  /** Days between two messages to one number or e-mail address, across all rules; 0 = no limit. */
  customerCooldownDays: count(0, 365),
  /** Maximum customer messages per day: of one rule without its own limit, and of all rules together. */
  ruleDailyCap: count(1, 100_000),
  accountDailyCap: count(1, 100_000),
  /** Further customer messages of one rule within an hour are held until a person releases them. */
  floodPerHour: count(1, 100_000),
})

export type AccountGuards = z.infer<typeof accountGuardsSchema>

export interface AutomationSettings extends AccountGuards {
  /** Staff messages come from this person, and e-mails carry their signature; null = the first active staff member. */
  senderStaffUuid: string | null
}
