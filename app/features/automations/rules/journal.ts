// The journal of a run, and the next state of each row. One row per effect, written before and after each call, so that
// after a crash the journal tells what was done, what was not, and what is unknown.
import type { CommitResult, Effect, VerifyResult } from '#app/domain/automations/effect.ts'
import type { JournalRow, Try } from '#app/domain/automations/journal-row.ts'
import type { RunOutcome, StepState } from '#app/domain/automations/run.ts'
import { runReason } from '#app/domain/automations/run-reasons.ts'
import type { Reason } from '#app/domain/reason.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import type { Millis } from '#app/lib/clock.ts'
import { hours, minutes, seconds } from '#app/lib/duration.ts'

/** `errorClass` of rows with a reason of Fieldhook's own. Other rows carry the platform's classes. */
export const JOURNAL_CLASSES = {
  /** Waits for the platform's limit or for our own bucket; no later row may overtake it. */
  limit: 'limit',
  /** These three wait for a person to reconnect, to grant a permission, to pay. */
  reconnect: 'reconnect',
  scope: 'scope',
  suspended: 'suspended',
  /** Postponed by the quiet hours or a daily cap. */
  moved: 'moved',
  /** A person decides whether it is sent. */
  held: 'held',
  /** A guard kept a message from a customer. */
  guard: 'guard',
  /** Planning found nothing to do. */
  nothingToDo: 'nothing_to_do',
  /** What the step would write or say is empty in this record. */
  valueMissing: 'value_missing',
  /** A step or effect it depends on did not succeed. */
  previousFailed: 'previous_failed',
  cancelled: 'cancelled',
} as const

const BLOCKING: ReadonlySet<string | null> = new Set([
  JOURNAL_CLASSES.limit,
  JOURNAL_CLASSES.reconnect,
  JOURNAL_CLASSES.scope,
  JOURNAL_CLASSES.suspended,
])

/** The pause after each failed attempt. After the last one the row fails for good: 20 hours and 43 minutes in all. */
export const RETRY_GAPS: readonly number[] = [
  seconds(30),
  minutes(2),
  minutes(10),
  minutes(30),
  hours(2),
  hours(6),
  hours(12),
]

/** From this failed attempt on, 12 minutes after the first, it is told: a short hiccup is over by then. */
export const LASTING_FROM = 4
/** What may have been done is told after as long: while looking for it fails too, it is not tried again. */
export const LASTING_AFTER = minutes(12)

/** Between two checks while the account is not connected, lacks a permission or is suspended. */
export const BLOCKED_GAP = hours(1)

/** The longest an effect waits for limits, permissions or an answer to "was it done?"; then it fails. */
export const WAIT_AT_MOST = hours(48)

/** What to do with one row now. */
type RowNext =
  | { next: 'send' }
  /** The process stopped while sending: verify whether the effect was done. */
  | { next: 'verify' }
  /** The row has nothing to send, or words of hours ago, until it is planned again. */
  | { next: 'plan' }
  | { next: 'wait'; until: Millis; blocks: boolean }
  /** Waits for a person's decision. */
  | { next: 'ask' }
  /** A parent effect was not sent and never will be. */
  | { next: 'give_up' }
  /** A parent effect is not done yet. */
  | { next: 'after_sibling' }
  | { next: 'ended' }

/** `siblings` = all rows of the same step. */
export function rowNext(row: JournalRow, siblings: readonly JournalRow[], now: Millis): RowNext {
  const { nextAttemptAt: at } = row
  const wait: RowNext | null =
    at !== null && at > now ? { next: 'wait', until: at, blocks: BLOCKING.has(row.errorClass) } : null
  switch (row.state) {
    case 'sent':
    case 'skipped':
      return { next: 'ended' }
    case 'unknown':
    case 'held':
      return { next: 'ask' }
    case 'sending':
      // The receiver recognizes a repeated webhook by its key, and nothing can verify its arrival: send it again.
      return wait ?? { next: row.effect.class === 'webhook' ? 'send' : 'verify' }
    case 'failed':
      return at === null ? { next: 'ended' } : (wait ?? begin(row, siblings))
    case 'planned':
      return wait ?? begin(row, siblings)
    default:
      return assertNever(row.state)
  }
}

function begin(row: JournalRow, siblings: readonly JournalRow[]): RowNext {
  if (row.effect.kind === 'none' || (wasPutOff(row) && siblings.every(wasPutOff))) return { next: 'plan' }
  for (const index of parentsOf(row.effect)) {
    const parent = siblings.find((one) => one.itemKey === String(index))
    if (parent?.state === 'sent') continue
    return parent && isOpen(parent) ? { next: 'after_sibling' } : { next: 'give_up' }
  }
  return { next: 'send' }
}

/** Postponed before any attempt: its words are made anew when it goes. The store has the same condition. */
export function wasPutOff({ state, errorClass, attempt, sendingAt }: JournalRow): boolean {
  return state === 'planned' && errorClass === JOURNAL_CLASSES.moved && attempt === 0 && sendingAt === null
}

