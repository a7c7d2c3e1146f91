// A database file that fills up: events of several accounts on a stopped clock, delivered directly in SQL.
import { setImmediate } from 'node:timers/promises'
import type { Space } from '#app/domain/space.ts'
import { forgetOldEvents } from '#app/features/events/delivering/retention.server.ts'
import { chooseEndpoints } from '#app/features/events/fan-out.ts'
import { createSpaceLadder, type SpaceLadder } from '#app/features/ops/space.server.ts'
import { type FixedClock, fixedClock } from '#app/lib/clocks.server.ts'
import { hours } from '#app/lib/duration.ts'
import type { Log } from '#app/lib/log.ts'
import type { Client } from '#db/sqlite/client.server.ts'
import type { Store } from '#db/store.ts'
import { testApp } from './test-app.server.ts'

export interface SpaceWorld {
  client: Client
  store: Store
  clock: FixedClock
  logged: { fields: Record<string, unknown>; message: string }[]
  app: { store: Store; clock: FixedClock; log: Log }
  ladder(budgetBytes: number): SpaceLadder
  /** Creates an account with one endpoint for jobs; returns the endpoint's id. */
  account(uuid: string, state?: string): number
  /** Receives this many events, as far as `space` allows; returns the answers. */
  receive(
    account: string,
    count: number,
    given?: { bytes?: number; space?: Pick<Space, 'admit' | 'settled'> },
  ): Promise<Record<'stored' | 'over_share' | 'full', number>>
  /** Marks everything pending of these accounts as delivered, with one attempt each. */
  deliver(accounts: string[], snippet?: string): void
  /** Applies the usual retention. */
  forgetOld(keepMs: number): Promise<void>
  /** Awaits work that pauses: advances the time meanwhile. */
  through<T>(work: Promise<T>): Promise<T>
  one(sql: string, ...values: (string | number)[]): Record<string, unknown>
  all(sql: string, ...values: (string | number)[]): Record<string, unknown>[]
  close(): void
}

export function spaceWorld(): SpaceWorld {
  const clock = fixedClock()
  const base = testApp(clock)
  const { client, close } = base
  const { sql } = client
  const { store } = base.app
  const logged: SpaceWorld['logged'] = []
  const write = (fields: Record<string, unknown>, message: string) => void logged.push({ fields, message })
  const log: Log = { debug: write, info: write, warn: write, error: write, child: () => log }
  const app = { store, clock, log }
  let made = 0

  const setDelivered = sql.prepare(
    "UPDATE delivery SET state = 'delivered', attempts = 1, settled_at = ? WHERE account_uuid = ? AND state = 'pending' RETURNING id, endpoint_id AS endpointId",
  )
  const addAttempt = sql.prepare(
    `INSERT INTO attempt (delivery_id, account_uuid, endpoint_id, url, number, at, duration_ms, outcome, status_code, sentence, response_body)
     VALUES (?, ?, ?, 'https://receiver.example.com/hook', 1, ?, 50, 'delivered', 200, 'Delivered.', ?)`,
  )
  const deliver = sql.transaction((accounts: string[], snippet: string | null) => {
    for (const account of accounts) {
      for (const row of setDelivered.all(clock.now(), account) as { id: number; endpointId: number }[]) {
        addAttempt.run(row.id, account, row.endpointId, clock.now(), snippet)
      }
    }
  })

  async function through<T>(work: Promise<T>): Promise<T> {
    let done = false
    const watched = work.finally(() => {
      done = true
    })
    // The await below handles the error.
    watched.catch(() => {})
    while (!done) {
      await setImmediate()
      clock.advance(20)
    }
    return watched
  }

  return {
    client,
    store,
    clock,
    logged,
    app,
    ladder: (budgetBytes) => createSpaceLadder(app, budgetBytes),
    account(uuid, state = 'active') {
      sql
        .prepare("INSERT INTO account (uuid, name, timezone, created_at, updated_at) VALUES (?, ?, 'UTC', 0, 0)")
        .run(uuid, uuid)
      const { lastInsertRowid } = sql
        .prepare(
          `INSERT INTO endpoint (account_uuid, object_type, field_filter, url, secret_sealed, state, state_since, breaker,
             breaker_probes, failure_streak, failure_events, redirect_streak, pending_count, created_at)
           VALUES (?, 'job', '', 'https://receiver.example.com/hook', '', ?, 0, 'closed', 0, 0, '[]', 0, 0, 0)`,
        )
        .run(uuid, state)
      return Number(lastInsertRowid)
    },
    async receive(account, count, { bytes = 300, space } = {}) {
      const answers = { stored: 0, over_share: 0, full: 0 }
      const events = []
      let admitted = 0
      for (let index = 0; index < count; index++) {
        made++
        const body = JSON.stringify({ number: made, text: 'é'.padEnd(bytes - 30, 'x') })
        const room = space?.admit(account, body.length) ?? 'admitted'
        if (room !== 'admitted') {
          answers[room]++
          continue
        }
        admitted += body.length
        events.push({
          accountUuid: account,
          subscriptionId: null,
          source: 'object' as const,
          object: 'job',
          objectUuid: `record-${made}`.padEnd(36, '-'),
          changedFields: ['status'],
          receivedAt: clock.now(),
          dedupe: `dedupe-${made}`.padEnd(22, '-'),
          body,
        })
      }
      const limit = { deliveries: 1_000_000, bytes: 1_000_000_000 }
      const options = { choose: chooseEndpoints, limit, retryFor: hours(72), stoppedReason: '' }
      for (const answer of await store.events.acceptEvents(events, options)) {
        if (answer.outcome !== 'stored') throw new Error(`an event was ${answer.outcome}`)
        answers.stored++
      }
      space?.settled(admitted, events.length)
      return answers
    },
    deliver: (accounts, snippet) => void deliver.immediate(accounts, snippet ?? null),
    forgetOld: (keepMs) => through(forgetOldEvents(app, { keepMs })),
    through,
    one: base.row,
    all: base.rows,
    close,
  }
}
