import { afterEach, beforeEach, expect, test } from 'vitest'
import { JOB, LONDON, openStage, STAFF, SYDNEY, type TestStage } from '../testing.server.ts'

let stage: TestStage
beforeEach(async () => {
  stage = await openStage()
})
afterEach(() => stage.stop())

const withKey = (key: string) => ({ 'x-api-key': key })

test('a key acts for its own account, with every right, until it is taken back', async () => {
  const key = stage.world.makeApiKey(SYDNEY)
  expect(key).toMatch(/^smk-[\w-]{20,}$/)
  expect(stage.world.apiKeys(SYDNEY)).toEqual([stage.clock.now()])
  const headers = withKey(key)
  expect((await stage.call(`/api_1.0/job/${JOB}.json`, { headers })).json()).toMatchObject({ uuid: JOB })
  expect((await stage.call(`/api_1.0/job/${JOB}.json`, { headers, json: { status: 'Completed' } })).status).toBe(200)
  const as = { ...headers, 'x-impersonate-uuid': STAFF }
  const sms = await stage.call('/platform_service_sms', { headers: as, json: { to: '+61491570006', message: 'Hi' } })
  expect(sms.json()).toMatchObject({ errorCode: 0, messageID: expect.stringMatching(/\S/) })
  const other = withKey(stage.world.makeApiKey(LONDON))
  expect((await stage.call(`/api_1.0/job/${JOB}.json`, { headers: other })).status).toBe(404)
  stage.world.removeApiKeys(SYDNEY)
  expect((await stage.call('/api_1.0/job.json', { headers })).status).toBe(401)
  expect((await stage.call('/api_1.0/job.json', { headers: withKey('smk-nobody') })).status).toBe(401)
  expect((await stage.call('/api_1.0/job.json', { headers: withKey('') })).status).toBe(401)
})

test('a private app subscribes without a challenge, and apart from the add-on', async () => {
  stage.answerChallenges(() => ({ status: 500 }))
  const headers = withKey(stage.world.makeApiKey(SYDNEY))
  const token = stage.token()
  const form = { event: 'job.created', callback_url: `${stage.origin}/in/n8n`, unique_id: 'n8n' }
  expect((await stage.call('/webhook_subscriptions/event', { headers, form })).json()).toEqual({ success: true })
  expect((await stage.call('/webhook_subscriptions/event', { token, form })).status).toBe(400)
  expect((await stage.call('/webhook_subscriptions', { headers })).json()).toMatchObject([{ event: 'job.created' }])
  expect((await stage.call('/webhook_subscriptions?status=all', { token })).json()).toEqual([])

  stage.world.addJob(SYDNEY, { status: 'Quote' })
  await stage.pass(1_000)
  expect(stage.hits.map((hit) => hit.path)).toEqual(['/in/n8n'])

  // The add-on's removal is nothing to a private app; taking back its key is.
  stage.world.removeAddon(SYDNEY)
  expect((await stage.call('/webhook_subscriptions', { headers })).json()).toHaveLength(1)
  stage.world.removeApiKeys(SYDNEY)
  expect(stage.world.subscriptions(SYDNEY).map((one) => one.active)).toEqual([false])
})

test('the calls of a private app do not use up those of the add-on', async () => {
  const headers = withKey(stage.world.makeApiKey(SYDNEY))
  stage.world.setOptions(SYDNEY, { perMinute: 1 })
  expect((await stage.call('/api_1.0/job.json', { headers })).status).toBe(200)
  expect((await stage.call('/api_1.0/job.json', { headers })).status).toBe(429)
  expect((await stage.call('/api_1.0/job.json', { token: stage.token() })).status).toBe(200)
})
