import { jwtVerify } from 'jose'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { COMPANY, JOB, openStage, STAFF, SYDNEY, type TestStage } from '../testing.server.ts'

let stage: TestStage
beforeEach(async () => {
  stage = await openStage()
})
afterEach(() => stage.stop())

const KEY = new TextEncoder().encode('secret-1')

async function claimsOf(jwt: string) {
  return (await jwtVerify(jwt, KEY, { algorithms: ['HS256'], currentDate: new Date(stage.clock.now()) })).payload
}

test('an opening is signed with the app secret and names account, person and job', async () => {
  const { jwt, postTo } = await stage.world.signOpening(SYDNEY, {
    event: 'show_job',
    jobUuid: JOB,
    companyUuid: COMPANY,
  })
  expect(postTo).toBe(`${stage.origin}/hooks/servicem8`)
  expect(await claimsOf(jwt)).toMatchObject({
    eventVersion: '1.0',
    eventName: 'show_job',
    auth: { accountUUID: SYDNEY, staffUUID: STAFF },
    eventArgs: { jobUUID: JOB, companyUUID: COMPANY },
  })
})

test('a connected account gets a short access token along that works', async () => {
  const before = await claimsOf((await stage.world.signOpening(SYDNEY)).jwt)
  expect(before.auth).not.toHaveProperty('accessToken')
  stage.world.grant(SYDNEY, 'vendor')
  const { auth } = (await claimsOf((await stage.world.signOpening(SYDNEY)).jwt)) as {
    auth: { accessToken: string; accessTokenExpiry: number }
  }
  expect(auth.accessTokenExpiry).toBe(900)
  expect((await stage.call('/api_1.0/vendor.json', { token: auth.accessToken })).status).toBe(200)
})

test('the platform posts the bare token and hands on what the add-on answered', async () => {
  stage.answerWith(() => ({ status: 200, body: '<h1>Hello</h1>' }))
  const answer = await stage.world.postOpening(SYDNEY, { jobUuid: JOB })
  expect(answer).toMatchObject({ status: 200, body: '<h1>Hello</h1>', error: '' })
  expect(stage.hits[0]).toMatchObject({
    path: '/hooks/servicem8',
    body: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
  })
})

test('a manifest webhook arrives signed, with the account inside', async () => {
  stage.world.setOptions(SYDNEY, { manifestWebhooks: [{ object: 'job', fields: ['status'] }] })
  stage.world.setJobStatus(SYDNEY, JOB, 'Completed')
  await stage.world.settled()
  expect(stage.hits.map((hit) => hit.path)).toEqual(['/hooks/servicem8'])
  expect(await claimsOf(stage.hits[0]?.body ?? '')).toMatchObject({
    eventName: 'webhook_subscription',
    auth: { accountUUID: SYDNEY },
    eventArgs: { object: 'job', entry: [{ uuid: JOB, changed_fields: ['status'] }] },
  })
})
