import { expect, test } from 'vitest'
import type { Step } from '#app/domain/automations/rule.ts'
import { chatWarningsOf } from './rules.server.ts'

const notify = (url: string): Step => ({
  id: 's1',
  type: 'send_notification',
  parameters: { message: 'Hi', url },
  waitForPrevious: false,
})

test('saving a rule that calls a chat program says so once, and is silent about other addresses', () => {
  const slack = 'https://hooks.slack.com/services/T0/B0/x'
  const steps = [notify(slack), notify(` ${slack} `), notify('https://hooks.example.com/x'), notify('')]
  expect(chatWarningsOf({ steps })).toEqual([
    'Slack refuses ServiceM8 events in this shape. Send them through Zapier, Make or n8n, and on to Slack from there.',
  ])
  expect(chatWarningsOf({ steps: [{ ...notify(slack), type: 'create_task' }] })).toEqual([])
})
