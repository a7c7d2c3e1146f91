// A run at work: claimed, its steps planned and committed one after the other, each with a row before and after. What comes next
// is read from the journal alone (run-order.ts), so that it makes no difference who begins, and who goes on after a crash.

import type { RuleDefinition } from '#app/domain/automations/rule.ts'
import { isConnectionPause, runReason } from '#app/domain/automations/run-reasons.ts'
import { reasonCode } from '#app/domain/reason.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import type { ClaimedRun, RunFence, SeenJournal } from '#db/store/runs.ts'
import { createEffectRunner } from './run-effect.server.ts'
import type { RunApp, RunParts } from './run-inputs.server.ts'
import { nextOfRun, type RunNext } from './run-order.ts'
import { createPlanner } from './run-plan.server.ts'

/**
 * Works on a run until it ends, waits, or `goOn` says no. Resolves with the moment it goes on by itself; null = it does not, or
 * it is somebody else's. Rejects only for a fault (the database cannot be written): the run is then taken up again later.
 */
type WorkOnRun = (run: { accountUuid: string; id: number }, goOn: () => boolean) => Promise<number | null>

/** `owner` names this start of the process: writes of an earlier one are refused. */
export function createRunWorker(app: RunApp, parts: RunParts, owner: string): WorkOnRun {
  const { store, clock, log } = app
  const planner = createPlanner(app, parts)
  const effects = createEffectRunner(app, parts)

  return async ({ accountUuid, id }, goOn) => {
    const run = await store.runs.claimRun(accountUuid, id, owner, clock.now())
    if (!run) return null
    const fence: RunFence = { accountUuid, runId: id, owner }
    const startedAt = clock.now()
    const scene = planner.scene(run)
    for (;;) {
      if (!goOn()) return null
      const seen = await store.runs.readJournal(fence)
      if (!seen) return null
      const { definition } = run.rule
      const next = definition ? nextFor(run, definition, seen, clock.now()) : VERSION_GONE
      switch (next.next) {
        case 'plan':
          await planner.plan(fence, run, scene, next.step, seen)
          break
        case 'skip_step':
          await planner.skip(fence, next.step, next.sentence)
          break
        case 'skip_row':
          await effects.giveUp(fence, next.row, next.sentence)
          break
        case 'send':
          await effects.send(fence, run, scene, next.row, seen, goOn)
          break
        case 'verify':
          await effects.verify(fence, run, scene, next.row, seen, goOn)
          break
        case 'wait':
        case 'hold': {
          const wakeAt = next.next === 'wait' ? next.until : clock.now()
          const state = next.next === 'wait' ? 'waiting' : 'held'
          const parked = await store.runs.parkRun(fence, seen.stamp, { state, wakeAt, reason: next.reason })
          if (parked === 'changed') break
          if (parked === 'parked') log.info({ run: id, account: accountUuid, state, wakeAt }, 'run.parked')
          return parked === 'parked' && state === 'waiting' ? wakeAt : null
        }
        case 'finish': {
          const { outcome, reason } = next
          const ended = await store.runs.finishRun(fence, seen.stamp, {
            outcome,
            reason,
            cancelledReason: runReason('cancelled_before_sent'),
            at: clock.now(),
          })
          if (ended === 'changed') break
          if (ended === 'parked') {
            const durationMs = clock.now() - startedAt
            log.info({ run: id, account: accountUuid, automation: run.automationId, outcome, durationMs }, 'run.ended')
          }
          return null
        }
        default:
          assertNever(next)
      }
    }
  }
}

const VERSION_GONE: RunNext = { next: 'finish', outcome: 'failure', reason: runReason('version_gone') }

/** What the journal says, unless the run has not begun and there is a reason why it should not. */
function nextFor(run: ClaimedRun, definition: RuleDefinition, seen: SeenJournal, now: number): RunNext {
  if (seen.rows.length === 0 && !seen.cancelled) {
    const stopped = whyNotBegun(run)
    if (stopped) return stopped
  }
  return nextOfRun(definition.steps, seen.rows, now, seen.cancelled)
}

/** A person who asks for a run, or lets one go on, has seen how the rule stands. */
function whyNotBegun({ source, reason, rule, triggerData }: ClaimedRun): RunNext | null {
  if (source === 'person') return null
  if (triggerData.doneBefore !== undefined)
    return { next: 'finish', outcome: 'nothing', reason: triggerData.doneBefore }
  if (reasonCode(reason) === 'released') return null
  if (rule.deleted) return { next: 'finish', outcome: 'cancelled', reason: runReason('deleted') }
  if (!rule.active) return { next: 'finish', outcome: 'cancelled', reason: runReason('switched_off') }
  if (rule.pausedReason === null || isConnectionPause(rule.pausedReason)) return null
  return { next: 'hold', reason: rule.pausedReason }
}