function parentsOf(effect: Effect): number[] {
  return 'parents' in effect && effect.parents ? Object.values(effect.parents) : []
}

/** Is something of the run planned or done? A row that waits until its step can be prepared is neither. */
export function hasBegun(journal: readonly JournalRow[]): boolean {
  return journal.some((row) => row.effect.kind !== 'none' || !isOpen(row))
}

/** Can the row still change? */
export function isOpen(row: JournalRow): boolean {
  switch (row.state) {
    case 'planned':
    case 'sending':
    case 'held':
    case 'unknown':
      return true
    case 'failed':
      return row.nextAttemptAt !== null
    case 'sent':
    case 'skipped':
      return false
    default:
      return assertNever(row.state)
  }
}

/** The new values of a row's columns after an attempt, a check or a plan. */
export interface RowChange
  extends Pick<JournalRow, 'state' | 'attempt' | 'errorClass' | 'sentence' | 'nextAttemptAt' | 'result'> {
  /** Null when there is nothing to add to the list of tries. */
  try: Omit<Try, 'at' | 'endedAt'> | null
}

/** The change after an attempt that has just ended. `row` is the row as it was marked before the call. */
export function afterCommit(row: JournalRow, answer: CommitResult, now: Millis): RowChange {
  const { sentence } = answer.outcome === 'sent' ? { sentence: null } : answer
  switch (answer.outcome) {
    case 'sent':
      return { ...ended(row, 'sent', null, null), result: answer.result, try: { outcome: 'sent', sentence: null } }
    case 'failed': {
      const at = answer.retry ? nextTry(row, now) : null
      return {
        ...ended(row, 'failed', answer.errorClass, answer.sentence),
        nextAttemptAt: at && Math.max(at, answer.notBefore ?? 0),
        try: { outcome: 'failed', sentence },
      }
    }
    case 'unknown':
      return { ...unclear(row, answer.sentence, now), try: { outcome: 'unknown', sentence } }
    case 'wait':
      return waiting(row, JOURNAL_CLASSES.limit, answer.sentence, answer.until, now)
    case 'blocked':
      return waiting(row, answer.errorClass, answer.sentence, now + BLOCKED_GAP, now)
    default:
      return assertNever(answer)
  }
}

/** The change after verifying. `again` = send (once more), as if the row were planned. */
export function afterVerify(row: JournalRow, answer: VerifyResult, now: Millis): RowChange | 'again' {
  const maySend = (sentence: Reason | null) =>
    row.attempt <= RETRY_GAPS.length
      ? ('again' as const)
      : ended(row, 'failed', 'not_done', sentence ?? runReason('never_done'))
  switch (answer.outcome) {
    case 'done':
      return { ...ended(row, 'sent', null, null), result: answer.result, try: { outcome: 'verified', sentence: null } }
    case 'not_done':
      // No trace is no proof: a message may still be on its way.
      return row.effect.class === 'customer' ? mayHaveBeenSent(row) : maySend(null)
    case 'unclear':
      switch (row.effect.class) {
        case 'set':
        case 'document':
        case 'staff':
        case 'webhook':
          return maySend(answer.sentence)
        case 'create':
          return ended(row, 'unknown', 'unclear', answer.sentence)
        case 'customer':
        case 'none':
          return mayHaveBeenSent(row)
        default:
          return assertNever(row.effect)
      }
    case 'later': {
      if (row.effect.class === 'customer') return mayHaveBeenSent(row)
      const since = row.sendingAt ?? row.plannedAt
      if (now - since > WAIT_AT_MOST) return ended(row, 'unknown', 'unclear', answer.sentence)
      const at = Math.max(now + seconds(1), answer.retryAt ?? now + gapAfter(row))
      return { ...ended(row, 'sending', 'unclear', answer.sentence), nextAttemptAt: at }
    }
    default:
      return assertNever(answer)
  }
}

/** Why a read failed. `retryAt` = a moment the platform named; it costs no attempt. */
export interface PutOff {
  errorClass: string
  sentence: Reason
  retryAt: Millis | null
}

/** The change when planning failed for now. */
export function afterPlanPutOff(
  row: Pick<JournalRow, 'attempt' | 'plannedAt'>,
  answer: PutOff,
  now: Millis,
): Omit<RowChange, 'result' | 'try'> {
  if (answer.retryAt !== null || BLOCKING.has(answer.errorClass)) {
    const until = answer.retryAt ?? now + BLOCKED_GAP
    const given = now - row.plannedAt > WAIT_AT_MOST
    return {
      state: given ? 'failed' : 'planned',
      attempt: row.attempt,
      errorClass: BLOCKING.has(answer.errorClass) ? answer.errorClass : JOURNAL_CLASSES.limit,
      sentence: answer.sentence,
      nextAttemptAt: given ? null : until,
    }
  }
  const attempt = row.attempt + 1
  return {
    state: 'failed',
    attempt,
    errorClass: answer.errorClass,
    sentence: answer.sentence,
    nextAttemptAt: nextTry({ attempt }, now),
  }
}

