// Pauses rules when the account's connection, permission or standing blocks them, instead of failing each one: one
// pause, one notice, and everything resumes on its own once the problem is solved.
import type { App } from '#app/context/app-context.ts'
import { isConnectionPause } from '#app/domain/automations/run-reasons.ts'
import { type Reason, reasonCode } from '#app/domain/reason.ts'
import { scopeNames } from '#app/features/accounts/permissions.ts'
import type { ClaimedRun } from '#db/store/runs.ts'

/** Connection and standing affect all rules of the account, a permission only the rule that needs it. */
export async function pauseRules(
  { store, clock, log }: Pick<App, 'store' | 'clock' | 'log'>,
  run: Pick<ClaimedRun, 'accountUuid' | 'automationId'>,
  reason: Reason,
): Promise<void> {
  const { accountUuid, automationId } = run
  if (!isConnectionPause(reason)) return
  const ofAll = reasonCode(reason) !== 'scope'
  const paused = await store.runs.pauseAutomations(accountUuid, {
    automationId: ofAll ? null : automationId,
    reason,
    at: clock.now(),
  })
  if (paused > 0)
    log.warn({ account: accountUuid, automations: paused, reason: reasonCode(reason) }, 'automations.paused')
}

/**
 * Lifts pauses whose cause is gone: the account responds again, or the permission was granted. Waiting runs continue.
 * Returns true when any rule resumed.
 */
export async function resumeRules(app: Pick<App, 'store' | 'clock' | 'log' | 'callAsAccount'>): Promise<boolean> {
  const { store, clock, log, callAsAccount } = app
  const paused = (await store.runs.pausedAutomations()).flatMap(({ accountUuid, reason }) =>
    isConnectionPause(reason) ? [{ accountUuid, reason }] : [],
  )
  let resumed = 0
  for (const [accountUuid, pauses] of Map.groupBy(paused, (pause) => pause.accountUuid)) {
    // Without a connection this returns at once, with no call.
    const answer = await callAsAccount(accountUuid, (api, token) => api.vendor(token))
    if (answer.outcome !== 'ok') continue
    const credential = await store.accounts.findCredential(accountUuid)
    const granted = scopeNames(credential?.scope ?? '')
    // ServiceM8 refused them although they may be granted; only a sign-in changes that.
    const refused = scopeNames(credential?.stateReason ?? '')
    const has = (scope: string) => !refused.includes(scope) && (granted.length === 0 || granted.includes(scope))
    const reasons = pauses.map(({ reason }) => reason)
    // A pause from before, with no permission named: the step itself says what is wrong.
    const over = reasons.filter(
      ({ code, params }) => code !== 'scope' || params?.scope == null || has(String(params.scope)),
    )
    const count = over.length === 0 ? 0 : await store.runs.resumeAutomations(accountUuid, over, clock.now())
    if (count > 0) log.info({ account: accountUuid, automations: count }, 'automations.resumed')
    resumed += count
  }
  return resumed > 0
}
