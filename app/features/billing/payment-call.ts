// What the two calls that begin a payment are sent.
import { z } from 'zod'

export const firstPaymentBody = z.strictObject({ amount: z.int({ error: 'Invalid amount' }) })

export const upgradeBody = z.strictObject({
  newPlan: z.literal('premium', { error: 'There is one plan: premium' }),
  prorated: z.boolean({ error: 'Invalid input' }),
})
