// The pretend payment provider as the console and tests see it.
import type { Customer, EventPost, Ledger, PaymentSwitches, StripeEvent } from './ledger.ts'

export interface PaymentsWorld {
  /** The whole ledger. Read only. */
  ledger(): Ledger
  /** Customers whose metadata names this account, oldest first. */
  customers(accountUuid: string): Customer[]
  /** Events about a customer, newest first. */
  events(customerId: string): StripeEvent[]
  /** The deliveries of an event, oldest first. */
  posts(eventId: string): EventPost[]
  switches(): PaymentSwitches
  setSwitches(patch: Partial<PaymentSwitches>): void
  /** Whether the customer's next off-session charge is declined. */
  declineNextRenewal(customerId: string, decline: boolean): boolean
  /** Releases held events. Returns how many. */
  releaseEvents(): number
  /** Sends everything that waits for a retry now. Returns how many. */
  retryEvents(): number
  resendEvent(eventId: string): boolean
  /** Resolves when no event is being sent and none is due. */
  settled(): Promise<void>
}
