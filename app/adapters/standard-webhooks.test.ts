import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { newSigningSecret, signForward } from './standard-webhooks.server.ts'

const now = () => Math.floor(Date.now() / 1000)
const BODY = '{"object":"Job","entry":[{"uuid":"1","changed_fields":["status"],"time":"2026-01-05 09:00:00"}]}'

test('the independent library of the specification accepts our signature, whatever the body', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const secret = newSigningSecret()
      const body = JSON.stringify(value)
      const headers = signForward({ id: 'evt_2abc', timestampSeconds: now(), body, secrets: [secret] })
      expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
    }),
  )
})

test('it refuses a changed body, id, time and secret', () => {
  const secret = newSigningSecret()
  const headers = signForward({ id: 'evt_2abc', timestampSeconds: now(), body: BODY, secrets: [secret] })
  const receiver = new Webhook(secret)
  expect(() => receiver.verify(`${BODY} `, headers)).toThrow('No matching signature')
  expect(() => receiver.verify(BODY, { ...headers, 'webhook-id': 'evt_2abd' })).toThrow('No matching signature')
  expect(() => receiver.verify(BODY, { ...headers, 'webhook-timestamp': String(now() - 10) })).toThrow(
    'No matching signature',
  )
  expect(() => new Webhook(newSigningSecret()).verify(BODY, headers)).toThrow('No matching signature')
})

test('while one secret replaces another, receivers with either accept the forward', () => {
  const [fresh, old] = [newSigningSecret(), newSigningSecret()]
  const headers = signForward({ id: 'evt_2abc', timestampSeconds: now(), body: BODY, secrets: [fresh, old] })
  expect(headers['webhook-signature']).toMatch(/^v1,[\w+/=]{44} v1,[\w+/=]{44}$/)
  expect(new Webhook(fresh).verify(BODY, headers)).toEqual(JSON.parse(BODY))
  expect(new Webhook(old).verify(BODY, headers)).toEqual(JSON.parse(BODY))
})

test('the headers are the same for the same forward', () => {
  const forward = { id: 'evt_2abc', timestampSeconds: 1_767_603_600, body: BODY, secrets: [`whsec_${'A'.repeat(43)}=`] }
  expect(signForward(forward)).toEqual(signForward(forward))
  expect(signForward(forward)).toMatchObject({ 'webhook-id': 'evt_2abc', 'webhook-timestamp': '1767603600' })
})

/** How many signatures a forward with this secret alone has. */
function signaturesBy(secret: string): number {
  const headers = signForward({ id: 'a', timestampSeconds: 1, body: '', secrets: [secret] })
  return headers['webhook-signature'].split(' ').length
}

test('new secrets differ, and are what the specification asks for', () => {
  const secrets = Array.from({ length: 100 }, newSigningSecret)
  expect(new Set(secrets).size).toBe(100)
  expect(secrets.map(signaturesBy)).toEqual(secrets.map(() => 1))
  for (const secret of secrets) expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32)
})

test.each([[24], [32], [64]])('a secret of %i bytes is one', (bytes) => {
  expect(signaturesBy(`whsec_${randomBytes(bytes).toString('base64')}`)).toBe(1)
})

test.each([
  [`whsec_${randomBytes(23).toString('base64')}`],
  [`whsec_${randomBytes(65).toString('base64')}`],
  [randomBytes(32).toString('base64')],
  [`whsek_${randomBytes(32).toString('base64')}`],
  [`whsec_${'*'.repeat(44)}`],
  ['whsec_'],
])('%s is no secret, and nothing is signed with it', (secret) => {
  expect(() => signForward({ id: 'a', timestampSeconds: 1, body: '', secrets: [newSigningSecret(), secret] })).toThrow(
    '24 to 64 bytes',
  )
})

test('an id that would make the signed text ambiguous, a broken time, and no secret at all are refused', () => {
  const secrets = [newSigningSecret()]
  expect(() => signForward({ id: 'a.1', timestampSeconds: 1, body: '', secrets })).toThrow('webhook-id')
  expect(() => signForward({ id: 'a', timestampSeconds: 1.5, body: '', secrets })).toThrow('webhook-timestamp')
  expect(() => signForward({ id: 'a', timestampSeconds: -1, body: '', secrets })).toThrow('webhook-timestamp')
  expect(signForward({ id: 'a', timestampSeconds: 0, body: '', secrets })['webhook-timestamp']).toBe('0')
  expect(() => signForward({ id: 'a', timestampSeconds: 1, body: '', secrets: [] })).toThrow('at least one')
})
