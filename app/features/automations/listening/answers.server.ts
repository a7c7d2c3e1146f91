// What customers answered, for the page, and what a person decides about it.
import type { App } from '#app/context/app-context.ts'
import { CONVERSATION_OPEN } from '#app/domain/automations/receipt.ts'
import { runReason } from '#app/domain/automations/run-reasons.ts'
import { recordNames } from '#app/domain/record-name.ts'
import { type AnswerView, type ListeningNote, listeningNoteOf } from './answers.ts'

type AnswersApp = Pick<App, 'store' | 'clock'>

const MOST_SHOWN = 20

export async function loadAnswers(
  app: AnswersApp,
  accountUuid: string,
): Promise<{ answers: AnswerView[]; moreAnswers: boolean; listening: ListeningNote }> {
  // An old one holds nothing new: it is shown while a message is held for it.
  const since = app.clock.now() - CONVERSATION_OPEN
  const open = await app.store.listening.listAnswers(accountUuid, ['open'], MOST_SHOWN + 1, null, since)
  const shown = open.slice(0, MOST_SHOWN)
  const asked = shown.map(({ jobUuid }) => ({ object: 'job', recordUuid: jobUuid }))
  const names = asked.length === 0 ? new Map() : recordNames(await app.store.records.knownOf(accountUuid, asked))
  return {
    answers: shown.map(({ id, jobUuid, channel, words, writtenAt }) => {
      const { job = '', customer = '' } = names.get(jobUuid) ?? {}
      return { id, customer, job: job === '' ? 'A job' : `Job ${job}`, channel, words, writtenAt }
    }),
    moreAnswers: open.length > MOST_SHOWN,
    listening: await listeningNote(app, accountUuid),
  }
}

/** Why answers of this account's customers cannot be read; null = they can, or nobody knows yet. */
export async function listeningNote({ store }: Pick<App, 'store'>, accountUuid: string): Promise<ListeningNote> {
  return listeningNoteOf(await store.listening.findListening(accountUuid))
}

export type SettledAnswer = { outcome: 'settled'; messages: number } | { outcome: 'not_open' }

/** `went_on`: what waits for this customer goes on. `stopped`: it is left out. Older answers of theirs are settled too. */
export async function settleAnswer(
  app: AnswersApp & Pick<App, 'log' | 'wakeRuns'>,
  accountUuid: string,
  id: number,
  state: 'went_on' | 'stopped',
  staffUuid: string | null,
): Promise<SettledAnswer> {
  const input = { state, by: staffUuid, reason: runReason('stopped_after_answer'), at: app.clock.now() }
  const settled = await app.store.listening.settleAnswer(accountUuid, id, input)
  app.log.info({ account: accountUuid, answer: id, state, staff: staffUuid, ...settled }, 'answer.settled')
  if (settled === null) return { outcome: 'not_open' }
  app.wakeRuns()
  return { outcome: 'settled', ...settled }
}
