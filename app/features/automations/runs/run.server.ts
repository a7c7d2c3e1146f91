// Works on a run: claims it, then plans and commits its steps one by one, with a journal row before and after each. The
// journal alone decides what comes next (run-order.ts), so any process can start a run or resume it after a crash.
import { actionSpec } from '#app/domain/automations/action-parameters.ts'
import type { JournalRow } from '#app/domain/automations/journal-row.ts'
import type { Step } from '#app/domain/automations/rule.ts'
import type { RunOutcome } from '#app/domain/automations/run.ts'
import { isConnectionPause, runReason, runReasonText } from '#app/domain/automations/run-reasons.ts'
import type { ToldByRun } from '#app/domain/notices/notice.ts'
import { type Reason, reasonCode } from '#app/domain/reason.ts'
import { noticeReason } from '#app/features/notices/notice-reasons.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import type { Millis } from '#app/lib/clock.ts'
import type { ClaimedRun, SeenJournal } from '#db/store/runs.ts'
import { hasBegun, JOURNAL_CLASSES, LASTING_AFTER, LASTING_FROM } from '../rules/journal.ts'
import { createEffectRunner } from './run-effect.server.ts'
import { isReleased, isReleasedDue } from './run-guards.server.ts'
import type { RunApp, RunAtWork, RunParts } from './run-inputs.server.ts'
import { nextOfRun, type RunNext } from './run-order.ts'
import { createPlanner } from './run-plan.server.ts'

/**
 * Works on a run until it ends, waits, or `goOn` returns false. Resolves with the time it continues on its own; null =
 * it does not, or another process owns it. Rejects only on an error (the database cannot be written): the run is
 * retried later.
 */
type WorkOnRun = (run: { accountUuid: string; id: number }, goOn: () => boolean) => Promise<Millis | null>

type Parking = { state: 'waiting' | 'held'; wakeAt: Millis; reason: Reason }
type Finish = Extract<RunNext, { next: 'finish' }>

/** `owner` identifies this start of the process; writes of an earlier one are rejected. */
export function createRunWorker(app: RunApp, parts: RunParts, owner: string): WorkOnRun {
  const { store, clock, log } = app
  const planner = createPlanner(app, parts)
  const effects = createEffectRunner(app, parts)

  /** Runs one step. `again` = ask the journal for the next one; else the time it continues on its own, null = never. */
  async function act(work: RunAtWork, seen: SeenJournal, next: RunNext) {
    switch (next.next) {
      case 'plan':
        if ((await planner.plan(work, next.step, seen)) === 'planned') return 'again'
        return finish(work, seen, work.run.source === 'manual' ? NOT_MET : PASSED)
      case 'skip_step':
        await planner.skip(work, next.step, next.sentence)
        return 'again'
      case 'skip_row':
        await effects.giveUp(work, next.row, next.sentence)
        return 'again'
      case 'send':
        await effects.send(work, next.row, seen)
        return 'again'
      case 'verify':
        await effects.verify(work, next.row, seen)
        return 'again'
      case 'wait':
        return park(work, seen, { state: 'waiting', wakeAt: next.until, reason: next.reason })
      case 'hold':
        return park(work, seen, { state: 'held', wakeAt: clock.now(), reason: next.reason })
      case 'finish':
        return finish(work, seen, next)
      default:
        return assertNever(next)
    }
  }

  async function park({ run, fence, startedAt }: RunAtWork, seen: SeenJournal, parking: Parking) {
    const { state, wakeAt } = parking
    // Until something is done, that a person said so is known from this reason alone.
    const reason = (state === 'waiting' && isReleased(run) && !hasBegun(seen.rows) && run.reason) || parking.reason
    const told = toldByWait(run.rule.definition?.steps ?? [], seen.rows, startedAt)
    const parked = await store.runs.parkRun(fence, seen.stamp, { ...parking, reason, told, at: clock.now() })
    if (parked === 'changed') return 'again'
    if (parked !== 'parked') return null
    log.info({ run: run.id, account: run.accountUuid, state, wakeAt }, 'run.parked')
    return state === 'waiting' ? wakeAt : null
  }

  async function finish({ run, fence, startedAt }: RunAtWork, seen: SeenJournal, { outcome, reason }: Finish) {
    const cancelledReason = runReason('cancelled_before_sent')
    const told = toldByRun(outcome, reason, run.rule.definition?.steps ?? [], seen.rows)
    // When it happens again, the rule has not acted on it yet.
    const forgets = reason === PASSED.reason || reason === NOT_MET.reason || reason === SWITCHED_OFF.reason
    const ending = { outcome, reason, cancelledReason, told, forgets, at: clock.now() }
    const ended = await store.runs.finishRun(fence, seen.stamp, ending)
    if (ended === 'changed') return 'again'
    if (ended === 'parked') {
      const durationMs = clock.now() - startedAt
      const { id, accountUuid, automationId } = run
      log.info({ run: id, account: accountUuid, automation: automationId, outcome, durationMs }, 'run.ended')
    }
    return null
  }

  return async ({ accountUuid, id }, goOn) => {
    const claimed = await store.runs.claimRun(accountUuid, id, owner, clock.now())
    if (!claimed) return null
    const fence = { accountUuid, runId: id, owner }
    const work = { fence, context: planner.context(claimed), startedAt: clock.now(), goOn }
    while (goOn()) {
      const seen = await store.runs.readJournal(fence)
      if (!seen) return null
      const run = { ...claimed, rule: { ...claimed.rule, ...seen.rule } }
      const acted = await act({ ...work, run }, seen, nextFor(run, seen, clock.now()))
      if (acted !== 'again') return acted
    }
    return null
  }
}

