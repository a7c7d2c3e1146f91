// One effect of a run: marked, done, written down. What goes out to a customer is asked about first, and one message of an
// account at a time, so that two runs never both see the last free place under a cap.

import type { CommitResult, Effect, StepResult, VerifyResult } from '#app/domain/automations/effect.ts'
import type { JournalRow } from '#app/domain/automations/journal-row.ts'
import { runReason } from '#app/domain/automations/run-reasons.ts'
import type { Reason } from '#app/domain/reason.ts'
import { seconds } from '#app/lib/duration.ts'
import type { ClaimedRun, FieldWrite, RowSeen, RowWrite, RunFence, SeenJournal } from '#db/store/runs.ts'
import type { CommitContext } from '../actions/action.server.ts'
import {
  afterCommit,
  afterPlanPutOff,
  afterVerify,
  JOURNAL_CLASSES,
  type RowChange,
  triesAfter,
} from '../rules/journal.ts'
import { askGuards, messageNote } from './run-guards.server.ts'
import type { RunApp, RunParts } from './run-inputs.server.ts'
import { type CustomerMessage, isCustomerMessage } from './run-messages.ts'
import { resultsOf, rowsOf } from './run-order.ts'
import { pauseRules } from './run-pause.server.ts'
import type { SceneLoader } from './run-scene.server.ts'
import { createTurns } from './run-turns.server.ts'

type Act = (
  fence: RunFence,
  run: ClaimedRun,
  scene: SceneLoader,
  row: JournalRow,
  seen: SeenJournal,
  goOn: () => boolean,
) => Promise<void>

interface EffectRunner {
  send: Act
  verify: Act
  giveUp(fence: RunFence, row: JournalRow, sentence: Reason): Promise<void>
}

/** What is known is written down again and again this long: forgetting that a message went out is the worst that can happen. */
const WRITE_PAUSES = [250, seconds(1), seconds(3), seconds(10), seconds(30)]

export function createEffectRunner(app: RunApp, parts: RunParts): EffectRunner {
  const { store, clock, log } = app
  const turns = createTurns()

  const send: Act = async (fence, run, scene, row, seen, goOn) => {
    if (!isMessage(row)) return deliver(fence, run, row, seen, goOn)
    await turns.take(run.accountUuid, async () => {
      if (await mayGoOut(fence, run, scene, row)) await deliver(fence, run, row, seen, goOn)
    })
  }

  async function mayGoOut(
    fence: RunFence,
    run: ClaimedRun,
    scene: SceneLoader,
    row: JournalRow & { effect: CustomerMessage },
  ): Promise<boolean> {
    const { definition } = run.rule
    if (!definition) throw new Error(`run ${run.id} has nothing to be asked about`)
    const profile = await scene.profile()
    const answer =
      profile.outcome === 'put_off'
        ? ({ outcome: 'put_off', why: profile.why } as const)
        : await askGuards(app, parts.facts, run, definition, row, profile.value.zone)
    if (answer.outcome === 'now') return true
    const now = clock.now()
    const aside = { ...row, nextAttemptAt: null, at: now }
    switch (answer.outcome) {
      case 'later': {
        const { moved } = JOURNAL_CLASSES
        await setRow(fence, row, {
          ...aside,
          state: 'planned',
          errorClass: moved,
          sentence: answer.reason,
          nextAttemptAt: answer.at,
        })
        break
      }
      case 'skip':
        await setRow(fence, row, {
          ...aside,
          state: 'skipped',
          errorClass: JOURNAL_CLASSES.guard,
          sentence: answer.reason,
        })
        break
      case 'hold':
        await setRow(fence, row, {
          ...aside,
          state: 'held',
          errorClass: JOURNAL_CLASSES.held,
          sentence: answer.reason,
        })
        break
      case 'put_off': {
        const change = afterPlanPutOff(row, answer.why, now)
        await setRow(fence, row, { ...aside, ...change })
        await pauseRules(app, run, answer.why.sentence)
        break
      }
    }
    log.info({ run: run.id, step: row.stepId, item: row.itemKey, verdict: answer.outcome }, 'message.kept_back')
    return false
  }

  async function deliver(
    fence: RunFence,
    run: ClaimedRun,
    row: JournalRow,
    seen: SeenJournal,
    goOn: () => boolean,
  ): Promise<void> {
    const { effect } = row
    if (effect.kind === 'none') throw new Error(`step ${row.stepId} of run ${run.id} has nothing to send`)
    const at = clock.now()
    const writes = fieldWrites(run, effect, row.clientUuid)
    if (!(await store.runs.beginSending(fence, seenOf(row), { writes, at }))) return
    const sending: JournalRow = {
      ...row,
      state: 'sending',
      attempt: row.attempt + 1,
      sendingAt: at,
      nextAttemptAt: null,
    }
    const answer = await commit(effect, contextOf(run, sending, seen))
    const change = afterCommit(sending, answer, clock.now())
    await end(run, sending, change, at, goOn)
    if (answer.outcome === 'blocked') await pauseRules(app, run, answer.sentence)
  }

  const verify: Act = async (fence, run, scene, row, seen, goOn) => {
    const { effect } = row
    if (effect.kind === 'none') throw new Error(`step ${row.stepId} of run ${run.id} has nothing to look for`)
    const at = clock.now()
    const found = await look(effect, contextOf(run, row, seen))
    const change = afterVerify(row, found, clock.now())
    if (seen.cancelled) {
      // Nothing begins any more, and nobody will look again.
      await end(run, row, whenCancelled(row, change, found), at, goOn)
    } else if (change === 'again') await send(fence, run, scene, row, seen, goOn)
    else await end(run, row, change, at, goOn)
  }

  async function commit(effect: Effect, context: CommitContext): Promise<CommitResult> {
    try {
      return await parts.committer.commit(effect, context)
    } catch (error) {
      log.error({ run: context.identity.runId, step: context.identity.stepId, error }, 'effect.commit_failed')
      return { outcome: 'unknown', sentence: runReason('broken_off') }
    }
  }

  async function look(effect: Effect, context: CommitContext): Promise<VerifyResult> {
    try {
      return await parts.committer.verify(effect, context)
    } catch (error) {
      log.error({ run: context.identity.runId, step: context.identity.stepId, error }, 'effect.verify_failed')
      return { outcome: 'later', sentence: runReason('not_looked'), retryAt: null }
    }
  }

  /** Commit 3. */
  async function end(
    run: ClaimedRun,
    row: JournalRow,
    change: RowChange,
    startedAt: number,
    goOn: () => boolean,
  ): Promise<void> {
    const now = clock.now()
    const { stepId, itemKey, attempt } = row
    const counts = isMessage(row) && (change.state === 'sent' || change.state === 'unknown')
    const write: RowWrite = {
      state: change.state,
      attempt: change.attempt,
      errorClass: change.errorClass,
      sentence: change.sentence,
      nextAttemptAt: change.nextAttemptAt,
      result: change.result,
      tries: triesAfter(row, change, startedAt, now),
      released: row.released,
      at: now,
    }
    const input = {
      message: counts && isMessage(row) ? messageNote(app, run, row.effect) : null,
      writes: change.state === 'sent' ? writesUnderOtherUuid(run, row, change.result) : [],
    }
    await steadily(goOn, () =>
      store.runs.endSending(run.accountUuid, run.id, { stepId, itemKey, attempt }, write, input),
    )
    const fields = { run: run.id, step: stepId, item: itemKey, kind: row.effect.kind, attempt, state: change.state }
    log.info({ ...fields, errorClass: change.errorClass, durationMs: now - startedAt }, 'effect.ended')
  }

  async function steadily(goOn: () => boolean, write: () => Promise<unknown>): Promise<void> {
    for (const pause of WRITE_PAUSES) {
      try {
        await write()
        return
      } catch (error) {
        log.error({ pause, error }, 'effect.not_written')
        if (!goOn()) break
      }
      await new Promise<void>((resolve) => {
        clock.wake(clock.now() + pause, resolve)
      })
    }
    await write()
  }

  async function setRow(
    fence: RunFence,
    row: JournalRow,
    write: Pick<
      RowWrite,
      'state' | 'attempt' | 'errorClass' | 'sentence' | 'nextAttemptAt' | 'result' | 'tries' | 'at'
    >,
  ): Promise<void> {
    await store.runs.setRow(fence, seenOf(row), { ...write, released: row.released })
  }

  return {
    send,
    verify,
    giveUp: (fence, row, sentence) =>
      setRow(fence, row, {
        ...row,
        state: 'skipped',
        errorClass: JOURNAL_CLASSES.previousFailed,
        sentence,
        nextAttemptAt: null,
        at: clock.now(),
      }),
  }
}

