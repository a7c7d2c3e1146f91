// A .tsx file because it has side effects and runs only in a browser. The only place that loads the payment provider's
// script, when the user is about to enter a card and never before.
import type { Appearance, Stripe } from '@stripe/stripe-js'
import type { PaymentMode } from '#app/domain/plan.ts'

export interface PaymentsOfPage {
  mode: PaymentMode
  publishableKey: string | null
  /** Absolute URL: the provider returns the user here after a visit to their bank. */
  returnUrl: string
}

/** Has the same interface as the provider's own script, and takes no money. */
const STAND_IN = '/sandbox/stripe.js'

/** Rejects when the script fails to load. The page can try again. */
export async function loadProvider(mode: PaymentMode, publishableKey: string | null): Promise<Stripe> {
  if (publishableKey === null || mode === 'off') throw new Error('card payments are not configured')
  // The stand-in defines the global that the loader finds, so nothing is fetched from elsewhere.
  if (mode === 'sandbox') await loadScript(STAND_IN)
  const { loadStripe } = await import('@stripe/stripe-js/pure')
  const stripe = await loadStripe(publishableKey)
  if (stripe === null) throw new Error('the payment provider did not answer')
  return stripe
}

let standIn: Promise<void> | null = null

function loadScript(src: string): Promise<void> {
  standIn ??= new Promise<void>((loaded, failed) => {
    const script = document.createElement('script')
    script.src = src
    script.onload = () => loaded()
    script.onerror = () => {
      script.remove()
      standIn = null
      failed(new Error(`${src} could not be loaded`))
    }
    document.head.append(script)
  })
  return standIn
}

/** The provider draws its fields in its own frame, so it gets the page's colours. */
export function appearanceOfPage(): Appearance {
  const dark = window.matchMedia('(prefers-color-scheme: dark)').matches
  const style = getComputedStyle(document.documentElement)
  const token = (name: string) => style.getPropertyValue(name).trim()
  return {
    theme: dark ? 'night' : 'stripe',
    variables: {
      colorPrimary: token('--accent'),
      colorBackground: token('--surface'),
      colorText: token('--ink'),
      colorTextSecondary: token('--ink-soft'),
      colorDanger: token('--failing'),
      borderRadius: '8px',
      fontFamily: 'Inter, system-ui, sans-serif',
      fontSizeBase: '16px',
    },
  }
}