const VERSION_GONE: RunNext = { next: 'finish', outcome: 'failure', reason: runReason('version_gone') }

const PASSED: Finish = { next: 'finish', outcome: 'nothing', reason: runReason('conditions_no_longer_met') }
const NOT_MET: Finish = { ...PASSED, reason: runReason('conditions_not_met') }
/** Only before the first step. */
const SWITCHED_OFF: Finish = { next: 'finish', outcome: 'cancelled', reason: runReason('switched_off') }

/** Returns what the journal says, unless the run has not started and should not. */
function nextFor(run: ClaimedRun, seen: SeenJournal, now: Millis): RunNext {
  const { definition } = run.rule
  if (!definition) return VERSION_GONE
  if (!hasBegun(seen.rows) && !seen.cancelled) {
    const stopped = whyNotBegun(run)
    if (stopped) return stopped
  }
  return nextOfRun(definition.steps, seen.rows, now, seen.cancelled)
}

/** A person who requests a run, or releases one that is due, has seen the state of the rule. */
function whyNotBegun(run: ClaimedRun): RunNext | null {
  const { source, rule, triggerData } = run
  if (source === 'person') return null
  if (triggerData.doneBefore !== undefined)
    return { next: 'finish', outcome: 'nothing', reason: triggerData.doneBefore }
  if (isReleasedDue(run)) return null
  if (rule.deleted) return { next: 'finish', outcome: 'cancelled', reason: runReason('deleted') }
  if (!rule.active) return SWITCHED_OFF
  if (rule.pausedReason === null || isConnectionPause(rule.pausedReason)) return null
  return { next: 'hold', reason: rule.pausedReason }
}

// What a run tells its owner at its end, or when it goes on failing: a trouble, or that the rule works. The same step that
// fails for the same reason is the same trouble, however often.

/** `reason`: why the run as a whole ended, for one without steps. What may have been sent waits for a person instead. */
export function toldByRun(
  outcome: RunOutcome,
  reason: Reason | null,
  steps: readonly Step[],
  journal: readonly JournalRow[],
): ToldByRun {
  // A step that did not begin, because the one before was left out, proves nothing.
  const { previousFailed } = JOURNAL_CLASSES
  if (outcome === 'success') return journal.some(({ errorClass }) => errorClass === previousFailed) ? [] : 'works'
  if (outcome !== 'failure' && outcome !== 'partial') return []
  if (journal.length === 0) return [{ stepId: '', ...trouble(0, '', 'run', reason) }]
  return troublesOf(
    journal.filter(({ state }) => state === 'failed'),
    steps,
  )
}

/** Of a run that waits for its next try. `since`: when this turn began; what failed before it was told then. */
export function toldByWait(steps: readonly Step[], journal: readonly JournalRow[], since: Millis): ToldByRun {
  const lasts = ({ state, attempt, nextAttemptAt, endedAt }: JournalRow) =>
    state === 'failed' && (attempt >= LASTING_FROM || nextAttemptAt === null) && (endedAt ?? 0) >= since
  return troublesOf([...journal.filter(lasts), ...journal.filter((row) => isUnclearFor(row, since))], steps)
}

/** One of each reason: an outage that several steps meet is told once. */
function troublesOf(rows: readonly JournalRow[], steps: readonly Step[]) {
  const firsts = rows.filter((row, place) => rows.findIndex((other) => whyOf(other) === whyOf(row)) === place)
  return firsts.map((row) => troubleOf(row, steps))
}

const whyOf = ({ sentence, errorClass }: JournalRow) => reasonCode(sentence) ?? errorClass

/** What may have been done, and is looked at and tried again, fails as well. */
function isUnclearFor({ state, errorClass, attempt, nextAttemptAt, ...row }: JournalRow, now: Millis): boolean {
  if (state !== 'sending' || errorClass !== 'unclear' || nextAttemptAt === null) return false
  return attempt >= LASTING_FROM || now - (row.sendingAt ?? row.plannedAt) >= LASTING_AFTER
}

function troubleOf({ stepId, errorClass, sentence, nextAttemptAt }: JournalRow, steps: readonly Step[]) {
  const place = steps.findIndex(({ id }) => id === stepId)
  const step = steps[place]
  const action = step ? actionSpec(step.type).label : stepId
  return { stepId, ...trouble(place + 1, action, errorClass ?? 'other', sentence, nextAttemptAt !== null) }
}

function trouble(step: number, action: string, errorClass: string, reason: Reason | null, again = false) {
  const why = reasonCode(reason) ?? errorClass
  const said = reason === null ? null : runReasonText(reason).slice(0, 500)
  return {
    fingerprint: `failing:${step}:${why}`,
    reason: noticeReason('run_failed', { step, action, why: errorClass, said, again: again ? 1 : 0 }),
  }
}
