// What the call that runs an automation now is sent.
import { z } from 'zod'

const flag = z.boolean({ error: 'Invalid input' }).optional()

export const runBody = z.strictObject({
  bypassConditions: flag,
  adminCheckMode: flag,
  preview: flag,
  /** Also what was handled before, or was there when it was switched on. */
  includeHandled: flag,
  recordUuid: z
    .string({ error: 'Invalid input' })
    .regex(/^[\w-]{1,100}$/, 'Invalid input')
    .transform((uuid) => uuid.toLowerCase())
    .nullish(),
})
