// Shared by every part of the pretend payment provider: its ledger, the current time, new ids, and events.
import { randomBytes } from 'node:crypto'
import type { Ledger, Seconds, StripeEvent, Wire } from './ledger.ts'
import { SANDBOX_STRIPE } from './stripe-options.ts'

export interface Books {
  ledger: Ledger
  /** Public address of product and sandbox, without a trailing slash. */
  origin: string
  now(): Seconds
  /** `sub` → `sub_…` */
  newId(prefix: string): string
  /** Records an event and starts sending it. */
  emit(type: string, object: Wire, previous?: Wire | null): void
  /** Performs `run` at that time: a clock that jumps over three weeks passes every renewal in them. */
  at<T>(moment: Seconds, run: () => T): T
  /** Events that `run` causes reference this call. */
  asked<T>(request: NonNullable<StripeEvent['request']>, run: () => T): T
}

interface BooksDeps {
  ledger: Ledger
  origin: string
  /** The shared clock in whole seconds. */
  clock(): Seconds
  announce(event: StripeEvent): void
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

export function createBooks({ ledger, origin, clock, announce }: BooksDeps): Books {
  let moment: Seconds | null = null
  let request: StripeEvent['request'] = null
  const now = () => moment ?? clock()

  return {
    ledger,
    origin,
    now,
    newId: (prefix) => `${prefix}_${randomLetters(24)}`,
    emit(type, object, previous = null) {
      // A copy: an event keeps the object's state at that time, even when the object changes later.
      const event = {
        id: `evt_${randomLetters(24)}`,
        created: now(),
        type,
        object: structuredClone(object),
        previous,
        request,
      }
      announce(event)
    },
    at(wanted, run) {
      const before = moment
      moment = wanted
      try {
        return run()
      } finally {
        moment = before
      }
    },
    asked(wanted, run) {
      const before = request
      request = wanted
      try {
        return run()
      } finally {
        request = before
      }
    },
  }
}

export function randomLetters(count: number): string {
  return [...randomBytes(count)].map((byte) => LETTERS[byte % LETTERS.length]).join('')
}

/** The pretend bank's authentication page. */
export function authenticationUrl(books: Pick<Books, 'origin'>, intentId: string, clientSecret: string): string {
  const query = new URLSearchParams({ client_secret: clientSecret })
  return `${books.origin}${SANDBOX_STRIPE.basePath}/authenticate/${intentId}?${query}`
}

export function portalUrl(books: Pick<Books, 'origin'>, sessionId: string): string {
  return `${books.origin}${SANDBOX_STRIPE.basePath}/portal/${sessionId}`
}
