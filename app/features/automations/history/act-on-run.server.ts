// Handles the buttons of the history, each with its toast.
import type { App } from '#app/context/app-context.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import type { Flash } from '#app/lib/flash.ts'
import { settleAnswer } from '../listening/answers.server.ts'
import { parseRuleId } from '../rules/rule-form.ts'
import { ANSWER_FLASHES, answerSettledFlash, RUN_FLASHES as SAYS, settledHeldFlash } from './history-text.ts'
import {
  cancelRun,
  type RanAgain,
  releaseRuns,
  rerunFailed,
  runAllAgain,
  settleHeldRuns,
  settleUnknown,
} from './run-again.server.ts'

type ActApp = Pick<App, 'store' | 'clock' | 'log' | 'secrets' | 'wakeRuns'>

export const RUN_ACTS = [
  'failed_again',
  'all_again',
  'today',
  'release',
  'discard',
  'cancel',
  'went_out',
  'send_it',
  'release_all',
  'discard_all',
] as const

/** `runId` = the run to show next; null = stay on the page. */
interface RunActed {
  flash: Flash
  runId: number | null
}

/** `form`: `act`; `run` (a run's id); for a message `step` and `item`; for all held runs `rule`. */
export async function actOnRun(app: ActApp, accountUuid: string, form: URLSearchParams): Promise<RunActed> {
  const act = RUN_ACTS.find((one) => one === form.get('act'))
  const isOfRule = act === 'release_all' || act === 'discard_all'
  const id = parseRuleId(form.get(isOfRule ? 'rule' : 'run') ?? '')
  if (act === undefined || id === null) return stay(SAYS.gone)
  switch (act) {
    case 'release_all':
      return stay(settledHeldFlash('send', await settleHeldRuns(app, accountUuid, id, 'send')))
    case 'discard_all':
      return stay(settledHeldFlash('discard', await settleHeldRuns(app, accountUuid, id, 'discard')))
    case 'failed_again': {
      const { outcome } = await rerunFailed(app, accountUuid, id)
      return stay({ again: SAYS.failedAgain, nothing_failed: SAYS.nothingFailed, not_found: SAYS.gone }[outcome])
    }
    case 'all_again':
      return ranAgain(await runAllAgain(app, accountUuid, id, { today: false }))
    case 'today':
      return ranAgain(await runAllAgain(app, accountUuid, id, { today: true }))
    case 'release':
      return stay((await releaseRuns(app, accountUuid, [id])) === 1 ? SAYS.released : SAYS.notHeld)
    case 'discard':
      return cancelled(await cancelRun(app, accountUuid, id, { discarded: true }), SAYS.discarded)
    case 'cancel':
      return cancelled(await cancelRun(app, accountUuid, id, { discarded: false }), SAYS.cancelled)
    case 'went_out':
      return settled(await settleUnknown(app, accountUuid, id, messageOf(form), 'went_out'), SAYS.wentOut)
    case 'send_it':
      return settled(await settleUnknown(app, accountUuid, id, messageOf(form), 'send'), SAYS.sendIt)
    default:
      return assertNever(act)
  }
}

function messageOf(form: URLSearchParams): { stepId: string; itemKey: string } {
  return { stepId: form.get('step') ?? '', itemKey: form.get('item') ?? '' }
}

function cancelled({ outcome }: Awaited<ReturnType<typeof cancelRun>>, done: Flash): RunActed {
  const says = { cancelled: done, cancelling: SAYS.cancelling, done_already: SAYS.doneAlready, not_found: SAYS.gone }
  return stay(says[outcome])
}

function settled({ outcome }: Awaited<ReturnType<typeof settleUnknown>>, done: Flash): RunActed {
  const undone = { stays_cancelled: SAYS.staysCancelled, not_open: SAYS.settledAlready, not_found: SAYS.gone }
  return stay({ settled: done, ...undone }[outcome])
}

function ranAgain(ran: RanAgain): RunActed {
  switch (ran.outcome) {
    case 'started':
      return { flash: SAYS.allAgain, runId: ran.runId }
    case 'repeated':
      return { flash: SAYS.repeated, runId: ran.runId }
    case 'rule_deleted':
      return stay(SAYS.ruleDeleted)
    case 'not_found':
      return stay(SAYS.gone)
    default:
      return assertNever(ran)
  }
}

function stay(flash: Flash): RunActed {
  return { flash, runId: null }
}

// The buttons about answers of customers, each with its toast.

const ANSWER_ACTS = ['answer_go_on', 'answer_stop', 'listening_read'] as const
type AnswerAct = (typeof ANSWER_ACTS)[number]

export function readAnswerAct(act: string | null): AnswerAct | null {
  return ANSWER_ACTS.find((one) => one === act) ?? null
}

/** `form`: `answer` (its id). `staffUuid` = who pressed, as far as the session knows. */
export async function actOnAnswer(
  app: Pick<App, 'store' | 'clock' | 'log' | 'wakeRuns'>,
  accountUuid: string,
  act: AnswerAct,
  form: URLSearchParams,
  staffUuid: string | null,
): Promise<Flash> {
  if (act === 'listening_read') {
    await app.store.listening.dismissListening(accountUuid, app.clock.now())
    return ANSWER_FLASHES.noted
  }
  const id = parseRuleId(form.get('answer') ?? '')
  if (id === null) return ANSWER_FLASHES.notOpen
  switch (act) {
    case 'answer_go_on':
      return answerSettledFlash('went_on', await settleAnswer(app, accountUuid, id, 'went_on', staffUuid))
    case 'answer_stop':
      return answerSettledFlash('stopped', await settleAnswer(app, accountUuid, id, 'stopped', staffUuid))
    default:
      return assertNever(act)
  }
}
