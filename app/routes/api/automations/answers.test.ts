import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadAnswers } from '#app/features/automations/listening/answers.server.ts'
import { hours } from '#app/lib/duration.ts'
import { apiRoute } from '#tests/support/api-route.ts'
import { type AutomationCalls, automationCalls } from '#tests/support/automation-calls.server.ts'
import { BRISBANE, LEEDS } from '#tests/support/automation-world.server.ts'
import type { Call } from '#tests/support/webhook-calls.server.ts'

const answers = apiRoute('api/answers')
const goOn = apiRoute('api/answers/:id/go-on')
const stop = apiRoute('api/answers/:id/stop')

let calls: AutomationCalls
beforeEach(async () => {
  calls = await automationCalls()
})
afterEach(() => calls.close())

const list = (query = '', call: Call = {}, account = LEEDS) =>
  calls.call(answers, `/api/answers?accountUUID=${account}${query}`, call)
const decide = (route: typeof goOn, act: string, id: number | string, call: Call = {}) =>
  calls.call(route, `/api/answers/${id}/${act}?accountUUID=${LEEDS}`, {
    method: 'POST',
    params: { id: String(id) },
    ...call,
  })

/** An automation wrote about the job, and its customer answered. */
async function answered(words: string, state: 'open' | 'muted' = 'open', accountUuid = LEEDS): Promise<void> {
  const { store, clock } = calls.world
  const jobUuid = randomUUID()
  const now = clock.now()
  calls.world.rows(
    `INSERT INTO conversation (account_uuid, job_uuid, channel, company_uuid, opened_at, last_message_at, looked_at, tries, next_look_at)
     VALUES (?, ?, 'sms', NULL, ?, ?, NULL, 0, ?) RETURNING job_uuid`,
    ...[accountUuid, jobUuid, now - hours(1), now - hours(1), now],
  )
  const [conversation] = (await store.listening.dueConversations(now, { limit: 50, perAccount: 50 })).filter(
    (one) => one.jobUuid === jobUuid,
  )
  if (!conversation) throw new Error('no conversation')
  const [historyUuid, tellUuid] = [randomUUID(), randomUUID()]
  await store.listening.settleLook(conversation, {
    ...{ at: now, nextLookAt: now + hours(1), receipts: [], mute: null, wake: [], hasInbound: true },
    answers: [{ historyUuid, words, writtenAt: now, senderHash: '', state, tellUuid }],
  })
}

test('the page shows twenty that wait for a decision, and says when there are more', async () => {
  for (let n = 1; n <= 20; n++) await answered(`answer ${n}`)
  const { app } = calls
  expect(await loadAnswers(app, LEEDS)).toMatchObject({ moreAnswers: false })
  await answered('answer 21')
  const { answers: shown, moreAnswers } = await loadAnswers(app, LEEDS)
  expect([shown.length, shown[0]?.words, moreAnswers]).toEqual([20, 'answer 21', true])
})

test('pages of answers, newest first, by state, and of no other account', async () => {
  for (const words of ['one', 'two', 'three']) await answered(words)
  await answered('STOP', 'muted')
  await answered('theirs', 'open', BRISBANE)
  const first = await list('&limit=2')
  expect(first.json).toMatchObject({
    answers: [
      { words: 'STOP', state: 'muted', channel: 'sms', settledAt: expect.any(String) },
      { words: 'three', state: 'open', settledAt: null },
    ],
    next: expect.any(Number),
  })
  const rest = await list(`&limit=2&before=${first.json.next}`)
  expect(rest.json).toMatchObject({ answers: [{ words: 'two' }, { words: 'one' }], next: null })
  const open = await list('&state=open')
  expect(open.json.answers).toHaveLength(3)
  expect((await list('', { as: BRISBANE })).status).toBe(404)
  expect((await list('', { as: null })).status).toBe(401)
})

test.each([
  ['&limit=0', 'limit', 'Must be a whole number from 1 to 200'],
  ['&limit=201', 'limit', 'Must be a whole number from 1 to 200'],
  ['&limit=x', 'limit', 'Must be a whole number from 1 to 200'],
  ['&before=x', 'before', 'Must be the `next` of an answer'],
  ['&before=1.5', 'before', 'Must be the `next` of an answer'],
  ['&state=closed', 'state', 'Must be one of open, went_on, stopped, muted, rule'],
  ['&stat=open', 'stat', 'There is no such filter'],
])('%s is refused', async (query, field, sentence) => {
  expect(await list(query)).toMatchObject({
    status: 400,
    json: { message: expect.stringContaining(sentence), errors: { [field]: [sentence] } },
  })
})

test('the account may be spelt as the reference says', async () => {
  expect((await calls.call(answers, `/api/answers?accountuuid=${LEEDS}&state=`)).status).toBe(200)
})

test('an answer is settled once, with the older ones, by its own account only', async () => {
  await answered('first')
  await answered('second')
  const [second, first] = (await list()).json.answers
  expect((await decide(stop, 'stop', second.id, { as: BRISBANE })).status).toBe(404)
  expect((await decide(stop, 'stop', 999)).status).toBe(404)
  expect((await decide(stop, 'stop', 'x')).status).toBe(404)
  expect(await decide(stop, 'stop', second.id)).toMatchObject({ status: 200, json: { messages: 0 } })
  expect((await decide(goOn, 'go-on', second.id)).status).toBe(409)
  expect(await decide(goOn, 'go-on', first.id)).toMatchObject({ status: 200, json: { messages: 0 } })
  const states = (await list()).json.answers.map(({ state }: { state: string }) => state)
  expect(states).toEqual(['stopped', 'went_on'])
})
