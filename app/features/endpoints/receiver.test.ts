import { expect, test } from 'vitest'
import { addressSentence, receiverOf } from './receiver.ts'

test.each([
  ['https://hooks.zapier.com/hooks/catch/1/abc', { name: 'Zapier', kind: 'Zapier' }],
  ['https://hook.eu2.make.com/abc', { name: 'Make', kind: 'Make' }],
  ['https://firm.app.n8n.cloud/webhook/abc', { name: 'n8n', kind: 'n8n' }],
  [
    'https://prod-12.westeurope.logic.azure.com/workflows/a/triggers/manual/paths/invoke',
    { name: 'Power Automate', kind: 'flow' },
  ],
  ['https://script.google.com/macros/s/x/exec', { name: 'Google Apps Script', kind: 'script' }],
  ['https://hooks.slack.com/services/T/B/x', { name: 'Slack', kind: 'chat' }],
  ['https://firm.webhook.office.com/webhookb2/a', { name: 'Microsoft Teams', kind: 'chat' }],
  ['https://chat.googleapis.com/v1/spaces/A/messages?key=k&token=t', { name: 'Google Chat', kind: 'chat' }],
  ['https://discord.com/api/webhooks/1/x', { name: 'Discord', kind: 'chat' }],
  ['https://hooks.zapier.com.example.com/x', null],
  ['https://example.com/in', null],
  ['', null],
])('%s is known as %j', (address, receiver) => {
  expect(receiverOf(address)).toEqual(receiver)
})

test.each([
  ['https://hooks.zapier.com/hooks/catch/1/abc', 'Events go to Zapier.'],
  ['hooks.zapier.com/hooks/catch/1/abc', 'Events go to Zapier. We add https://.'],
  [' hook.eu1.make.com/abc', 'Events go to Make. We add https://.'],
  ['firm.app.n8n.cloud/webhook/abc', 'Events go to n8n. We add https://.'],
  ['hooks.slack.com/services/T/B/x', 'Slack gets a message in words. We add https://.'],
  ['firm.webhook.office.com/webhookb2/a', 'Microsoft Teams gets a card in words. We add https://.'],
  ['discord.com/api/webhooks/1/x', 'Discord gets a message in words. We add https://.'],
  ['example.com/in', 'We add https://.'],
  ['https://example.com/in', null],
  ['http://hooks.zapier.com.example.com', null],
  ['example', null],
  ['', null],
])('of %j, while typed: %j', (typed, sentence) => {
  expect(addressSentence(typed)).toBe(sentence)
})
