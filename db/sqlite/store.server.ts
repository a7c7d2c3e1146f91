import type { Clock } from '#app/lib/clock.ts'
import type { Store } from '../store.ts'
import { accountKeyStore } from './account-keys.server.ts'
import { accountStore } from './accounts.server.ts'
import { activityStore } from './activity.server.ts'
import { auditStore } from './audit.server.ts'
import { automationStore } from './automations.server.ts'
import { backlogStore } from './backlog.server.ts'
import { backupStore } from './backups.server.ts'
import { billingStore } from './billing.server.ts'
import type { Client } from './client.server.ts'
import { deliveryStore } from './deliveries.server.ts'
import { erasureStore } from './erasure.server.ts'
import { eventStore } from './events.server.ts'
import { forwardingRuleStore } from './forwarding-rules.server.ts'
import { noticeStore } from './notices.server.ts'
import { operationsStore } from './operations.server.ts'
import { operatorStore } from './operator.server.ts'
import { recordStore } from './records.server.ts'
import { runGuardStore } from './run-guards.server.ts'
import { runHistoryStore } from './run-history.server.ts'
import { runUpkeepStore } from './run-upkeep.server.ts'
import { runStore } from './runs.server.ts'
import { searchStore } from './search.server.ts'
import { spaceStore } from './space.server.ts'
import { templateStore } from './templates.server.ts'
import { triggerStore } from './triggers.server.ts'
import { verdictStore } from './verdicts.server.ts'
import { webhookStore } from './webhooks.server.ts'

/** The Store over one SQLite file. Every SQL statement of the product lives in this folder. */
export function sqliteStore(client: Client, clock: Clock): Store {
  return {
    ...accountStore(client, clock),
    ...accountKeyStore(client),
    ...webhookStore(client, clock),
    ...forwardingRuleStore(client, clock),
    ...eventStore(client, clock),
    ...deliveryStore(client, clock),
    ...activityStore(client, clock),
    ...noticeStore(client),
    ...operationsStore(client, clock),
    ...operatorStore(client),
    ...recordStore(client),
    ...auditStore(client),
    ...automationStore(client),
    ...backupStore(client),
    ...backlogStore(client),
    ...billingStore(client),
    ...runStore(client),
    ...runHistoryStore(client),
    ...runGuardStore(client),
    ...runUpkeepStore(client),
    ...searchStore(client),
    ...templateStore(client, clock),
    ...triggerStore(client, clock),
    ...verdictStore(client),
    ...spaceStore(client),
    ...erasureStore(client),
  }
}
