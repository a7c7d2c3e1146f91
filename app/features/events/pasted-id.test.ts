import fc from 'fast-check'
import { v7 as timeOrderedUuid } from 'uuid'
import { expect, test } from 'vitest'
import { webhookId } from './delivering/delivery.ts'
import { readPastedId } from './pasted-id.ts'

const AT = Date.UTC(2026, 0, 5, 9, 0)
const EVENT = timeOrderedUuid({ msecs: AT })

test('a number is that of a delivery or an event', () => {
  expect(readPastedId(' 42 ')).toEqual({ kind: 'number', number: 42 })
})

test.each(['Job 42', '#42', 'job #42', 'Job#42', '"Job 42"'])('a number is read as pages write it: %s', (text) => {
  expect(readPastedId(text)).toEqual({ kind: 'number', number: 42 })
})

test.each([
  ['Job A-42', 'A-42'],
  ['Jobs 42', 'Jobs 42'],
  ['Job Smith', 'Job Smith'],
  ['Jobson2', 'Jobson2'],
  ['JOB-0042', 'JOB-0042'],
  ['JOB0042', 'JOB0042'],
  ['Job JOB-0042', 'JOB-0042'],
  ['42 Mill Lane', '42 Mill Lane'],
])('%s is the words %s', (text, words) => expect(readPastedId(text)).toEqual({ kind: 'words', words }))

test('a webhook-id names the event, when it came, and the endpoint', () => {
  const named = { kind: 'webhook_id', eventId: EVENT, receivedAt: AT, endpointId: 7 }
  expect(readPastedId(webhookId(EVENT, 7))).toEqual(named)
  expect(readPastedId(`"${webhookId(EVENT, 7).toUpperCase().replace('EVT', 'evt')}"`)).toEqual(named)
})

test('an id with the moment in it is an event or a record', () => {
  expect(readPastedId(EVENT.toUpperCase())).toEqual({ kind: 'event_or_record', eventId: EVENT, receivedAt: AT })
})

test('any other id is that of a record', () => {
  const uuid = '5F1C3A52-7a33-4f0e-9c41-2f4e7a0b1c9d'
  expect(readPastedId(uuid)).toEqual({ kind: 'record', objectUuid: uuid.toLowerCase() })
  const old = 'record.1-of-another-kind'
  expect(readPastedId(old)).toEqual({ kind: 'record', objectUuid: old })
})

test.each(['Joan', 'two words', "O'Neill & Sons", 'r-1', '<b>'])('anything short is what people say: %j', (words) =>
  expect(readPastedId(` ${words} `)).toEqual({ kind: 'words', words }),
)

test.each(['', '   ', 'x'.repeat(101), `${'9'.repeat(100)}!`])('what is too long for a name is nothing: %j', (text) =>
  expect(readPastedId(text)).toBeNull(),
)

test('whatever is pasted, nothing is thrown', () => {
  fc.assert(fc.property(fc.string(), (text) => void readPastedId(text)))
})
