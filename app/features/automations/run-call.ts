// What the call that runs an automation now is sent.
import { z } from 'zod'

const flag = z.boolean({ error: 'Invalid input' }).optional()

export const runBody = z.strictObject({
  bypassConditions: flag,
  adminCheckMode: flag,
  preview: flag,
  recordUuid: z
    .string({ error: 'Invalid input' })
    .regex(/^[\w-]{1,100}$/, 'Invalid input')
    .transform((uuid) => uuid.toLowerCase())
    .nullish(),
})
