// Executes one effect of a run: marks it, sends it, records the result. Checks guards before each customer message, one
// message per account at a time, so two runs cannot both use the last place under a cap.
import type { StepResult, VerifyResult } from '#app/domain/automations/effect.ts'
import type { JournalEffect, JournalRow } from '#app/domain/automations/journal-row.ts'
import { CREATED_BY_RULE, CREATED_FIELD } from '#app/domain/automations/run.ts'
import { runReason } from '#app/domain/automations/run-reasons.ts'
import type { Reason } from '#app/domain/reason.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import type { Millis } from '#app/lib/clock.ts'
import { seconds } from '#app/lib/duration.ts'
import { pause } from '#app/lib/turns.server.ts'
import type { ClaimedRun, FieldWrite, RowSeen, RowWrite, SeenJournal } from '#db/store/runs.ts'
import type { CommitContext, Committer } from '../actions/action.server.ts'
import { withParents } from '../actions/commit/commit-record.server.ts'
import {
  afterCommit,
  afterGuardPutOff,
  afterVerify,
  JOURNAL_CLASSES,
  type RowChange,
  triesAfter,
} from '../rules/journal.ts'
import { askGuards, type GuardAnswer, goesOnlyWhileOn, messageNote, sentAbout } from './run-guards.server.ts'
import type { RunApp, RunAtWork, RunParts } from './run-inputs.server.ts'
import { type CustomerMessage, isCustomerMessage } from './run-messages.ts'
import { resultsOf, rowsOf } from './run-order.ts'
import { pauseRules } from './run-pause.server.ts'

export function createEffectRunner(app: RunApp, parts: RunParts) {
  const { store, clock, log } = app
  const turns = createTurns()
  const committer = neverThrowing(app, parts.committer)

  async function send(work: RunAtWork, row: JournalRow, seen: SeenJournal): Promise<void> {
    if (!isMessage(row)) return deliver(work, row, seen)
    await turns.take(work.run.accountUuid, async () => {
      if (await mayGoOut(work, row, seen)) await deliver(work, row, seen)
    })
  }

  async function mayGoOut({ run, fence, context }: RunAtWork, row: Message, seen: SeenJournal): Promise<boolean> {
    const { definition } = run.rule
    if (!definition) throw new Error(`run ${run.id} has nothing to be asked about`)
    const profile = await context.profile()
    const answer =
      profile.outcome === 'put_off'
        ? profile
        : await askGuards(app, parts, run, definition, row, seen.rows, profile.value.zone)
    if (answer.outcome === 'now') return true
    await store.runs.setRow(fence, seenOf(row), keptBack(row, answer, clock.now()))
    if (answer.outcome === 'put_off') await pauseRules(app, run, answer.why.sentence)
    log.info({ run: run.id, step: row.stepId, item: row.itemKey, verdict: answer.outcome }, 'message.kept_back')
    return false
  }

  async function deliver(work: RunAtWork, row: JournalRow, seen: SeenJournal): Promise<void> {
    const { run, fence } = work
    const { effect } = row
    if (effect.kind === 'none') throw new Error(`step ${row.stepId} of run ${run.id} has nothing to send`)
    const at = clock.now()
    const writes = fieldWrites(run, effect, row.clientUuid, contextOf(run, row, seen))
    const onlyWhileOn = isMessage(row) && goesOnlyWhileOn(run, row)
    if (!(await store.runs.beginSending(fence, seenOf(row), { onlyWhileOn, writes, at }))) return
    const sending: JournalRow = {
      ...row,
      state: 'sending',
      attempt: row.attempt + 1,
      sendingAt: at,
      nextAttemptAt: null,
    }
    const answer = await committer.commit(effect, contextOf(run, sending, seen))
    await endSending(app, work, sending, afterCommit(sending, answer, clock.now()), at)
    if (answer.outcome === 'blocked') await pauseRules(app, run, answer.sentence)
  }

  async function verify(work: RunAtWork, row: JournalRow, seen: SeenJournal): Promise<void> {
    const { run } = work
    const { effect } = row
    if (effect.kind === 'none') throw new Error(`step ${row.stepId} of run ${run.id} has nothing to look for`)
    const at = clock.now()
    const found = await committer.verify(effect, contextOf(run, row, seen))
    const change = afterVerify(row, found, clock.now())
    // A cancelled run starts nothing new and is not checked again.
    const last = seen.cancelled ? whenCancelled(row, change, found) : change
    if (last === 'again') await send(work, row, seen)
    else await endSending(app, work, row, last, at)
  }

  async function giveUp({ fence }: RunAtWork, row: JournalRow, sentence: Reason): Promise<void> {
    const errorClass = JOURNAL_CLASSES.previousFailed
    const at = clock.now()
    await store.runs.setRow(fence, seenOf(row), {
      ...row,
      state: 'skipped',
      errorClass,
      sentence,
      nextAttemptAt: null,
      at,
    })
  }

  return { send, verify, giveUp }
}

/** A thrown error is a bug of ours, and the outcome of the effect is unknown. */
function neverThrowing({ log }: RunApp, committer: Committer): Committer {
  return {
    async commit(effect, context) {
      try {
        return await committer.commit(effect, context)
      } catch (error) {
        log.error({ run: context.identity.runId, step: context.identity.stepId, error }, 'effect.commit_failed')
        return { outcome: 'unknown', sentence: runReason('broken_off') }
      }
    },
    async verify(effect, context) {
      try {
        return await committer.verify(effect, context)
      } catch (error) {
        log.error({ run: context.identity.runId, step: context.identity.stepId, error }, 'effect.verify_failed')
        return { outcome: 'later', sentence: runReason('not_looked'), retryAt: null }
      }
    },
  }
}

