// A person's decisions about runs: cancel, release, settle a message, repeat. Each leaves a sentence in the history.
import type { App } from '#app/context/app-context.ts'
import type { RunRequest } from '#app/domain/automations/run.ts'
import { runReason } from '#app/domain/automations/run-reasons.ts'
import { seconds } from '#app/lib/duration.ts'
import type { CancelledRun, RerunFailed, SettledByPerson } from '#db/store/runs.ts'
import { messageNote } from '../runs/run-guards.server.ts'
import { isCustomerMessage } from '../runs/run-messages.ts'

type AgainApp = Pick<App, 'store' | 'clock' | 'log' | 'secrets' | 'wakeRuns'>

/** Cancels what has not started; finished work stays. `discarded` = it was held, and a person declined. */
export async function cancelRun(
  app: AgainApp,
  accountUuid: string,
  runId: number,
  { discarded = false }: { discarded?: boolean } = {},
): Promise<CancelledRun> {
  const cancelled = await app.store.runs.cancelRun(accountUuid, runId, {
    reason: discarded ? runReason('discarded') : runReason('cancelled'),
    rowReason: runReason('cancelled_before_sent'),
    at: app.clock.now(),
  })
  if (cancelled.outcome === 'cancelling') app.wakeRuns()
  app.log.info({ account: accountUuid, run: runId, outcome: cancelled.outcome }, 'run.cancelled')
  return cancelled
}

/** Releases those of the runs that are held, or hold a message. Returns their number. */
export async function releaseRuns(app: AgainApp, accountUuid: string, runIds: readonly number[]): Promise<number> {
  const released = await app.store.runs.releaseRuns(accountUuid, runIds, {
    reason: runReason('released'),
    at: app.clock.now(),
  })
  if (released > 0) app.wakeRuns()
  app.log.info({ account: accountUuid, released }, 'runs.released')
  return released
}

/** Sends or discards everything a rule holds. Returns the number of runs. */
export async function settleHeldRuns(
  app: AgainApp,
  accountUuid: string,
  automationId: number,
  decision: 'send' | 'discard',
): Promise<number> {
  const runIds = await app.store.runs.heldRuns(accountUuid, automationId)
  if (decision === 'send') return releaseRuns(app, accountUuid, runIds)
  for (const runId of runIds) await cancelRun(app, accountUuid, runId, { discarded: true })
  return runIds.length
}

/** Stores a person's answer on a message that may have been sent. What went out does not reopen a cancelled run. */
export async function settleUnknown(
  app: AgainApp,
  accountUuid: string,
  runId: number,
  row: { stepId: string; itemKey: string },
  decision: 'went_out' | 'send',
): Promise<SettledByPerson | { outcome: 'stays_cancelled' }> {
  const [found, run] = await Promise.all([
    app.store.runs.findJournalRow(accountUuid, runId, row),
    app.store.runs.findRunToRepeat(accountUuid, runId),
  ])
  if (!found || !run) return { outcome: 'not_found' }
  const { automationId } = run
  const message = isCustomerMessage(found.effect)
    ? await messageNote(app, { accountUuid, automationId }, found.effect)
    : null
  const at = app.clock.now()
  const settled = await app.store.runs.settleUnknown(
    accountUuid,
    runId,
    row,
    decision === 'went_out' ? { decision, reason: runReason('went_out'), at } : { decision, message, at },
  )
  if (settled.outcome === 'settled') app.wakeRuns()
  app.log.info({ account: accountUuid, run: runId, ...row, decision, outcome: settled.outcome }, 'message.settled')
  const staysCancelled = settled.outcome === 'settled' && decision === 'went_out' && run.outcome === 'cancelled'
  return staysCancelled ? { outcome: 'stays_cancelled' } : settled
}

/** Retries failed effects in the same run, with the same keys. */
export async function rerunFailed(app: AgainApp, accountUuid: string, runId: number): Promise<RerunFailed> {
  const again = await app.store.runs.rerunFailed(accountUuid, runId, {
    reason: runReason('released'),
    at: app.clock.now(),
  })
  if (again.outcome === 'again') app.wakeRuns()
  app.log.info({ account: accountUuid, run: runId, outcome: again.outcome }, 'run.failed_again')
  return again
}

export type RanAgain =
  | { outcome: 'started'; runId: number; customerMessages: number }
  /** Requested twice within moments: the same run. */
  | { outcome: 'repeated'; runId: number }
  | { outcome: 'rule_deleted' }
  | { outcome: 'not_found' }

/** A double click counts once. */
const SAME_WISH = seconds(10)

/** Repeats everything as a new run: with the rule as it was then, or (`today`) as it is now. Ignores the ledger. */
export async function runAllAgain(
  app: AgainApp,
  accountUuid: string,
  runId: number,
  { today = false }: { today?: boolean } = {},
): Promise<RanAgain> {
  const run = await app.store.runs.findRunToRepeat(accountUuid, runId)
  if (!run) return { outcome: 'not_found' }
  if (run.rule.deleted) return { outcome: 'rule_deleted' }
  const now = app.clock.now()
  const { asOf, ...ofToday } = run.triggerData
  const request: RunRequest = {
    automationId: run.automationId,
    version: today ? run.rule.version : run.version,
    source: 'person',
    object: run.object,
    recordUuids: run.recordUuids,
    groupKey: run.groupKey,
    triggerData: today ? ofToday : run.triggerData,
    ledger: [],
    hop: 0,
    wakeAt: now,
    held: null,
    replayOf: runId,
  }
  const keys = [{ key: `again:${runId}:${today ? 'today' : 'then'}`, expiresAt: now + SAME_WISH }]
  const started = await app.store.runs.startRunOnce(accountUuid, request, keys, now)
  app.wakeRuns()
  switch (started.outcome) {
    case 'started':
      app.log.info({ account: accountUuid, run: started.runId, replayOf: runId, today }, 'run.again')
      return { ...started, customerMessages: run.customerMessages }
    case 'repeated':
      return started
    case 'done_before':
      throw new Error('a run without ledger rows cannot have been done before')
  }
}
