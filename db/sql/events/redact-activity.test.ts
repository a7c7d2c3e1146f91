import { expect, test } from 'vitest'
import type { NewApiActivity } from '../../store/activity.ts'
import { HIDDEN, redactActivity, redactText } from './redact-activity.ts'

const CANARY = 'canary-7f3a9c51d2e84b60'

const ACTIVITY: NewApiActivity = {
  accountUuid: 'a-1',
  activityType: 'api_call',
  endpoint: '/api_1.0/vendor.json',
  method: 'GET',
  requestData: null,
  responseData: null,
  statusCode: 200,
  userAgent: null,
  remoteIp: null,
  durationMs: 12,
}

test.each([
  `{"access_token":"${CANARY}","expires_in":3600}`,
  `{"refresh_token": "${CANARY}"}`,
  `{"client_secret":"a\\"${CANARY}"}`,
  `{"auth":{"accessToken":"${CANARY}"}}`,
  `{"Authorization":"Bearer ${CANARY}"}`,
  `authorization: Bearer ${CANARY}`,
  `Cookie: sid=${CANARY}`,
  `Bearer ${CANARY}`,
  `grant_type=refresh_token&refresh_token=${CANARY}&client_id=1`,
  `client_secret=${CANARY}`,
  `/oauth/callback?code=${CANARY}&state=${CANARY}`,
  `https://x.example.com/a?api_key=${CANARY}#x`,
  `https://hooks.example.com/hooks/platform/${CANARY}`,
  `callback_url=https%3A%2F%2Fhooks.example.com%2Fhooks%2Fplatform%2F${CANARY}&object=job`,
  `{"message":"Your invoice: https://hooks.example.com/documents/v1.k1.${CANARY}.x"}`,
  `message=https%3A%2F%2Fhooks.example.com%2Fdocuments%2Fv1.k1.${CANARY}&to=1`,
  `eyJhbGciOiJIUzI1NiJ9.eyJhIjoi${CANARY}In0.${CANARY}`,
  `whsec_${CANARY}`,
  `smk-${CANARY}`,
  `sk_live_${CANARY}`,
  `{"token":"${CANARY}`,
])('masks the secret in %s', (text) => {
  const masked = redactText(text)
  expect(masked).not.toContain(CANARY)
  expect(masked).toContain(HIDDEN)
})

test('leaves what is no secret as it is', () => {
  const text =
    '{"object":"job","fields":"status,postcode","status_code":400,"message":"Please specify an object for subscription"}'
  expect(redactText(text)).toBe(text)
  expect(redactText('object=job&fields=status&mode=subscribe')).toBe('object=job&fields=status&mode=subscribe')
})

test('keeps the lengths of the specification', () => {
  const long = 'x'.repeat(10_000)
  const row = redactActivity({
    ...ACTIVITY,
    accountUuid: long,
    endpoint: long,
    method: long,
    requestData: long,
    responseData: long,
    userAgent: long,
    remoteIp: long,
    durationMs: 12.6,
  })
  expect(row.accountUuid).toHaveLength(255)
  expect(row.endpoint).toHaveLength(500)
  expect(row.method).toHaveLength(10)
  expect(row.requestData).toHaveLength(4096)
  expect(row.responseData).toHaveLength(4096)
  expect(row.userAgent).toHaveLength(500)
  expect(row.remoteIp).toHaveLength(45)
  expect(row.durationMs).toBe(13)
})

test('masks before it cuts, so that no half of a secret is left at the end', () => {
  const text = `${'x'.repeat(4080)}&token=${CANARY}`
  const row = redactActivity({ ...ACTIVITY, requestData: text })
  expect(row.requestData).not.toContain('canary')
})

test('takes a moment for the longest text somebody could send', () => {
  const hostile = '"token":"'.repeat(100_000) + '\\'.repeat(100_000) + 'a=&'.repeat(100_000)
  const before = performance.now()
  redactText(hostile)
  expect(performance.now() - before).toBeLessThan(3_000)
})
