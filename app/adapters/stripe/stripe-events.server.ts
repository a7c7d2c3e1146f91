// Events that Stripe sends us, and those that were lost.
import Stripe from 'stripe'
import type { Clock } from '#app/lib/clock.ts'
import type { Payments } from '../payments.ts'
import { PAYMENT_EVENT_TYPES } from './stripe-catalogue.ts'
import { asked } from './stripe-client.server.ts'
import { toPaymentEvent } from './stripe-objects.ts'

/** Stripe's own rule: an older signature is not accepted. */
const TOLERANCE_SECONDS = 300

export function eventCalls(
  stripe: Stripe,
  { secrets, clock }: { secrets: readonly string[]; clock: Clock },
): Pick<Payments, 'readEvent' | 'undeliveredEvents'> {
  function verified(body: string, signature: string): Stripe.Event | null {
    for (const secret of secrets) {
      try {
        return stripe.webhooks.constructEvent(body, signature, secret, TOLERANCE_SECONDS, undefined, clock.now())
      } catch (error) {
        if (error instanceof Stripe.errors.StripeSignatureVerificationError) continue
        // Signed, but not an event we subscribe to.
        return null
      }
    }
    return null
  }

  return {
    readEvent({ body, signature }) {
      const event = verified(body, signature)
      return event ? { outcome: 'event', event: toPaymentEvent(event) } : { outcome: 'bad_signature' }
    },
    undeliveredEvents: () =>
      asked(async () => {
        const list = await stripe.events.list({
          delivery_success: false,
          types: [...PAYMENT_EVENT_TYPES],
          limit: 100,
        })
        return list.data.map(toPaymentEvent).reverse()
      }),
  }
}
