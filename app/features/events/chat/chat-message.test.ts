import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SAMPLE_UUID } from '#app/domain/deliveries/delivery.ts'
import { recordName } from '#app/domain/record-name.ts'
import { chatProgramOf, chatSentence, messageFor, recordOf, textFor } from './chat-message.ts'

const SLACK = 'https://hooks.slack.com/services/T000/B000/xxxx'
const DISCORD = 'https://discord.com/api/webhooks/1/token'
const GOOGLE = 'https://chat.googleapis.com/v1/spaces/AAAA/messages?key=k&token=t'
const TEAMS = 'https://firm.webhook.office.com/webhookb2/guid/IncomingWebhook/x/y'
const FLOW =
  'https://default1.ab.environment.api.powerplatform.com:443/powerautomate/automations/direct/workflows/a/triggers/manual/paths/invoke?sig=x'
const EVENT = JSON.stringify({
  object: 'job',
  entry: [{ uuid: 'J-1', changed_fields: ['completion_date', 'status', 'company_uuid'], time: '2026-01-06 08:30:05' }],
  resource_url: 'https://api.servicem8.com/api_1.0/job/J-1.json',
})
const JOAN = recordName('job', {
  object: 'job',
  recordUuid: 'j-1',
  own: { generated_job_id: '3128' },
  job: null,
  company: { name: 'Joan Hartley' },
  customer: null,
})
const WORDS = 'Job 3128 · Joan Hartley changed: status, completion date'

describe('addresses of chat programs', () => {
  test.each([
    [SLACK, 'Slack', 'slack'],
    ['https://HOOKS.SLACK.COM/services/T000/B000/xxxx', 'Slack', 'slack'],
    ['https://hooks.slack-gov.com/services/T/B/x', 'Slack', 'slack'],
    ['https://hooks.slack.com/triggers/E0/1/abc', 'Slack', 'slack_workflow'],
    [TEAMS, 'Microsoft Teams', 'teams'],
    ['https://outlook.office.com/webhook/guid/IncomingWebhook/x/y', 'Microsoft Teams', 'teams'],
    [DISCORD, 'Discord', 'discord'],
    ['https://canary.discord.com/api/webhooks/1/token', 'Discord', 'discord'],
    ['https://discordapp.com/api/v10/webhooks/1/token', 'Discord', 'discord'],
    [GOOGLE, 'Google Chat', 'google_chat'],
    [`${DISCORD}/slack`, 'Discord', 'slack'],
    [FLOW, 'Power Automate', 'power_automate'],
    [
      'https://prod-12.westeurope.logic.azure.com:443/workflows/abc/triggers/manual/paths/invoke',
      'Power Automate',
      'power_automate',
    ],
  ])('%s is one of %s', (address, name, format) => {
    expect(chatProgramOf(address)).toEqual({ name, format })
    expect(chatSentence(address)).toMatch(/in words\./)
    expect(textFor(address, EVENT, JOAN)).not.toBe(EVENT)
  })

  test.each([
    'https://hooks.zapier.com/hooks/catch/1/abc',
    'https://example.com/hooks.slack.com/services',
    'https://hooks.slack.com.example.com/services',
    'https://notdiscord.com/api/webhooks/1/x',
    'https://outlook.office.com/mail',
    'https://chat.googleapis.com/other',
    'https://chat.googleapis.com.example.com/v1/spaces/A/messages',
    'not an address',
    '',
  ])('%s gets the event as it came', (address) => {
    expect(chatProgramOf(address)).toBeNull()
    expect(chatSentence(address)).toBeNull()
    expect(messageFor(address, 'Hi', EVENT)).toBe(EVENT)
    expect(textFor(address, EVENT, JOAN)).toBe(EVENT)
  })
})

