import type { Clock } from '#app/lib/clock.ts'
import type { Store } from '../store.ts'
import { accountStore } from './accounts.server.ts'
import { activityStore } from './activity.server.ts'
import type { Client } from './client.server.ts'
import { deliveryStore } from './deliveries.server.ts'
import { eventStore } from './events.server.ts'
import { operationsStore } from './operations.server.ts'
import { spaceStore } from './space.server.ts'
import { webhookStore } from './webhooks.server.ts'

/** The Store over one SQLite file. Every SQL statement of the product lives in this folder. */
export function sqliteStore(client: Client, clock: Clock): Store {
  return {
    ...accountStore(client, clock),
    ...webhookStore(client, clock),
    ...eventStore(client, clock),
    ...deliveryStore(client, clock),
    ...activityStore(client, clock),
    ...operationsStore(client, clock),
    ...spaceStore(client),
  }
}
