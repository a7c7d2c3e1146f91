// What the product asks of its database, named by use case. No engine type appears here: SQLite is one implementation.
// Each method is one atomic act; no caller ever holds a transaction. Ids are always asked together with their account.
import type { AccountStore } from './store/accounts.ts'
import type { ActivityStore } from './store/activity.ts'
import type { DeliveryStore } from './store/deliveries.ts'
import type { EventStore } from './store/events.ts'
import type { OperationsStore } from './store/operations.ts'
import type { SpaceStore } from './store/space.ts'
import type { WebhookStore } from './store/webhooks.ts'

export interface Store
  extends AccountStore,
    WebhookStore,
    EventStore,
    DeliveryStore,
    ActivityStore,
    OperationsStore,
    SpaceStore {}
