// Days without work: public holidays that all of the platform's countries have, and an account's own. They do not count
// as silence.
import { z } from 'zod'
import type { ClosedDays } from '#app/domain/notices/notice.ts'
import { dateOf, dayOf, dayOfDate, readLocal } from '#app/domain/time/local-time.ts'

/** Keeps a pasted calendar from filling the settings. */
const MOST_CLOSED = 60
const TOO_MANY_LINES = `Enter at most ${MOST_CLOSED} lines`
const LONGEST = 120

/** `24 December` to `2 January`, and Good Friday to Easter Monday. `day` counts from 1970. */
export function isHoliday(day: number): boolean {
  const { year, month, date } = dateOf(day)
  if ((month === 12 && date >= 24) || (month === 1 && date <= 2)) return true
  const easter = easterOf(year)
  return day >= easter - 2 && day <= easter + 1
}

/** Easter Sunday of the Gregorian calendar (Gauss's rule, in Lichtenberg's form). */
export function easterOf(year: number): number {
  const k = Math.floor(year / 100)
  const m = 15 + Math.floor((3 * k + 3) / 4) - Math.floor((8 * k + 13) / 25)
  const s = 2 - Math.floor((3 * k + 3) / 4)
  const a = year % 19
  const d = (19 * a + m) % 30
  const r = Math.floor((d + Math.floor(a / 11)) / 29)
  const og = 21 + d - r
  const sz = 7 - ((year + Math.floor(year / 4) + s) % 7)
  const oe = 7 - ((og - sz) % 7)
  // The day of March, which may go past its end.
  return dayOfDate(year, 3, 1) + og + oe - 1
}

function isClosed(closed: readonly ClosedDays[], day: number): boolean {
  return closed.some(({ from, to }) => day >= (dayNamed(from) ?? day + 1) && day <= (dayNamed(to) ?? day - 1))
}

function dayNamed(text: string): number | null {
  const reading = /^\d{4}-\d\d-\d\d$/.test(text) ? readLocal(text, 'UTC') : null
  return reading && dayOf(reading.wall)
}

/** One line for each, as the form shows and reads them: `2026-12-24 to 2027-01-03`. */
export function closedDaysText(closed: readonly ClosedDays[]): string {
  return closed.map(({ from, to }) => (from === to ? from : `${from} to ${to}`)).join('\n')
}

const LINE = /^(\d{4}-\d\d-\d\d)(?:\s*(?:to|until|-|–|\/)\s*(\d{4}-\d\d-\d\d))?$/

/** Reads the lines of the form. A string = what is wrong with the first line that is not right. */
export function readClosedDays(text: string): ClosedDays[] | string {
  const found: ClosedDays[] = []
  for (const line of text.split(/[\r\n,;]+/).map((one) => one.trim())) {
    if (line === '') continue
    const [, from = '', to = from] = LINE.exec(line) ?? []
    const wrong = wrongDays(from, to)
    if (wrong !== null) return `${wrong}: “${line.slice(0, 40)}”`
    found.push({ from, to })
  }
  return found.length > MOST_CLOSED ? TOO_MANY_LINES : found
}

function wrongDays(from: string, to: string): string | null {
  const [first, last] = [dayNamed(from), dayNamed(to)]
  if (first === null || last === null) return 'Write days like 2026-12-24 to 2027-01-03'
  if (last < first) return 'The last day comes before the first'
  return last - first >= LONGEST ? `At most ${LONGEST} days in one line` : null
}

const DAYS_WANTED = 'Write days like 2026-12-24, the first before the last'

const oneDay = z.string(DAYS_WANTED).max(10, DAYS_WANTED)

/** For calls. */
export const closedDaysList = z
  .array(z.strictObject({ from: oneDay, to: oneDay }, DAYS_WANTED), DAYS_WANTED)
  .max(MOST_CLOSED, TOO_MANY_LINES)
  .refine((list) => list.every(({ from, to }) => wrongDays(from, to) === null), DAYS_WANTED)

/** Whether work is to be expected on a day. */
export type IsOff = (day: number) => boolean

export function daysOff(choice: { holidaysOff: boolean; closedDays: readonly ClosedDays[] }): IsOff {
  return (day) => (choice.holidaysOff && isHoliday(day)) || isClosed(choice.closedDays, day)
}
