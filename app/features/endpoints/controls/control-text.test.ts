import { expect, test } from 'vitest'
import { hours } from '#app/lib/duration.ts'
import { SAMPLE_NOW, SAMPLE_ZONE } from '#tests/support/sample-views.ts'
import {
  pausedFlash,
  replayStartedFlash,
  resumedFlash,
  secretFlash,
  startedFlash,
  testedFlash,
} from './control-text.ts'

test('a test tells its status, or why it failed, in the words of the specification', () => {
  expect(testedFlash({ success: true, statusCode: 204, responseTime: 31, error: null })).toEqual({
    kind: 'success',
    title: 'Test webhook sent successfully (Status: 204)',
    description: 'It took 31 ms.',
  })
  expect(
    testedFlash({ success: false, statusCode: 404, responseTime: 31, error: 'Your address answered 404.' }),
  ).toEqual({
    kind: 'error',
    title: 'Failed to send test webhook',
    description: 'Your address answered 404.',
  })
})

test.each([
  [pausedFlash(0), 'We keep events and send them when you resume.'],
  [pausedFlash(1), 'We keep events and send them when you resume. 1 event waits already.'],
  [pausedFlash(3), 'We keep events and send them when you resume. 3 events wait already.'],
  [resumedFlash(0), 'New events are sent as they arrive.'],
  [resumedFlash(3), 'The 3 waiting events are being sent, oldest first.'],
  [resumedFlash(0, 'webhook', false), 'Without an address, its events are shown here.'],
  [startedFlash(1, 0), 'The waiting event is being sent.'],
  [startedFlash(0, 1), 'The event it missed is being sent.'],
  [startedFlash(0, 12), 'The 12 events it missed are being sent.'],
  [replayStartedFlash(214, null), 'New events go first.'],
  [replayStartedFlash(214, 'webhook'), 'Resume the webhook to send them.'],
  [replayStartedFlash(1, 'rule'), 'Resume the rule to send it.'],
])('%j says how many it concerns', (flash, description) => {
  expect(flash.description).toBe(description)
})

test.each([
  [pausedFlash(0, 'rule'), 'Rule paused'],
  [resumedFlash(0, 'rule'), 'Rule resumed'],
  [startedFlash(0, 0, 'rule'), 'Rule started again'],
  [pausedFlash(0), 'Webhook paused'],
  [resumedFlash(0), 'Webhook resumed'],
  [startedFlash(0, 0), 'Webhook started again'],
  [replayStartedFlash(5, null), 'Sending 5 events again'],
  [replayStartedFlash(5, 'webhook'), '5 events wait'],
])('%j says what was pressed', (flash, title) => {
  expect(flash.title).toBe(title)
})

test('a new secret says until when the old one is good', () => {
  const { title, description } = secretFlash(SAMPLE_NOW + hours(24), SAMPLE_NOW, SAMPLE_ZONE)
  expect(title).toBe('New signing secret')
  expect(description).toContain('The old one stays valid for 24 hours, until 22 Nov, 15:12.')
})