function isMessage(row: JournalRow): row is JournalRow & { effect: CustomerMessage } {
  return isCustomerMessage(row.effect)
}

function seenOf({ stepId, itemKey, state, attempt }: JournalRow): RowSeen {
  return { stepId, itemKey, state, attempt }
}

/** A cancelled run ends now: what is not certainly done or not done stays open for a person. */
function whenCancelled(row: JournalRow, change: RowChange | 'again', found: VerifyResult): RowChange {
  const { attempt, result } = row
  const ended = { attempt, result, nextAttemptAt: null, try: null }
  if (change === 'again' && found.outcome === 'not_done') {
    return {
      ...ended,
      state: 'skipped',
      errorClass: JOURNAL_CLASSES.cancelled,
      sentence: runReason('cancelled_before_sent'),
    }
  }
  if (change !== 'again' && (change.state === 'sent' || change.state === 'failed'))
    return { ...change, nextAttemptAt: null }
  const sentence = 'sentence' in found ? found.sentence : runReason('may_have_been_sent')
  return { ...ended, state: 'unknown', errorClass: 'unclear', sentence }
}

function contextOf(run: ClaimedRun, row: JournalRow, seen: SeenJournal): CommitContext {
  const siblings: (StepResult | null)[] = []
  for (const one of rowsOf(seen.rows, row.stepId)) {
    siblings[Number(one.itemKey)] = one.state === 'sent' ? (one.result ?? {}) : null
  }
  return {
    identity: {
      accountUuid: run.accountUuid,
      runId: run.id,
      stepId: row.stepId,
      itemKey: row.itemKey,
      clientUuid: row.clientUuid,
      sendingAt: row.sendingAt ?? row.plannedAt,
    },
    siblings: siblings.slice(0, Number(row.itemKey)),
    results: resultsOf(run.rule.definition?.steps ?? [], seen.rows),
  }
}

function fieldWrites(run: ClaimedRun, effect: Effect, uuid: string): FieldWrite[] {
  if (effect.kind !== 'update_record' && effect.kind !== 'create_record') return []
  const recordUuid = effect.kind === 'update_record' ? effect.recordUuid : uuid
  const { object } = effect
  const { automationId, hop } = run
  return Object.entries(effect.fields).map(([field, value]) => ({
    object,
    recordUuid,
    field,
    value,
    automationId,
    hop,
  }))
}

/** The platform gave the new record an id of its own. */
function writesUnderOtherUuid(run: ClaimedRun, row: JournalRow, result: StepResult | null): FieldWrite[] {
  if (row.effect.kind !== 'create_record') return []
  const uuid = result?.uuid ?? row.clientUuid
  return uuid === row.clientUuid ? [] : fieldWrites(run, row.effect, uuid)
}