/** The change when a guard could not judge a planned message, just before it leaves. */
export function afterGuardPutOff(row: JournalRow, answer: PutOff, now: Millis): RowChange {
  const { retryAt, sentence } = answer
  const blocks = BLOCKING.has(answer.errorClass)
  if (retryAt === null && !blocks) return { ...afterPlanPutOff(row, answer, now), result: row.result, try: null }
  const errorClass = blocks ? answer.errorClass : JOURNAL_CLASSES.limit
  // No attempt had begun, so none is given back.
  return { ...waiting(row, errorClass, sentence, retryAt ?? now + BLOCKED_GAP, now), attempt: row.attempt }
}

function ended(row: JournalRow, state: StepState, errorClass: string | null, sentence: Reason | null): RowChange {
  return { state, attempt: row.attempt, errorClass, sentence, nextAttemptAt: null, result: row.result, try: null }
}

/** The request went out and its result is unknown. */
function unclear(row: JournalRow, sentence: Reason, now: Millis): RowChange {
  switch (row.effect.class) {
    case 'customer':
      return mayHaveBeenSent(row)
    case 'webhook': {
      const at = nextTry(row, now)
      return { ...ended(row, 'failed', 'unclear', sentence), nextAttemptAt: at }
    }
    case 'set':
    case 'create':
    case 'document':
    case 'staff': {
      const at = nextTry(row, now)
      if (at === null) return ended(row, 'unknown', 'unclear', sentence)
      return { ...ended(row, 'sending', 'unclear', sentence), nextAttemptAt: at }
    }
    case 'none':
      throw new Error('nothing was to be done, so nothing can be unclear')
    default:
      return assertNever(row.effect)
  }
}

function mayHaveBeenSent(row: JournalRow): RowChange {
  return ended(row, 'unknown', 'unclear', runReason('may_have_been_sent'))
}

/** Nothing was done, for a reason outside the effect: the attempt is not counted. */
function waiting(row: JournalRow, errorClass: string, sentence: Reason, until: Millis, now: Millis): RowChange {
  const since = waitsSince(row)
  if (since !== null && now - since > WAIT_AT_MOST) return ended(row, 'failed', errorClass, sentence)
  return {
    ...ended(row, 'planned', errorClass, sentence),
    attempt: Math.max(0, row.attempt - 1),
    nextAttemptAt: Math.max(until, now + seconds(1)),
    try: { outcome: 'wait', sentence },
  }
}

/** Null when the row waits for something else since: for the end of quiet hours, or for a person. */
function waitsSince(row: JournalRow): Millis | null {
  const last = row.tries.at(-1)
  return last?.outcome === 'wait' && BLOCKING.has(row.errorClass) ? last.at : null
}

const TRIES_KEPT = 20

/** The tries plus the one that has just ended. A wait that goes on is merged with the one before. */
export function triesAfter(row: JournalRow, change: RowChange, at: Millis, endedAt: Millis): Try[] {
  if (change.try === null) return row.tries
  const since = change.try.outcome === 'wait' ? waitsSince(row) : null
  const before = since === null ? row.tries : row.tries.slice(0, -1)
  return [...before, { ...change.try, at: since ?? at, endedAt }].slice(-TRIES_KEPT)
}

/** Null when no attempts are left. */
function nextTry({ attempt }: Pick<JournalRow, 'attempt'>, now: Millis): Millis | null {
  const gap = RETRY_GAPS[attempt - 1]
  return gap === undefined ? null : now + gap
}

function gapAfter(row: JournalRow): number {
  return RETRY_GAPS[Math.max(0, row.attempt - 1)] ?? hours(12)
}

/** Skipped on purpose, by a person, a guard or the plan; not after a failed step or a cancelled run. */
export function isDeliberate(row: JournalRow): boolean {
  return (
    row.state === 'skipped' &&
    row.errorClass !== JOURNAL_CLASSES.previousFailed &&
    row.errorClass !== JOURNAL_CLASSES.cancelled
  )
}

/**
 * success = everything was sent or skipped on purpose, partial = something was sent and something is missing, failure =
 * nothing was sent and something should have been, nothing = everything was skipped on purpose. What was left out after
 * another effect counts as that one does.
 */
export function outcomeOf(journal: readonly JournalRow[]): Exclude<RunOutcome, 'cancelled'> {
  const sent = journal.some((row) => row.state === 'sent')
  const { previousFailed } = JOURNAL_CLASSES
  const isAfter = ({ state, errorClass }: JournalRow) => state === 'skipped' && errorClass === previousFailed
  const wanting = journal.some((row) => row.state !== 'sent' && !isDeliberate(row) && !isAfter(row))
  if (wanting) return sent ? 'partial' : 'failure'
  return sent ? 'success' : 'nothing'
}
