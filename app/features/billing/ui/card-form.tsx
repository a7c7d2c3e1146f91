import { Elements, PaymentElement, useElements, useStripe } from '@stripe/react-stripe-js'
import type { Stripe } from '@stripe/stripe-js'
import { LoaderCircle, Lock } from 'lucide-react'
import { type FormEvent, useEffect, useState } from 'react'
import { Button, ReloadLink } from '#app/ui/button.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { useToast } from '#app/ui/toast/toast.tsx'
import { paymentFailed, type QuoteView } from '../payment-answer.ts'
import { appearanceOfPage, loadProvider, type PaymentsOfPage } from './payment-provider.tsx'

export interface CardFormProps {
  quote: QuoteView
  payments: PaymentsOfPage
  /** Called when the browser has confirmed this payment; the server then looks it up. */
  onConfirmed: (paymentId: string) => void
  /** The server is looking the payment up. */
  settling: boolean
}

/** The provider's own fields: their contents never reach us. */
export function CardForm({ quote, payments, onConfirmed, settling }: CardFormProps) {
  const [stripe, setStripe] = useState<Stripe | null>(null)
  const [failed, setFailed] = useState(false)
  const { mode, publishableKey } = payments
  useEffect(() => {
    let current = true
    loadProvider(mode, publishableKey).then(
      (loaded) => {
        if (current) setStripe(loaded)
      },
      () => {
        if (current) setFailed(true)
      },
    )
    return () => {
      current = false
    }
  }, [mode, publishableKey])

  if (failed) return <CardFormMissing />
  if (stripe === null) return <CardFormLoading />
  const { clientSecret } = quote
  return (
    // A mounted form cannot change its payment: a new payment needs a new form.
    <Elements
      key={clientSecret}
      stripe={stripe}
      options={{ clientSecret, locale: 'en-GB', appearance: appearanceOfPage() }}
    >
      <Fields quote={quote} returnUrl={payments.returnUrl} onConfirmed={onConfirmed} settling={settling} />
    </Elements>
  )
}

interface FieldsProps extends Omit<CardFormProps, 'payments'> {
  returnUrl: string
}

function Fields({ quote, returnUrl, onConfirmed, settling }: FieldsProps) {
  const stripe = useStripe()
  const elements = useElements()
  const toast = useToast()
  const [ready, setReady] = useState(false)
  const [missing, setMissing] = useState(false)
  const [paying, setPaying] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)

  function fail(message: string | undefined, said: boolean) {
    const words = message ?? 'The payment did not go through.'
    setPaying(false)
    setProblem(words)
    if (said) toast(paymentFailed(words))
  }

  async function pay() {
    if (!stripe || !elements) return
    setPaying(true)
    setProblem(null)
    // The fields themselves report missing or invalid input.
    const checked = await elements.submit()
    if (checked.error) return fail(checked.error.message, false)
    const { error, paymentIntent } = await stripe.confirmPayment({
      elements,
      confirmParams: { return_url: returnUrl },
      redirect: 'if_required',
    })
    // Another tab was faster: the payment is made, once.
    if (error?.code === 'payment_intent_unexpected_state') {
      const { paymentIntent: latest } = await stripe.retrievePaymentIntent(quote.clientSecret)
      if (latest?.status === 'succeeded') return onConfirmed(latest.id)
      return fail('This payment was changed in another tab. Reload the page to see its status.', true)
    }
    if (error) return fail(error.message, true)
    onConfirmed(paymentIntent.id)
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    if (paying || settling) return
    pay().catch(() => fail('The payment provider could not be reached. Nothing was changed; please try again.', true))
  }

  if (missing) return <CardFormMissing />
  const busy = paying || settling
  return (
    <form onSubmit={submit} className="grid gap-4">
      <PaymentElement
        options={{ layout: 'tabs' }}
        onReady={() => setReady(true)}
        onLoadError={() => setMissing(true)}
      />
      {problem === null ? null : <Notice tone="failing">{problem}</Notice>}
      <Button
        type="submit"
        variant="primary"
        size="wide"
        icon={Lock}
        disabled={!ready}
        pending={busy}
        pendingLabel="Processing..."
      >
        Pay {quote.amount}
      </Button>
    </form>
  )
}

export function CardFormLoading() {
  return (
    <p role="status" className="flex min-h-24 animate-late items-center justify-center gap-2 text-label text-ink-soft">
      <LoaderCircle aria-hidden className="size-4 animate-spin" />
      Loading the card form…
    </p>
  )
}

export function CardFormMissing() {
  return (
    <Notice tone="failing" title="The card form could not be loaded">
      <p>Nothing was charged. Check your connection, or whether something blocks the payment provider (Stripe).</p>
      <ReloadLink variant="quiet" className="-ml-4">
        Load the page again
      </ReloadLink>
    </Notice>
  )
}
