// An action: `plan` returns what would happen and changes nothing; `commit` does one planned effect. Check Mode,
// preview and live runs share `plan`, so what is shown is what is sent.
import type { ActionType } from '#app/domain/automations/action-parameters.ts'
import type { CommitResult, Effect, Plan, StepResult, VerifyResult } from '#app/domain/automations/effect.ts'
import type { JournalRow } from '#app/domain/automations/journal-row.ts'
import type { Step } from '#app/domain/automations/rule.ts'
import type { AccountCallResult, PlatformRecord } from '../../../adapters/platform.ts'
import type { Apart } from '../../../lib/apart.ts'
import type { PlaceholderAccount, PlaceholderScope } from '../rules/placeholders/placeholders.ts'

/** The read access of a plan. It has no write methods, so a dry run cannot write. */
export interface ReadOnlyPlatform {
  list(object: string, input?: { filter?: string; limit?: number }): Promise<AccountCallResult<PlatformRecord[]>>
  read(object: string, uuid: string): Promise<AccountCallResult<PlatformRecord>>
}

export interface AccountProfile extends PlaceholderAccount {
  accountUuid: string
}

export interface PlanContext extends PlaceholderScope {
  /** The words are as of then; missing = now. */
  asOf?: number
  account: AccountProfile
  step: Step
  read: ReadOnlyPlatform
  /** The product's own address, for document links. */
  origin: string
  /** True when the records are one group of a rule. Missing: true for several records or with digest values. */
  grouped?: boolean
  /** Makes HTML safe to send, apart from the main thread when it is long. Missing: it is made safe at once. */
  safeHtml?(text: string): Promise<Apart<string>>
  /** Included in what send_notification posts. */
  automation?: { id: number; name: string }
  /** Where send_notification posts when the step names no address (notification-address.server.ts); null = nowhere. */
  notifyUrl?: string | null
  /** True when the installation knows where the platform's activity feed is. */
  feed?: boolean
  /** The staff member who signs and sends messages; missing or null = the first active one. */
  senderStaffUuid?: string | null
}

interface EffectIdentity extends Pick<JournalRow, 'stepId' | 'itemKey' | 'clientUuid'> {
  accountUuid: string
  runId: number
  /** When the effect was marked as sending, epoch ms; for searches "since then". */
  sendingAt: number
}

export interface CommitContext {
  identity: EffectIdentity
  /** Results of this step's earlier effects, by index. */
  siblings: readonly (StepResult | null)[]
  /** Results of earlier steps by step id. */
  results: Readonly<Record<string, StepResult>>
}

/** One action type. `plan` has no side effects; one committer does all effects (commit-effect.server.ts). */
export interface Action {
  type: ActionType
  plan(context: PlanContext): Promise<Plan>
}

export interface Committer {
  commit(effect: Effect, context: CommitContext): Promise<CommitResult>
  /** Only for classes that can be verified; `unclear` for the rest. */
  verify(effect: Effect, context: CommitContext): Promise<VerifyResult>
}
