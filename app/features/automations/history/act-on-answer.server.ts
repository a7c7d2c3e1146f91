// The buttons about answers of customers, each with its toast.
import type { App } from '#app/context/app-context.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import type { Flash } from '#app/lib/flash.ts'
import { settleAnswer } from '../listening/answers.server.ts'
import { parseRuleId } from '../rules/rule-form.ts'
import { ANSWER_FLASHES, answerSettledFlash } from './history-text.ts'

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
