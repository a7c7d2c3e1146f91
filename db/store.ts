// The product's database interface, by family. Contains no engine types: SQLite is one implementation. Each method is
// one atomic operation; no caller holds a transaction. Ids are always passed together with their account.
import type { AccountKeyStore } from './store/account-keys.ts'
import type { AccountStore } from './store/accounts.ts'
import type { ActivityStore } from './store/activity.ts'
import type { AuditStore } from './store/audit.ts'
import type { AutomationStore } from './store/automations.ts'
import type { BacklogStore } from './store/backlog.ts'
import type { BackupStore } from './store/backups.ts'
import type { BillingStore } from './store/billing.ts'
import type { DeliveryStore } from './store/deliveries.ts'
import type { EndpointStore } from './store/endpoints.ts'
import type { ErasureStore } from './store/erasure.ts'
import type { EventStore } from './store/events.ts'
import type { FormDraftStore } from './store/form-drafts.ts'
import type { ListeningStore } from './store/listening.ts'
import type { NoticeStore } from './store/notices.ts'
import type { OperationsStore } from './store/operations.ts'
import type { OperatorStore } from './store/operator.ts'
import type { RecordStore } from './store/records.ts'
import type { RunGuardStore } from './store/run-guards.ts'
import type { RunHistoryStore, RunUpkeepStore } from './store/run-history.ts'
import type { RunStore } from './store/runs.ts'
import type { SearchStore } from './store/search.ts'
import type { SharedStore } from './store/shared.ts'
import type { SpaceStore } from './store/space.ts'
import type { TemplateStore } from './store/templates.ts'
import type { TriggerStore } from './store/triggers.ts'
import type { VerdictStore } from './store/verdicts.ts'

export interface Store {
  accounts: AccountStore & AccountKeyStore & ErasureStore
  endpoints: EndpointStore
  notices: NoticeStore
  events: EventStore & ActivityStore & SearchStore
  records: RecordStore
  deliveries: DeliveryStore
  automations: AutomationStore & VerdictStore
  triggers: TriggerStore
  templates: TemplateStore
  drafts: FormDraftStore
  runs: RunStore & RunHistoryStore & RunGuardStore & RunUpkeepStore
  listening: ListeningStore
  billing: BillingStore
  audit: AuditStore
  ops: OperationsStore & OperatorStore & BacklogStore & SpaceStore
  backups: BackupStore
  shared: SharedStore
}
