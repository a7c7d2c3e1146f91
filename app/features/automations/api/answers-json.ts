// Answers of customers as the calls return them, and the query of the list.
import { z } from 'zod'
import { id, moment } from '#app/contract/operation.ts'
import { ANSWER_STATES, type Answer } from '#app/domain/automations/conversation.ts'
import { iso, isoOrNull } from '#app/lib/clock.ts'

export const ANSWERS_PAGE = 50
const MOST_ANSWERS = 200

const LIMIT_WANTED = `Must be a whole number from 1 to ${MOST_ANSWERS}`
const NO_PAGE = 'Must be the `next` of an answer'

export const answerState = z.enum(ANSWER_STATES, `Must be one of ${ANSWER_STATES.join(', ')}`)
export const answersLimit = z.int(LIMIT_WANTED).min(1, LIMIT_WANTED).max(MOST_ANSWERS, LIMIT_WANTED)

export const answerAnswer = z.object({
  id,
  jobUuid: z.string(),
  companyUuid: z.string().nullable(),
  channel: z.enum(['sms', 'email']),
  words: z.string().describe('As the customer wrote them, at most 2,000 characters.'),
  writtenAt: moment,
  seenAt: moment.describe('When Fieldhook read it.'),
  state: answerState.describe(
    '`open`: automatic messages to them wait. `went_on` and `stopped`: somebody decided. `muted`: they asked for silence. `rule`: an automation dealt with it.',
  ),
  settledAt: moment.nullable(),
  settledBy: z.string().nullable().describe('The colleague who decided, as far as known.'),
})

export const answersAnswer = z.object({
  answers: z.array(answerAnswer),
  next: id.nullable().describe('`before` of the next page; null = there are no more.'),
})

export const answerExample: z.output<typeof answerAnswer> = {
  id: 31,
  jobUuid: '9a1b7c3e-52d4-4f0b-8e61-3c7d2a9f5b18',
  companyUuid: null,
  channel: 'sms',
  words: 'Can you ring me first?',
  writtenAt: '2026-11-24T14:02:00.000Z',
  seenAt: '2026-11-24T14:05:10.000Z',
  state: 'open',
  settledAt: null,
  settledBy: null,
}

export function answerJson(answer: Answer): z.output<typeof answerAnswer> {
  const { jobUuid, companyUuid, channel, words, state, settledBy } = answer
  return {
    ...{ id: answer.id, jobUuid, companyUuid, channel, words },
    writtenAt: iso(answer.writtenAt),
    seenAt: iso(answer.seenAt),
    ...{ state, settledAt: isoOrNull(answer.settledAt), settledBy },
  }
}

/** The filters of the list; a refusal is the sentence for its field. */
export const answersQuery = z.object({
  state: answerState.nullable(),
  before: z.coerce.number(NO_PAGE).pipe(z.int(NO_PAGE).positive(NO_PAGE)).nullable(),
  limit: z.coerce.number(LIMIT_WANTED).pipe(answersLimit).nullable(),
})
