// The calls about what customers answered.
import { z } from 'zod'
import { accountOfQuery, answered, id, idOfPath, moment, ofQuery, type Reference } from '#app/contract/operation.ts'
import { ANSWER_STATES, type Answer } from '#app/domain/automations/conversation.ts'
import { settleAnswer } from '#app/features/automations/listening/answers.server.ts'
import { parseRuleId } from '#app/features/automations/rules/rule-form.ts'
import { type Call, defineCall } from '#app/http/calls/define-call.server.ts'
import { invalid, notFound, problem } from '#app/http/respond.ts'
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

const decided = z.object({ messages: z.int().describe('Messages that waited because of it, and of older answers.') })

export const answerCalls: Reference<Call> = {
  tags: [],
  schemas: { CustomerAnswer: answerAnswer },
  operations: [
    defineCall({
      id: 'listAnswers',
      method: 'GET',
      path: 'api/answers',
      tag: 'Automations',
      summary: 'Lists what customers answered to automations, newest first',
      description: ['Fieldhook reads answers about a job for 14 days after its last automatic message.'],
      who: 'session',
      parameters: [
        accountOfQuery,
        ofQuery('state', answerState, 'Only these.'),
        ofQuery('before', z.int().positive(), 'The `next` of an answer.'),
        ofQuery('limit', answersLimit, `How many, ${ANSWERS_PAGE} unless it says otherwise.`),
      ],
      answers: [answered(200, 'A page of them.', answersAnswer, { answers: [answerExample], next: null })],
      handle: async ({ app, query, access: { accountUuid } }) => {
        const given = (name: string) => query.get(name) || null
        const read = answersQuery.safeParse({ state: given('state'), before: given('before'), limit: given('limit') })
        if (!read.success) return invalid(read.error.issues)
        const { state, before, limit: asked } = read.data
        const limit = asked ?? ANSWERS_PAGE
        const found = await app.store.listening.listAnswers(accountUuid, state && [state], limit + 1, before)
        const answers = found.slice(0, limit)
        return { answers: answers.map(answerJson), next: found.length > limit ? (answers.at(-1)?.id ?? null) : null }
      },
    }),
    ...(['go-on', 'stop'] as const).map(decision),
  ],
}

function decision(act: 'go-on' | 'stop'): Call {
  const goesOn = act === 'go-on'
  return defineCall({
    id: goesOn ? 'goOnAfterAnswer' : 'stopAfterAnswer',
    method: 'POST',
    path: `api/answers/:id/${act}`,
    tag: 'Automations',
    summary: goesOn
      ? 'Sends the messages that wait because of an answer'
      : 'Leaves out the messages that wait because of an answer',
    description: [
      'Older open answers of the same customer are settled with it.',
      goesOn ? 'Later automatic messages are sent again, too.' : 'Later automatic messages are sent again.',
    ],
    who: 'session',
    parameters: [idOfPath('answer', 'The id of the answer.'), accountOfQuery],
    answers: [answered(200, 'It is settled.', decided, { messages: 1 })],
    refusals: { 409: 'It is settled already.' },
    limit: { perMinute: 60, per: 'account' },
    handle: async ({ app, params, access: { accountUuid, staffUuid } }) => {
      const id = parseRuleId(params.id)
      const [found] = id === null ? [] : await app.store.listening.listAnswers(accountUuid, null, 1, id + 1)
      if (id === null || found?.id !== id) return notFound()
      const settled = await settleAnswer(app, accountUuid, id, goesOn ? 'went_on' : 'stopped', staffUuid)
      if (settled.outcome === 'not_open') return problem(409, 'This answer is settled already.')
      return { messages: settled.messages }
    },
  })
}
