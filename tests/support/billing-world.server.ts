// Billing of two accounts on a real database file, with a provider in memory and a manually set clock.
import type { Payments } from '#app/adapters/payments.ts'
import type { PayingApp } from '#app/features/billing/billing-app.server.ts'
import { receivePaymentEvent } from '#app/features/billing/payment-events.server.ts'
import { type FixedClock, fixedClock } from '#app/lib/clocks.server.ts'
import type { Client } from '#db/sqlite/client.server.ts'
import { type MemoryPayments, memoryPayments } from './memory-payments.ts'
import { storeOver, testApp } from './test-app.server.ts'

export const LEEDS = 'aaaaaaaa-0000-4000-8000-000000000001'
export const BRISBANE = 'bbbbbbbb-0000-4000-8000-000000000002'
export const NEVER_ABORTED = new AbortController().signal

export interface BillingWorld<Provider extends Payments = MemoryPayments> {
  app: PayingApp & { payments: Provider }
  payments: Provider
  clock: FixedClock
  client: Client
  /** Log lines as `message`, newest last. */
  logged: string[]
  woken: { endpoints: number[]; runs: number }
  /** Another process on the same file, with the same provider. */
  otherProcess(): PayingApp & { payments: Provider }
  row(sql: string, ...values: (string | number)[]): Record<string, unknown>
  rows(sql: string, ...values: (string | number)[]): Record<string, unknown>[]
  run(sql: string, ...values: (string | number | null)[]): void
  close(): void
}

export function billingWorld(): BillingWorld {
  const clock = fixedClock()
  return billingWorldWith(clock, memoryPayments(clock))
}

export function billingWorldWith<Provider extends Payments>(
  clock: FixedClock,
  payments: Provider,
  origin = 'https://hooks.example.com',
): BillingWorld<Provider> {
  const base = testApp(clock, { origin, payments: { mode: 'stripe', publishableKey: 'pk_test_1' } })
  const { client, row, rows, run, logged, close } = base
  const woken: BillingWorld['woken'] = { endpoints: [], runs: 0 }
  const app: PayingApp & { payments: Provider } = {
    ...base.app,
    payments,
    wakeDeliveries: (endpointId) => woken.endpoints.push(endpointId),
    wakeRuns: () => {
      woken.runs++
    },
  }
  for (const [uuid, name, zone] of [
    [LEEDS, 'Leeds Electrical', 'Europe/London'],
    [BRISBANE, 'Brisbane Plumbing', 'Australia/Brisbane'],
  ] as const) {
    run('INSERT INTO account (uuid, name, timezone, created_at, updated_at) VALUES (?, ?, ?, 0, 0)', uuid, name, zone)
  }
  return {
    app,
    payments,
    clock,
    client,
    logged,
    woken,
    otherProcess: () => ({ ...app, store: storeOver(base.open(), clock) }),
    row,
    rows,
    run,
    close,
  }
}

/** Delivers all pending events of the provider, in order, and clears them. */
export async function deliverTold({ app, payments }: BillingWorld): Promise<void> {
  for (const event of payments.told.splice(0)) {
    await receivePaymentEvent(app, { body: JSON.stringify(event), signature: 'good' })
  }
}
