import { afterEach, beforeEach, expect, test } from 'vitest'
import { days, minutes } from '#app/lib/duration.ts'
import { JOB, LONDON, openStage, SYDNEY, type TestStage } from '../testing.server.ts'
import { faultOfHeader, pathMatches } from './faults.ts'
import { countCall, noCalls } from './limits.ts'

let stage: TestStage
let token: string
beforeEach(async () => {
  stage = await openStage()
  token = stage.token()
})
afterEach(() => stage.stop())

const jobs = (headers: Record<string, string> = {}) => stage.call('/api_1.0/job.json', { token, headers })

test('the call after the last of a minute gets plain text, and the next minute begins anew', async () => {
  stage.world.setOptions(SYDNEY, { perMinute: 3 })
  for (let call = 0; call < 3; call++) expect((await jobs()).status).toBe(200)
  const refused = await jobs()
  expect([refused.status, refused.text]).toEqual([429, 'Number of allowed API requests per minute exceeded'])
  expect(refused.headers.get('content-type')).toContain('text/plain')
  expect(refused.headers.get('retry-after')).toBeNull()
  const other = stage.token(undefined, LONDON)
  expect((await stage.call('/api_1.0/job.json', { token: other })).status).toBe(200)
  stage.clock.advance(minutes(1))
  expect((await jobs()).status).toBe(200)
})

test('limits are 180 a minute and 20,000 a day of the account', () => {
  const count = noCalls()
  const limits = stage.world.options(SYDNEY)
  const at = Date.UTC(2026, 0, 5, 9)
  const call = (ms: number) => countCall(count, at + ms, 'Australia/Sydney', limits)
  for (let number = 0; number < 180; number++) expect(call(0)).toBe('ok')
  expect(call(59_999)).toBe('minute')
  for (let number = 180; number < 20_000; number++) call(minutes(1) + Math.floor(number / 180) * minutes(1))
  expect(call(minutes(200))).toBe('day')
  // Midnight in Sydney is at 13:00 UTC.
  expect(call(minutes(4 * 60 - 1))).toBe('day')
  expect(call(minutes(4 * 60))).toBe('ok')
  expect(call(days(1))).toBe('ok')
})

test('an unpaid account answers 402, one that insists on https 426', async () => {
  stage.world.setOptions(SYDNEY, { unpaid: true })
  expect((await jobs()).json()).toMatchObject({ errorCode: 402 })
  stage.world.setOptions(SYDNEY, { unpaid: false, insistOnHttps: true })
  expect((await jobs()).json()).toMatchObject({ errorCode: 426 })
})

test('a rule spoils the next calls to its path, then is used up', async () => {
  stage.world.addFault({
    accountUuid: SYDNEY,
    path: '/api_1.0/job*',
    effect: { kind: 'status', status: 503 },
    times: 2,
  })
  expect((await stage.call('/api_1.0/vendor.json', { token })).status).toBe(200)
  expect((await jobs()).status).toBe(503)
  expect((await stage.call(`/api_1.0/job/${JOB}.json`, { token })).headers.get('content-type')).toContain('html')
  expect((await jobs()).status).toBe(200)
  expect(stage.world.faults()).toEqual([])
})

test('a rule of one account leaves the other alone', async () => {
  stage.world.addFault({ accountUuid: LONDON, effect: { kind: 'status', status: 500 } })
  expect((await jobs()).status).toBe(200)
  stage.world.clearFaults(LONDON)
  expect(stage.world.faults()).toEqual([])
})

test('a refresh can be spoiled, and its answer lost after the token was replaced', async () => {
  const tokens = stage.world.grant(SYDNEY, 'vendor')
  const form = {
    client_id: 'app-1',
    client_secret: 'secret-1',
    grant_type: 'refresh_token',
    refresh_token: tokens.refresh_token,
  }
  stage.world.addFault({ accountUuid: SYDNEY, path: '/oauth/access_token', effect: { kind: 'status', status: 500 } })
  expect((await stage.call('/oauth/access_token', { form })).status).toBe(500)
  stage.world.addFault({ accountUuid: SYDNEY, path: '/oauth/access_token', effect: { kind: 'lose_answer' } })
  await expect(stage.call('/oauth/access_token', { form })).rejects.toThrow('fetch failed')
  expect((await stage.call('/oauth/access_token', { form })).json()).toMatchObject({ error: 'invalid_grant' })
})

test('a lost answer has had its effect, a dropped call has not', async () => {
  const json = { status: 'Completed' }
  const call = (fault: string) =>
    stage.call(`/api_1.0/job/${JOB}.json`, { token, json, headers: { 'x-sandbox-fault': fault } })
  const status = () => stage.world.findRecord(SYDNEY, 'job', JOB)?.status
  await expect(call('drop')).rejects.toThrow('fetch failed')
  expect(status()).toBe('Quote')
  await expect(call('lose_answer')).rejects.toThrow('fetch failed')
  expect(status()).toBe('Completed')
})

test('a call can be answered late or never', async () => {
  expect((await jobs({ 'x-sandbox-fault': 'delay=20' })).status).toBe(200)
  const hanging = fetch(`${stage.sandbox.apiUrl}/api_1.0/job.json`, {
    headers: { 'x-sandbox-fault': 'hang' },
    signal: AbortSignal.timeout(200),
  })
  await expect(hanging).rejects.toThrow(/timeout/i)
})

test.each([
  [400, 'json'],
  [401, 'json'],
  [402, 'json'],
  [403, 'json'],
  [404, 'json'],
  [409, 'json'],
  [426, 'json'],
  [429, 'text/plain'],
  [500, 'html'],
  [503, 'html'],
])('the header brings a %i as %s', async (status, type) => {
  const answer = await jobs({ 'x-sandbox-fault': `status=${status}` })
  expect(answer.status).toBe(status)
  expect(answer.headers.get('content-type')).toContain(type)
})

test('faults are read from their words', () => {
  expect(faultOfHeader('lose-answer')).toEqual({ kind: 'lose_answer' })
  expect(faultOfHeader('status=999')).toBeNull()
  expect(faultOfHeader('delay=-1')).toBeNull()
  expect(faultOfHeader('')).toBeNull()
})

test.each([
  ['*', '/anything', true],
  ['/api_1.0/job*', '/api_1.0/job.json', true],
  ['/api_1.0/job*', '/api_1.0/company.json', false],
  ['*/job/*.json', '/api_1.0/Job/1.json', true],
  ['/a*a', '/a', false],
  ['/exact', '/exact', true],
  ['/exact', '/exactly', false],
])('the pattern %s on %s is %s', (pattern, path, expected) => {
  expect(pathMatches(pattern, path)).toBe(expected)
})