describe('what they get', () => {
  test('the changed fields, also when ServiceM8 sends them as one text', () => {
    const event = { object: 'job', entry: [{ uuid: 'j-1', changed_fields: 'status, completion_date' }] }
    expect(JSON.parse(textFor(SLACK, JSON.stringify(event), JOAN)).text).toBe(WORDS)
  })

  test('Slack: text without markup', () => {
    expect(JSON.parse(textFor(SLACK, EVENT, JOAN))).toEqual({
      text: WORDS,
      mrkdwn: false,
      unfurl_links: false,
      unfurl_media: false,
    })
    expect(JSON.parse(textFor('https://hooks.slack.com/triggers/E0/1/abc', EVENT, JOAN))).toEqual({ text: WORDS })
  })

  test('Google Chat: text that mentions nobody, without markup', () => {
    const words = 'Hey <users/all>, *bold* _it_ ~no~ `code` <https://x.example|y>: a_b'
    const { text, ...more } = JSON.parse(messageFor(GOOGLE, words, '{}'))
    expect(more).toEqual({})
    expect(text).toBe('Hey ‹users/all›, ∗bold∗ ＿it＿ ∼no∼ ˋcodeˋ ‹https://x.example|y›: a_b')
    expect(JSON.parse(messageFor(GOOGLE, 'x'.repeat(9_000), '{}')).text).toHaveLength(4_000)
  })

  test('Discord: content that mentions nobody', () => {
    expect(JSON.parse(textFor(DISCORD, EVENT, JOAN))).toEqual({
      content: WORDS.replace(':', '\\:'),
      allowed_mentions: { parse: [] },
      flags: 4,
    })
  })

  test('Teams: an adaptive card', () => {
    expect(JSON.parse(textFor(TEAMS, EVENT, JOAN))).toEqual({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          contentUrl: null,
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.2',
            fallbackText: WORDS,
            body: [{ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: WORDS }] }],
          },
        },
      ],
    })
  })

  test('a flow: the whole event, and the card beside it', () => {
    const sent = JSON.parse(textFor(FLOW, EVENT, JOAN))
    expect(sent).toMatchObject(JSON.parse(EVENT))
    expect(sent.attachments[0].content.fallbackText).toBe(WORDS)
    expect(JSON.parse(messageFor(FLOW, 'Hi', '{"message":"Hi"}'))).toMatchObject({ message: 'Hi', type: 'message' })
  })

  const said = (body: string, name = JOAN) => JSON.parse(textFor(SLACK, body, name)).text
  const NOBODY = recordName('note', null)

  test('says only what is known', () => {
    expect(JSON.parse(textFor(SLACK, EVENT, null)).text).toBe('Job changed: status, completion date')
    expect(said('{"object":"note","entry":[{"uuid":"n","changed_fields":[]}]}', NOBODY)).toBe('Note changed')
    expect(said('{"object":"note","entry":[{"uuid":"n","changed_fields":7}]}', NOBODY)).toBe('Note changed')
    expect(said('no JSON')).toBe('Something changed in ServiceM8')
    expect(said('[1]')).toBe('Something changed in ServiceM8')
    expect(JSON.parse(textFor(SLACK, '{"type":"form.response_created","data":{"uuid":"f"}}', null)).text).toBe(
      'form changed',
    )
  })

  test('counts fields that nobody would read', () => {
    const changed_fields = Array.from({ length: 40 }, (_, n) => `field_${n}`)
    expect(said(JSON.stringify({ object: 'job', entry: [{ uuid: 'j', changed_fields }] }))).toMatch(
      /field 11 and 28 more$/,
    )
  })

  test('names a test event', () => {
    const body = JSON.stringify({ object: 'job', entry: [{ uuid: SAMPLE_UUID, changed_fields: ['status'] }] })
    expect(said(body, recordName('job', null))).toBe('Test event: Job changed: status')
    expect(recordOf(body)).toEqual({ object: 'job', recordUuid: SAMPLE_UUID })
    expect(recordOf('nothing')).toBeNull()
  })
})

describe('values of customers', () => {
  const EVIL = '<!channel> & <@U1> *bold* [click](https://evil.test) @everyone `code` ||x|| https://evil.test'

  test('cannot mention anybody or bring markup', () => {
    expect(JSON.parse(messageFor(SLACK, EVIL, '{}')).text).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/)
    const { content, allowed_mentions } = JSON.parse(messageFor(DISCORD, EVIL, '{}'))
    expect(content).not.toMatch(/(?<!\\)[*_~`|<>[\]()#@:-]/)
    expect(allowed_mentions).toEqual({ parse: [] })
    expect(JSON.parse(messageFor(TEAMS, EVIL, '{}')).attachments[0].content.body[0].inlines[0].text).toBe(EVIL)
  })

  test.each([
    [SLACK, 40_000, (sent: { text: string }) => sent.text],
    [DISCORD, 2_000, (sent: { content: string }) => sent.content],
  ])('%s gets at most %i characters, cut between two of them', (address, most, read) => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 50 }), fc.integer({ min: 1, max: 2_000 }), (part, times) => {
        const text = read(JSON.parse(messageFor(address, part.repeat(times), '{}')) as never)
        expect(text.length).toBeLessThanOrEqual(most)
        expect(() => encodeURIComponent(text)).not.toThrow()
        // No half of an entity, no backslash that escapes nothing.
        expect(text).not.toMatch(address === SLACK ? /&[a-z]{0,3}…$/ : /(^|[^\\])(\\\\)*\\…$/)
      }),
      { numRuns: 60 },
    )
  })

  test('a text that just fits is not cut', () => {
    expect(JSON.parse(messageFor(DISCORD, 'x'.repeat(2_000), '{}')).content).toBe('x'.repeat(2_000))
    expect(JSON.parse(messageFor(DISCORD, 'x'.repeat(2_001), '{}')).content).toBe(`${'x'.repeat(1_999)}…`)
  })
})
