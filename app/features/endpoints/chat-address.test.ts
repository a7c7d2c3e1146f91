import { describe, expect, test } from 'vitest'
import { chatProgramOf, chatWarning } from './chat-address.ts'

describe('addresses of chat programs', () => {
  test.each([
    ['https://hooks.slack.com/services/T000/B000/xxxx', 'Slack'],
    ['https://hooks.slack.com/triggers/E0/1/abc', 'Slack'],
    ['https://HOOKS.SLACK.COM/services/T000/B000/xxxx', 'Slack'],
    ['https://hooks.slack-gov.com/services/T/B/x', 'Slack'],
    ['https://firm.webhook.office.com/webhookb2/guid/IncomingWebhook/x/y', 'Microsoft Teams'],
    ['https://outlook.office.com/webhook/guid/IncomingWebhook/x/y', 'Microsoft Teams'],
    ['https://discord.com/api/webhooks/1/token', 'Discord'],
    ['https://canary.discord.com/api/webhooks/1/token', 'Discord'],
    ['https://discordapp.com/api/webhooks/1/token', 'Discord'],
  ])('%s is one of %s', (address, name) => {
    expect(chatProgramOf(address)).toBe(name)
    expect(chatWarning(address)).toMatch(new RegExp(`^${name} refuses ServiceM8 events in this shape\\. `))
  })

  test.each([
    'https://hooks.zapier.com/hooks/catch/1/abc',
    'https://example.com/hooks.slack.com/services',
    'https://hooks.slack.com.example.com/services',
    'https://notdiscord.com/api/webhooks/1/x',
    'https://outlook.office.com/mail',
    // Workflows of Power Automate take any JSON.
    'https://prod-12.westeurope.logic.azure.com:443/workflows/abc/triggers/manual/paths/invoke',
    'not an address',
    '',
  ])('%s is none', (address) => {
    expect(chatProgramOf(address)).toBeNull()
    expect(chatWarning(address)).toBeNull()
  })
})
