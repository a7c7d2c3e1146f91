// When the account's connection, permission or standing is in the way, its rules are paused instead of failing one by one: one
// pause, one notice, and everything goes on by itself once the way is free.

import type { App } from '#app/context/app-context.ts'
import { missingScope } from '#app/lib/missing-scope.ts'
import type { ClaimedRun } from '#db/store/runs.ts'
import { isConnectionPause, PAUSE_WORDS } from '../rules/run-words.ts'

/** Connection and standing concern all rules of the account, a permission only the one that needs it. */
export async function pauseRules(
  { store, clock, log }: Pick<App, 'store' | 'clock' | 'log'>,
  run: Pick<ClaimedRun, 'accountUuid' | 'automationId'>,
  why: { errorClass: string | null; sentence: string },
): Promise<void> {
  const { accountUuid, automationId } = run
  const reason = reasonOf(why)
  if (reason === null) return
  const ofAll = why.errorClass !== 'scope'
  const paused = await store.runs.pauseAutomations(accountUuid, {
    automationId: ofAll ? null : automationId,
    reason,
    at: clock.now(),
  })
  if (paused > 0) log.warn({ account: accountUuid, automations: paused, reason }, 'automations.paused')
}

function reasonOf({ errorClass, sentence }: { errorClass: string | null; sentence: string }): string | null {
  switch (errorClass) {
    case 'reconnect':
      return PAUSE_WORDS.reconnect
    case 'suspended':
      return PAUSE_WORDS.suspended
    case 'scope':
      return sentence
    default:
      return null
  }
}

/**
 * Takes back pauses whose cause is gone: the account answers again, or the permission was given. What waited for it goes on.
 * Answers whether anything did.
 */
export async function resumeRules(app: Pick<App, 'store' | 'clock' | 'log' | 'callAsAccount'>): Promise<boolean> {
  const { store, clock, log, callAsAccount } = app
  const byAccount = new Map<string, Set<string>>()
  for (const { accountUuid, reason } of await store.runs.pausedAutomations()) {
    if (!isConnectionPause(reason)) continue
    byAccount.set(accountUuid, (byAccount.get(accountUuid) ?? new Set()).add(reason))
  }
  let resumed = 0
  for (const [accountUuid, reasons] of byAccount) {
    // Without a connection this is answered here, without a call.
    const answer = await callAsAccount(accountUuid, (api, token) => api.vendor(token))
    if (answer.outcome !== 'ok') continue
    const granted = (await store.accounts.findCredential(accountUuid))?.scope.split(/\s+/) ?? []
    const over = [...reasons].filter((reason) => {
      if (reason === PAUSE_WORDS.reconnect || reason === PAUSE_WORDS.suspended) return true
      const scope = missingScope(reason)
      return scope !== null && granted.includes(scope)
    })
    const count = over.length === 0 ? 0 : await store.runs.resumeAutomations(accountUuid, over, clock.now())
    if (count > 0) log.info({ account: accountUuid, automations: count }, 'automations.resumed')
    resumed += count
  }
  return resumed > 0
}
