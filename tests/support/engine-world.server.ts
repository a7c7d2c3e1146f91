// The delivery engine on a real database file, a stepped clock, and addresses in memory.
import { newSigningSecret } from '#app/adapters/standard-webhooks.server.ts'
import {
  createDeliveryEngine,
  type DeliveryEngine,
  type DeliveryEngineInput,
} from '#app/boot/delivery-engine.server.ts'
import type { App } from '#app/context/app-context.ts'
import { AMPLE_SPACE } from '#app/domain/space.ts'
import { countReplayed as countReplayedEvents } from '#app/features/events/delivering/send-again.server.ts'
import { settleOptions } from '#app/features/events/delivering/settle.server.ts'
import type { Clock } from '#app/lib/clock.ts'
import type { Log } from '#app/lib/log.ts'
import type { Client } from '#db/sqlite/client.server.ts'
import type { IncomingEvent } from '#db/store/events.ts'
import { type MemoryOutbound, memoryOutbound } from './memory-outbound.ts'
import { type SteppingClock, steppingClock } from './stepping-clock.ts'
import { sealAtOnce, storeOver, testApp } from './test-app.server.ts'

/** For tests of the store: the use case's own counting function. */
export const countReplayed = countReplayedEvents

/** For tests of the store: the use case's own decisions, without chance. */
export const SETTLING = settleOptions(() => 0.5)

export const LEEDS = 'aaaaaaaa-0000-4000-8000-000000000001'
export const BRISBANE = 'bbbbbbbb-0000-4000-8000-000000000002'

export interface EngineWorld {
  client: Client
  store: App['store']
  clock: SteppingClock
  outbound: MemoryOutbound
  log: Log
  /** Log lines as `message`, newest last. */
  logged: string[]
  app: Pick<App, 'store' | 'clock' | 'log' | 'settings' | 'secrets' | 'outbound' | 'space'>
  /** A process's engine on the file. Several can run at once. */
  engine(input?: Partial<DeliveryEngineInput>): DeliveryEngine
  /** The store as another process has it, on a connection of its own. */
  otherStore(): App['store']
  /** Adds an endpoint and returns its id. */
  endpoint(given?: { url?: string; account?: string; object?: string; fields?: string; state?: string }): number
  /** As a person's switch leaves it; nobody tells the engine. */
  pause(endpointId: number): void
  row(sql: string, ...values: (string | number)[]): Record<string, unknown>
  rows(sql: string, ...values: (string | number)[]): Record<string, unknown>[]
  /** Until what the product writes without waiting is written. */
  idle(): Promise<void>
  close(): Promise<void>
}

export const ADDRESS = 'https://receiver.example.com/hook'

export function engineWorld(): EngineWorld {
  const engines: DeliveryEngine[] = []
  const clock = steppingClock()
  const outbound = memoryOutbound(clock)
  const base = testApp(clock)
  const { client } = base
  const { store, log } = base.app
  const app = { ...base.app, outbound, space: AMPLE_SPACE }
  const addAccount = client.sql.prepare(
    'INSERT INTO account (uuid, name, timezone, created_at, updated_at) VALUES (?, ?, ?, 0, 0) ON CONFLICT DO NOTHING',
  )
  const addEndpoint = client.sql.prepare(
    `INSERT INTO endpoint (account_uuid, object_type, field_filter, url, secret_sealed, state, state_since, breaker,
       breaker_probes, failure_streak, failure_events, redirect_streak, pending_count, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, 'closed', 0, 0, '[]', 0, 0, ?)`,
  )

  const otherStore = () => storeOver(base.open(), clock)
  return {
    client,
    store,
    otherStore,
    clock,
    outbound,
    log,
    logged: base.logged,
    app,
    engine(input = {}) {
      // Its own connection to the file, as in another process.
      const own = engines.length === 0 ? store : otherStore()
      const engine = createDeliveryEngine({ ...app, store: own, random: () => 0.5, gatherMs: 0, ...input })
      engines.push(engine)
      return engine
    },
    endpoint({ url = ADDRESS, account = LEEDS, object = 'job', fields = '', state = 'active' } = {}) {
      const now = clock.now()
      addAccount.run(account, 'Leeds Electrical', 'Europe/London')
      const sealed = sealAtOnce(`endpoint|${account}|secret`, newSigningSecret())
      return Number(addEndpoint.run(account, object, fields, url, sealed, state, now, now).lastInsertRowid)
    },
    pause(endpointId) {
      const pause = client.sql.prepare("UPDATE endpoint SET state = 'paused', state_since = ? WHERE id = ?")
      pause.run(clock.now(), endpointId)
    },
    row: base.row,
    rows: base.rows,
    idle: base.idle,
    async close() {
      for (const engine of engines) {
        const drained = engine.drain()
        await clock.run(16_000)
        await drained
      }
      base.close()
    },
  }
}

let made = 0

/** A new event, with overrides. */
export function anEvent(world: { clock: Pick<Clock, 'now'> }, given: Partial<IncomingEvent> = {}): IncomingEvent {
  made++
  const objectUuid = given.objectUuid ?? `record-${made}`
  return {
    accountUuid: LEEDS,
    subscriptionId: null,
    source: 'object',
    object: 'job',
    objectUuid,
    changedFields: ['status'],
    receivedAt: world.clock.now(),
    dedupe: `dedupe-${made}`,
    body: JSON.stringify({ object: 'job', entry: [{ uuid: objectUuid, changed_fields: ['status'], time: 'now' }] }),
    ...given,
  }
}
