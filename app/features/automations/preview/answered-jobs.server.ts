// The jobs whose customers answered in the last 30 days, for the backtest of a rule that starts on answers.
import type { CallFailure, PlatformRecord } from '#app/adapters/platform.ts'
import type { App } from '#app/context/app-context.ts'
import type { Answer } from '#app/domain/automations/conversation.ts'
import type { Draft } from '../form/form-check.ts'
import { asText } from '../records/changes.ts'
import type { JudgedAt } from '../records/facts.ts'
import type { Reads } from '../records/remembered-reads.server.ts'
import { replyMatches, saysStop } from '../rules/reply.ts'
import { sinceOf } from './preview-records.server.ts'

/** The latest answer that fits, by job. */
export type Answered = ReadonlyMap<string, Answer>

const MOST_ANSWERS = 1_000
/** Each job is one call. */
const MOST_JOBS = 20

export async function matchingAnswers(
  app: Pick<App, 'store'>,
  accountUuid: string,
  { definition: { trigger } }: Draft,
  at: JudgedAt,
): Promise<Answered> {
  const answered = new Map<string, Answer>()
  if (trigger.source !== 'webhook') return answered
  for (const answer of await app.store.listening.answersSince(accountUuid, sinceOf(at.now), MOST_ANSWERS)) {
    const { jobUuid, words } = answer
    const fits = (trigger.jobUuid ?? jobUuid).toLowerCase() === jobUuid.toLowerCase()
    if (fits && !answered.has(jobUuid) && !saysStop(words) && replyMatches(trigger.reply, words)) {
      answered.set(jobUuid, answer)
    }
  }
  return answered
}

/** Jobs that ServiceM8 no longer has are left out. `complete` = every job was looked at. */
export async function jobsAnswered(
  reads: Reads,
  accountUuid: string,
  answered: Answered,
): Promise<
  | { outcome: 'ok'; records: PlatformRecord[]; complete: boolean; all: boolean }
  | { outcome: 'failed'; failure: CallFailure }
> {
  const records: PlatformRecord[] = []
  for (const jobUuid of [...answered.keys()].slice(0, MOST_JOBS)) {
    const read = await reads.callAsAccount(accountUuid, (api, token) => api.read(token, 'job', jobUuid))
    if (read.outcome === 'refused' && read.status === 404) continue
    if (read.outcome !== 'ok') return { outcome: 'failed', failure: read }
    if (asText(read.value.active) !== '0') records.push(read.value)
  }
  return { outcome: 'ok', records, complete: answered.size <= MOST_JOBS, all: false }
}
