// What the buttons of the history do, each with the message that is shown afterwards.
import type { App } from '#app/context/app-context.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import type { Flash } from '#app/lib/flash.ts'
import { parseRuleId } from '../rules/rule-form.ts'
import { RUN_FLASHES as SAYS, settledHeldFlash } from './history-words.ts'
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

/** `runId` = the run to show next; null = the page it was pressed on. */
interface RunActed {
  flash: Flash
  runId: number | null
}

/** `form`: `act`; `run` (a run's id); for a message `step` and `item`; for all held runs `rule`. */
export async function actOnRun(app: ActApp, accountUuid: string, form: URLSearchParams): Promise<RunActed> {
  const act = RUN_ACTS.find((one) => one === form.get('act'))
  if (act === undefined) return stay(SAYS.gone)
  if (act === 'release_all' || act === 'discard_all') {
    const ruleId = parseRuleId(form.get('rule') ?? '')
    if (ruleId === null) return stay(SAYS.gone)
    const decision = act === 'release_all' ? 'send' : 'discard'
    return stay(settledHeldFlash(decision, await settleHeldRuns(app, accountUuid, ruleId, decision)))
  }
  const runId = parseRuleId(form.get('run') ?? '')
  if (runId === null) return stay(SAYS.gone)
  switch (act) {
    case 'failed_again': {
      const { outcome } = await rerunFailed(app, accountUuid, runId)
      return stay({ again: SAYS.failedAgain, nothing_failed: SAYS.nothingFailed, not_found: SAYS.gone }[outcome])
    }
    case 'all_again':
    case 'today':
      return ranAgain(await runAllAgain(app, accountUuid, runId, { today: act === 'today' }))
    case 'release':
      return stay((await releaseRuns(app, accountUuid, [runId])) === 1 ? SAYS.released : SAYS.notHeld)
    case 'discard':
    case 'cancel': {
      const { outcome } = await cancelRun(app, accountUuid, runId, { discarded: act === 'discard' })
      const done = act === 'discard' ? SAYS.discarded : SAYS.cancelled
      return stay(
        { cancelled: done, cancelling: SAYS.cancelling, done_already: SAYS.doneAlready, not_found: SAYS.gone }[outcome],
      )
    }
    case 'went_out':
    case 'send_it': {
      const row = { stepId: form.get('step') ?? '', itemKey: form.get('item') ?? '' }
      const { outcome } = await settleUnknown(app, accountUuid, runId, row, act === 'went_out' ? 'went_out' : 'send')
      const done = act === 'went_out' ? SAYS.wentOut : SAYS.sendIt
      return stay({ settled: done, not_open: SAYS.settledAlready, not_found: SAYS.gone }[outcome])
    }
    default:
      return assertNever(act)
  }
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
