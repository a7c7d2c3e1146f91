// The pretend payment provider as the console and tests see it.
import type { Customer, EventPost, Ledger, PaymentSwitches, StripeEvent } from './ledger.ts'

export interface PaymentsWorld {
  /** Everything that is kept. Look, do not change. */
  ledger(): Ledger
  /** Customers whose metadata names this account, oldest first. */
  customers(accountUuid: string): Customer[]
  /** Events about a customer, newest first. */
  events(customerId: string): StripeEvent[]
  /** How an event is travelling, oldest first. */
  posts(eventId: string): EventPost[]
  switches(): PaymentSwitches
  setSwitches(patch: Partial<PaymentSwitches>): void
  /** Whether the customer's next charge that nobody is present for is declined. */
  declineNextRenewal(customerId: string, decline: boolean): boolean
  /** Lets events go that were held back. Answers how many. */
  releaseEvents(): number
  /** Everything that waits for another try is sent now. Answers how many. */
  retryEvents(): number
  resendEvent(eventId: string): boolean
  /** Resolves when no event is being sent and none is due. */
  settled(): Promise<void>
}