/** The new row of a message that a guard holds back. */
function keptBack(row: Message, answer: Exclude<GuardAnswer, { outcome: 'now' }>, now: Millis): RowWrite {
  const aside = { ...row, nextAttemptAt: null, at: now }
  const { moved, guard, held } = JOURNAL_CLASSES
  switch (answer.outcome) {
    case 'later':
      return { ...aside, state: 'planned', errorClass: moved, sentence: answer.reason, nextAttemptAt: answer.at }
    case 'skip':
      return { ...aside, state: 'skipped', errorClass: guard, sentence: answer.reason }
    case 'hold':
      return { ...aside, state: 'held', errorClass: held, sentence: answer.reason }
    case 'put_off': {
      const { try: _try, ...columns } = afterGuardPutOff(row, answer.why, now)
      return { ...aside, ...columns, tries: triesAfter(row, { ...columns, try: _try }, now, now) }
    }
    default:
      return assertNever(answer)
  }
}

/** Commit 3. */
async function endSending(
  app: RunApp,
  { run, goOn }: RunAtWork,
  row: JournalRow,
  change: RowChange,
  startedAt: Millis,
): Promise<void> {
  const now = app.clock.now()
  const { stepId, itemKey, attempt, released } = row
  const { try: _try, ...columns } = change
  const write: RowWrite = { ...columns, tries: triesAfter(row, change, startedAt, now), released, at: now }
  const mayHaveGoneOut = change.state === 'sent' || change.state === 'unknown'
  const writes = change.state === 'sent' ? writesUnderOtherUuid(run, row, change.result) : []
  await steadily(app, goOn, async () => {
    // The note reads the account's key: a failure there is tried again like one of the writing.
    const message =
      mayHaveGoneOut && isMessage(row)
        ? { ...(await messageNote(app, run, row.effect)), sent: sentAbout(row, row.effect, now) }
        : null
    const input = { message, writes }
    await app.store.runs.endSending(run.accountUuid, run.id, { stepId, itemKey, attempt }, write, input)
  })
  const fields = { run: run.id, step: stepId, item: itemKey, kind: row.effect.kind, attempt, state: change.state }
  app.log.info({ ...fields, errorClass: change.errorClass, durationMs: now - startedAt }, 'effect.ended')
}

/** Pauses between attempts to store a known result: losing the record of a sent message is the worst case. */
const WRITE_PAUSES = [250, seconds(1), seconds(3), seconds(10), seconds(30)]

async function steadily({ clock, log }: RunApp, goOn: () => boolean, write: () => Promise<unknown>): Promise<void> {
  for (const ms of WRITE_PAUSES) {
    try {
      await write()
      return
    } catch (error) {
      log.error({ pause: ms, error }, 'effect.not_written')
      if (!goOn()) break
    }
    await pause(clock, ms)
  }
  await write()
}

/** Serializes work by key: each task starts when the previous one has settled. */
function createTurns(): { take<T>(key: string, work: () => Promise<T>): Promise<T> } {
  const last = new Map<string, Promise<unknown>>()
  return {
    async take(key, work) {
      const before = last.get(key)
      const mine = (before ?? Promise.resolve()).then(work, work)
      last.set(key, mine)
      try {
        return await mine
      } finally {
        if (last.get(key) === mine) last.delete(key)
      }
    },
  }
}

type Message = JournalRow & { effect: CustomerMessage }

function isMessage(row: JournalRow): row is Message {
  return isCustomerMessage(row.effect)
}

function seenOf({ stepId, itemKey, state, attempt }: JournalRow): RowSeen {
  return { stepId, itemKey, state, attempt }
}

/** Ends the effect of a cancelled run: an uncertain outcome stays open for a person. */
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

/** `uuid` = of what it creates: a line that cannot be moved is copied. */
function fieldWrites(
  run: ClaimedRun,
  effect: JournalEffect,
  uuid: string,
  context: Pick<CommitContext, 'siblings'> = { siblings: [] },
): FieldWrite[] {
  const { automationId, hop, rule } = run
  const parents = 'parents' in effect ? effect.parents : undefined
  const file = effect.kind === 'produce_document' && effect.attachTo ? { object: 'attachment', fields: {} } : null
  const creates = effect.kind === 'create_record' ? effect : file
  const written = effect.kind === 'update_record' ? effect : creates && { ...creates, recordUuid: uuid }
  if (!written) return []
  const { object, recordUuid } = written
  const fields: Record<string, string> = withParents(written.fields, parents, context) ?? written.fields
  const write = { object, recordUuid, automationId, hop }
  const isPolled = rule.definition?.trigger.source === 'api_polling' && object === run.object
  const writes = Object.entries(fields).map(([field, value]) => ({ ...write, field, value }))
  if (!creates && !parents) return writes
  const made = { ...write, recordUuid: uuid, field: CREATED_FIELD, value: uuid }
  return [...writes, isPolled ? { ...made, occurrence: CREATED_BY_RULE } : made]
}

/** Own writes under the platform's id, if it is neither ours nor that of the updated record. */
function writesUnderOtherUuid(run: ClaimedRun, row: JournalRow, result: StepResult | null): FieldWrite[] {
  const { clientUuid, effect } = row
  const uuid = result?.uuid ?? result?.document_uuid ?? clientUuid
  const isKnown = uuid === clientUuid || (effect.kind === 'update_record' && uuid === effect.recordUuid)
  return isKnown ? [] : fieldWrites(run, effect, uuid)
}
