// The part of the payment provider's script that the card form uses: records confirmations, returns given outcomes.

interface Confirmation {
  confirmParams: { return_url: string }
  redirect: string
}

interface Intent {
  id: string
  status: string
}

type Outcome = { paymentIntent: Intent } | { error: { message: string; code?: string } }

export interface PretendStripe {
  /** Every confirmed payment. */
  confirmed: Confirmation[]
  /** Client secrets of the mounted forms. */
  opened: string[]
}

interface More {
  /** Errors that `elements.submit` returns, one per call. */
  checks?: { message: string }[]
  /** The payment's current state when retrieved. */
  latest?: Intent
}

/** Installs the script where the official loader looks first. Confirmations return `outcomes` one after the other. */
export function installPretendStripe(outcomes: Outcome[], { checks = [], latest: intent }: More = {}): PretendStripe {
  const seen: PretendStripe = { confirmed: [], opened: [] }
  const element = () => {
    const heard = new Map<string, (event: object) => void>()
    return {
      mount(node: HTMLElement) {
        const label = document.createElement('label')
        label.append('Card number', document.createElement('input'))
        node.append(label)
        queueMicrotask(() => heard.get('ready')?.({ elementType: 'payment' }))
      },
      on: (name: string, listen: (event: object) => void) => void heard.set(name, listen),
      off() {},
      update() {},
      destroy() {},
      unmount() {},
    }
  }
  const stripe = {
    elements({ clientSecret }: { clientSecret: string }) {
      seen.opened.push(clientSecret)
      return {
        create: element,
        getElement: () => null,
        submit: async () => {
          const error = checks.shift()
          return error ? { error } : {}
        },
        update() {},
        fetchUpdates: async () => ({}),
      }
    },
    createToken() {},
    createPaymentMethod() {},
    confirmCardPayment() {},
    async confirmPayment({ confirmParams, redirect }: Confirmation) {
      seen.confirmed.push({ confirmParams, redirect })
      return outcomes.shift() ?? { error: { message: 'No outcome was prepared.' } }
    },
    retrievePaymentIntent: async () => ({ paymentIntent: intent }),
    registerAppInfo() {},
    _registerWrapper() {},
  }
  latest = stripe
  // The official loader keeps the first script it finds for as long as the page lives.
  Object.assign(window, { Stripe: Object.assign(() => latest, { version: 'endive' }) })
  return seen
}

let latest: object = {}
