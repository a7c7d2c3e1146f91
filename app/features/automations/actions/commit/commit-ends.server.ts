// Maps the outcomes of a call to the outcomes of an effect.
import type { AccountCallResult, CallFailure, PlatformApi, PlatformResult } from '#app/adapters/platform.ts'
import type { App } from '#app/context/app-context.ts'
import type { CommitResult, Effect, VerifyResult } from '#app/domain/automations/effect.ts'
import { runReason } from '#app/domain/automations/run-reasons.ts'
import { localStamp } from '#app/domain/time/local-time.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { minutes } from '#app/lib/duration.ts'
import { wallAt } from '#app/lib/zone.ts'
import type { CommitContext } from '../action.server.ts'
import { reportTrouble } from '../failure-text.ts'

export type CommitApp = Pick<App, 'callAsAccount' | 'clock' | 'log' | 'store' | 'outbound' | 'secrets' | 'settings'>

/** A call as the effect's account, with the rules' share of calls. */
export type CallForEffect = <T>(
  call: (api: PlatformApi, token: string) => Promise<PlatformResult<T>>,
) => Promise<AccountCallResult<T>>

/** The outcome of a failed write. `what` as in `reportTrouble`. */
export function endedBadly(trouble: CallFailure, what: string): CommitResult {
  const { errorClass, sentence, retryAt } = reportTrouble(trouble, what)
  switch (errorClass) {
    case 'reconnect':
    case 'scope':
    case 'suspended':
      return { outcome: 'blocked', errorClass, sentence }
    case 'rate_limited':
      return { outcome: 'wait', until: retryAt ?? 0, sentence }
    case 'not_found':
    case 'invalid':
      return { outcome: 'failed', errorClass, sentence, retry: false }
    case 'unavailable':
      // Certainly not done, or unknown: this decides whether a customer may get the message again.
      return trouble.outcome === 'unavailable' && trouble.undone
        ? { outcome: 'failed', errorClass, sentence, retry: true }
        : { outcome: 'unknown', sentence: runReason('no_clear_answer') }
    default:
      return assertNever(errorClass)
  }
}

/** The outcome of a verification whose call failed. */
export function searchedInVain(trouble: CallFailure, what: string): VerifyResult {
  const { sentence, retryAt } = reportTrouble(trouble, what)
  return { outcome: 'later', sentence, retryAt }
}

export function unclear(sentence: string): VerifyResult {
  return { outcome: 'unclear', sentence }
}

/** Tolerance for clocks that differ. */
const SLACK = minutes(2)

/** When the effect was sent, in the account's local time, for searches "since then". */
export async function sinceSending(
  app: Pick<App, 'store'>,
  { accountUuid, sendingAt }: CommitContext['identity'],
): Promise<string> {
  const account = await app.store.accounts.findAccount(accountUuid)
  return localStamp(wallAt(sendingAt - SLACK, account?.timezone ?? 'UTC'))
}

/** The kind of a record, for logs and sentences. */
const THINGS: Readonly<Record<string, string>> = {
  job: 'this job',
  task: 'this task',
  note: 'this note',
  staffmessage: 'this staff message',
  jobmaterial: 'this line',
  jobmaterialbundle: 'this bundle',
}

export function thingOf(effect: Extract<Effect, { object: string }>): string {
  return THINGS[effect.object] ?? 'this record'
}
