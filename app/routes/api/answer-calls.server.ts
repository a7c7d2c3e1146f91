// The calls about what customers answered.
import { z } from 'zod'
import { accountOfQuery, answered, idOfPath, ofQuery, type Reference } from '#app/contract/operation.ts'
import {
  ANSWERS_PAGE,
  answerAnswer,
  answerExample,
  answerJson,
  answerState,
  answersAnswer,
  answersLimit,
  answersQuery,
} from '#app/features/automations/api/answers-json.ts'
import { settleAnswer } from '#app/features/automations/listening/answers.server.ts'
import { parseRuleId } from '#app/features/automations/rules/rule-form.ts'
import { type Call, defineCall } from '#app/http/calls/define-call.server.ts'
import { invalid, notFound, problem } from '#app/http/respond.ts'

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
