// What the call that sends a sample is sent.
import { z } from 'zod'

export const testBody = z.object({
  id: z.coerce.number('Invalid input').int('Invalid input').positive('Invalid input'),
})
