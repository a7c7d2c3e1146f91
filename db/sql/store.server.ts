import type { Clock } from '#app/lib/clock.ts'
import { turnsInMemory } from '#app/lib/in-turn.server.ts'
import { createRateLimiter, type RateLimiter } from '#app/lib/rate-limiter.ts'
import type { SharedStore } from '../store/shared.ts'
import type { Store } from '../store.ts'
import { accountKeyStore } from './accounts/account-keys.server.ts'
import { accountStore } from './accounts/accounts.server.ts'
import { erasureStore } from './accounts/erasure.server.ts'
import { billingStore } from './billing/billing.server.ts'
import type { Connections } from './connections.ts'
import { deliveryStore } from './deliveries/deliveries.server.ts'
import { endpointStore } from './endpoints/endpoints.server.ts'
import { activityStore } from './events/activity.server.ts'
import { eventStore } from './events/events.server.ts'
import { recordStore } from './events/records.server.ts'
import { searchStore } from './events/search.server.ts'
import { listeningStore } from './listening/listening.server.ts'
import { noticeStore } from './notices/notices.server.ts'
import { auditStore } from './ops/audit.server.ts'
import { backlogStore } from './ops/backlog.server.ts'
import { backupStore } from './ops/backups.server.ts'
import { operationsStore } from './ops/operations.server.ts'
import { operatorStore } from './ops/operator.server.ts'
import { spaceStore } from './ops/space.server.ts'
import { automationStore } from './rules/automations.server.ts'
import { formDraftStore } from './rules/form-drafts.server.ts'
import { templateStore } from './rules/templates.server.ts'
import { triggerStore, verdictStore } from './rules/triggers.server.ts'
import { runGuardStore } from './runs/run-guards.server.ts'
import { runHistoryStore } from './runs/run-history.server.ts'
import { runUpkeepStore } from './runs/run-upkeep.server.ts'
import { runStore } from './runs/runs.server.ts'

/** The Store over one database, of either engine. Every SQL statement of the product is in this folder. */
export function sqlStore(connections: Connections, clock: Clock): Store {
  return {
    accounts: { ...accountStore(connections, clock), ...accountKeyStore(connections), ...erasureStore(connections) },
    endpoints: endpointStore(connections, clock),
    notices: noticeStore(connections),
    events: { ...eventStore(connections, clock), ...activityStore(connections, clock), ...searchStore(connections) },
    records: recordStore(connections),
    deliveries: deliveryStore(connections, clock),
    automations: { ...automationStore(connections), ...verdictStore(connections) },
    triggers: triggerStore(connections, clock),
    templates: templateStore(connections, clock),
    drafts: formDraftStore(connections),
    runs: {
      ...runStore(connections),
      ...runHistoryStore(connections),
      ...runGuardStore(connections),
      ...runUpkeepStore(connections),
    },
    listening: listeningStore(connections),
    billing: billingStore(connections),
    audit: auditStore(connections),
    ops: {
      ...operationsStore(connections, clock),
      ...operatorStore(connections),
      ...backlogStore(connections),
      ...spaceStore(connections),
    },
    backups: backupStore(connections),
    // Right for one process. Several on one database: `sharedOnServer` in its place.
    shared: sharedInMemory(clock),
  }
}

// What must happen once only, where one process has the database for itself.
function sharedInMemory(clock: Clock): SharedStore {
  const limiters = new Map<number, RateLimiter>()
  return {
    inTurn: turnsInMemory(),
    async takeTriggerCall(automationId, perMinute) {
      const limiter = limiters.get(perMinute) ?? createRateLimiter({ clock, perMinute })
      limiters.set(perMinute, limiter)
      return limiter.take(String(automationId))
    },
  }
}
