// What an action is: `plan` says what would happen and changes nothing; `commit` does one planned effect. Check Mode, preview
// and live runs share `plan`, so that what was shown is what is sent.
import type { ActionType } from '#app/domain/automations/action-parameters.ts'
import type { CommitResult, Effect, Plan, StepResult, VerifyResult } from '#app/domain/automations/effect.ts'
import type { Step } from '#app/domain/automations/rule.ts'
import type { AccountCallResult, PlatformRecord } from '../../../adapters/platform.ts'
import type { Apart } from '../../../lib/apart.ts'
import type { RecordFacts } from '../records/facts.ts'

/** Reading only: what a plan can reach. Writing is not in the type, so no dry run can write. */
export interface ReadOnlyPlatform {
  list(object: string, input?: { filter?: string; limit?: number }): Promise<AccountCallResult<PlatformRecord[]>>
  read(object: string, uuid: string): Promise<AccountCallResult<PlatformRecord>>
}

export interface AccountProfile {
  accountUuid: string
  name: string
  email: string
  /** IANA zone. */
  zone: string
  /** ISO 4217 and 3166 codes; empty when the platform does not say. */
  currency: string
  country: string
}

export interface PlanContext {
  now: number
  account: AccountProfile
  step: Step
  /** The group's records (one for an ungrouped run), the first is the example for `entry.0`. */
  records: readonly RecordFacts[]
  /** Values of the trigger: `date`, `description`, `object`, `company_uuid`, digest values. */
  trigger: Readonly<Record<string, string>>
  /** Results of earlier steps by step id; stand-ins in a dry run. */
  results: Readonly<Record<string, StepResult>>
  /** Step ids in order, so that `action_2_result` finds its step. */
  order: readonly string[]
  read: ReadOnlyPlatform
  /** The product's own address, for document links. */
  origin: string
  /** The records are one group of a rule that groups. Absent: more than one record, or digest values, say so. */
  grouped?: boolean
  /** HTML as it may be sent, made apart from the main thread when it is long. Absent: made at once. */
  safeHtml?(text: string): Promise<Apart<string>>
  /** Goes with what send_notification posts. */
  automation?: { id: number; name: string }
  /** Where send_notification posts when the step names no address (notification-address.server.ts); null = nowhere. */
  notifyUrl?: string | null
  /** The installation knows where the platform's activity feed is. */
  feed?: boolean
  /** The staff member in whose name messages are signed and sent; absent or null = the first active one. */
  senderStaffUuid?: string | null
}

interface EffectIdentity {
  accountUuid: string
  runId: number
  stepId: string
  itemKey: string
  /** The same over every try: uuid of a record to create, key of a call, token of a file. */
  clientUuid: string
  /** When it was marked as being sent, epoch ms; for searches "since then". */
  sendingAt: number
}

export interface CommitContext {
  identity: EffectIdentity
  /** Results of this step's earlier effects, by index. */
  siblings: readonly (StepResult | null)[]
  /** Results of earlier steps by step id. */
  results: Readonly<Record<string, StepResult>>
}

/** One action type: pure of effects in `plan`. Effects themselves are done by one committer (commit-effect.server.ts). */
export interface Action {
  type: ActionType
  plan(context: PlanContext): Promise<Plan>
}

export interface Committer {
  commit(effect: Effect, context: CommitContext): Promise<CommitResult>
  /** Only for classes that can be looked for; `unclear` for the rest. */
  verify(effect: Effect, context: CommitContext): Promise<VerifyResult>
}
