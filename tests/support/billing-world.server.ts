// The money of two accounts on a real database file, with a provider in memory and a clock that is set by hand.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Payments } from '#app/adapters/payments.ts'
import type { PayingApp } from '#app/features/billing/billing-app.server.ts'
import { receivePaymentEvent } from '#app/features/billing/payment-events.server.ts'
import { type FixedClock, fixedClock } from '#app/lib/clocks.server.ts'
import type { Log } from '#app/lib/log.ts'
import { type Client, openClient } from '#db/sqlite/client.server.ts'
import { sqliteStore } from '#db/sqlite/store.server.ts'
import { type MemoryPayments, memoryPayments } from './memory-payments.ts'

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
  const folder = mkdtempSync(join(tmpdir(), 'fieldhook-billing-'))
  const file = join(folder, 'test.db')
  const clients: Client[] = []
  const logged: string[] = []
  const woken: BillingWorld['woken'] = { endpoints: [], runs: 0 }
  function open(): Client {
    const client = openClient(file, 'db/migrations')
    clients.push(client)
    return client
  }
  const appOn = (client: Client): PayingApp & { payments: Provider } => ({
    store: sqliteStore(client, clock),
    clock,
    log: recordingLog(logged),
    settings: {
      origin,
      adminAccounts: new Set(),
      scopes: [],
      sandbox: false,
      payments: { mode: 'stripe', publishableKey: 'pk_test_1' },
      version: '1.2.3',
    },
    payments,
    wakeDeliveries: (endpointId) => woken.endpoints.push(endpointId),
    wakeRuns: () => {
      woken.runs++
    },
  })
  const client = open()
  for (const [uuid, name, zone] of [
    [LEEDS, 'Leeds Electrical', 'Europe/London'],
    [BRISBANE, 'Brisbane Plumbing', 'Australia/Brisbane'],
  ]) {
    client.sql
      .prepare('INSERT INTO account (uuid, name, timezone, created_at, updated_at) VALUES (?, ?, ?, 0, 0)')
      .run(uuid, name, zone)
  }
  return {
    app: appOn(client),
    payments,
    clock,
    client,
    logged,
    woken,
    otherProcess: () => appOn(open()),
    row: (sql, ...values) => (client.sql.prepare(sql).get(...values) ?? {}) as Record<string, unknown>,
    rows: (sql, ...values) => client.sql.prepare(sql).all(...values) as Record<string, unknown>[],
    run: (sql, ...values) => {
      client.sql.prepare(sql).run(...values)
    },
    close() {
      for (const one of clients.reverse()) one.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Hands over everything the provider would tell, in its order, and forgets it. */
export async function deliverTold({ app, payments }: BillingWorld): Promise<void> {
  for (const event of payments.told.splice(0)) {
    await receivePaymentEvent(app, { body: JSON.stringify(event), signature: 'good' })
  }
}

function recordingLog(lines: string[]): Log {
  const write = (_fields: Record<string, unknown>, message: string) => {
    lines.push(message)
  }
  const log: Log = { debug: write, info: write, warn: write, error: write, child: () => log }
  return log
}
