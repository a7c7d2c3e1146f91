// The body and key that an outside program sends to a manual rule's address.
import { z } from 'zod'
import { dayOfDate, isoDate } from '#app/domain/time/local-time.ts'
import { isUuid } from '../records/field-value.ts'

const date = z
  .string({ error: 'date is required (YYYY-MM-DD)' })
  .refine(isWritten, 'date must be written YYYY-MM-DD')
  .refine((text) => !isWritten(text) || isRealDate(text), 'date is not a day of the calendar')

/** Both are required; other fields are refused, so that a typing mistake is reported and not ignored. */
export const triggerBody = z.strictObject({
  job_uuid: z
    .string({ error: 'job_uuid is required' })
    .trim()
    .min(1, 'job_uuid is required')
    .refine(isUuid, 'job_uuid is not a uuid')
    .transform((uuid) => uuid.toLowerCase()),
  date,
})

export type TriggerBody = z.output<typeof triggerBody>

function isWritten(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text)
}

function isRealDate(text: string): boolean {
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number)
  return isoDate(dayOfDate(year, month, day)) === text
}

/** The caller's own key, as a header: up to 255 visible characters. Null = none or unusable; `bad` = unusable. */
export function readIdempotencyKey(header: string | null): { key: string | null; bad: boolean } {
  if (header === null || header === '') return { key: null, bad: false }
  const usable = /^[\x21-\x7e]{1,255}$/.test(header)
  return { key: usable ? header : null, bad: !usable }
}
