import { Form, useSubmit } from '@remix-run/react'
import { useEffect, useRef } from 'react'
import type { AccountLink } from '#app/domain/account-address.ts'
import { Button } from '#app/ui/button.tsx'
import { CardSection } from '#app/ui/card.tsx'
import { useIsSending } from '#app/ui/form/sent-values.tsx'
import { PageHeader } from '#app/ui/page/page-header.tsx'
import { subscriptionAddress } from '../subscription-address.ts'

interface PaymentReturnProps extends AccountLink {
  accountName: string
  /** The payment id in the URL: a claim that the server looks up. */
  paymentId: string
}

/** The return from the payment provider. Opening the URL changes nothing: the form submits itself once visible. */
export function PaymentReturn({ accountUUID, accountName, admin, paymentId }: PaymentReturnProps) {
  const form = useRef<HTMLFormElement>(null)
  const submit = useSubmit()
  useEffect(() => {
    let sent = false
    const send = () => {
      if (sent || document.visibilityState !== 'visible' || !form.current) return
      sent = true
      submit(form.current, { replace: true })
    }
    send()
    document.addEventListener('visibilitychange', send)
    return () => document.removeEventListener('visibilitychange', send)
  }, [submit])
  return (
    <>
      <PageHeader title="Subscription" overline={accountName} />
      <CardSection id="payment-return" title="Payment">
        <p className="mb-3">Check the payment with the payment provider to see its result.</p>
        <Form method="post" action={subscriptionAddress({ accountUUID, admin })} ref={form} replace>
          <input type="hidden" name="intent" value="settle" />
          <input type="hidden" name="payment_intent" value={paymentId} />
          <input type="hidden" name="returned" value="yes" />
          <Button type="submit" variant="primary" pending={useIsSending({ intent: 'settle' })} pendingLabel="Checking…">
            Check payment
          </Button>
        </Form>
      </CardSection>
    </>
  )
}
