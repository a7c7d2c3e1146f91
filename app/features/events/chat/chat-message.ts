// Chat programs take messages in a format of their own. For their addresses, an event becomes a message in words; every
// other address gets the event as the platform sent it.
import { SAMPLE_UUID } from '#app/domain/deliveries/delivery.ts'
import { objectLabel } from '#app/domain/object-catalog.ts'
import { type RecordName, recordName } from '#app/domain/record-name.ts'
import { isRecord, parseJson } from '#app/lib/json.ts'
import { fieldNames } from '../event.ts'
import { fieldsShown } from '../fields-shown.ts'

type ChatFormat = 'slack' | 'slack_workflow' | 'discord' | 'google_chat' | 'teams' | 'power_automate'

export interface ChatProgram {
  name: 'Slack' | 'Discord' | 'Google Chat' | 'Microsoft Teams' | 'Power Automate'
  format: ChatFormat
}

const within = (host: string, domain: string) => host === domain || host.endsWith(`.${domain}`)

const PROGRAMS: readonly (ChatProgram & { matches(url: URL): boolean })[] = [
  // Workflows of Slack take the variables their owner named, and refuse anything else.
  {
    name: 'Slack',
    format: 'slack_workflow',
    matches: ({ hostname, pathname }) => isSlack(hostname) && /^\/(triggers|workflows)\//.test(pathname),
  },
  { name: 'Slack', format: 'slack', matches: ({ hostname }) => isSlack(hostname) },
  {
    name: 'Discord',
    format: 'slack',
    matches: ({ hostname, pathname }) => isDiscord(hostname) && /^\/api\/.*\/slack\/?$/.test(pathname),
  },
  {
    name: 'Discord',
    format: 'discord',
    matches: ({ hostname, pathname }) => isDiscord(hostname) && pathname.startsWith('/api/'),
  },
  {
    name: 'Google Chat',
    format: 'google_chat',
    matches: ({ hostname, pathname }) => hostname === 'chat.googleapis.com' && pathname.startsWith('/v1/spaces/'),
  },
  {
    name: 'Microsoft Teams',
    format: 'teams',
    matches: ({ hostname, pathname }) =>
      within(hostname, 'webhook.office.com') ||
      ((hostname === 'outlook.office.com' || hostname === 'outlook.office365.com') && /^\/webhook/i.test(pathname)),
  },
  // Workflows of Teams have the same addresses as any other flow.
  {
    name: 'Power Automate',
    format: 'power_automate',
    matches: ({ hostname }) => /(^|\.)(logic\.azure\.com|logic\.azure\.us|api\.powerplatform\.com)$/.test(hostname),
  },
]

function isSlack(host: string): boolean {
  return host === 'hooks.slack.com' || host === 'hooks.slack-gov.com'
}

function isDiscord(host: string): boolean {
  return within(host, 'discord.com') || within(host, 'discordapp.com')
}

/** Returns the chat program the address belongs to; null when it is not a known one. */
export function chatProgramOf(address: string): ChatProgram | null {
  const url = URL.canParse(address) ? new URL(address) : null
  const found = url && PROGRAMS.find((one) => one.matches(url))
  return found ? { name: found.name, format: found.format } : null
}

/** What this address gets instead of the plain event, in a sentence; null for an address that gets the plain event. */
export function chatSentence(address: string): string | null {
  const program = chatProgramOf(address)
  return program && SENTENCES[program.format](program.name)
}

const SENTENCES: Record<ChatFormat, (name: string) => string> = {
  slack: (name) => `${name} gets a message in words.`,
  discord: (name) => `${name} gets a message in words.`,
  google_chat: (name) => `${name} gets a message in words.`,
  teams: (name) => `${name} gets a card in words.`,
  slack_workflow: () => 'Slack gets a message in words. Give the workflow a variable named text.',
  power_automate: () => 'The flow gets the event, with a Teams card in words.',
}

/** The record an event is about, as the event itself says; null when its text cannot be read. */
export function recordOf(body: string): { object: string; recordUuid: string } | null {
  const event = parse(body)
  if (event === null) return null
  const { object, recordUuid } = event
  return { object, recordUuid }
}

/**
 * Returns the text to send to an address: for a chat program a message in words, otherwise `body` unchanged. `name` of
 * the record, as far as it is known. Equal input gives equal text, so that a retry repeats what was sent.
 */
export function textFor(address: string, body: string, name: RecordName | null): string {
  const program = chatProgramOf(address)
  if (program === null) return body
  const event = parse(body)
  return chatText(program, event === null ? 'Something changed in ServiceM8' : inWords(event, name), event?.whole ?? {})
}

/** Returns `words` as a chat program takes them, for any other address `body`. `words` may have several lines. */
export function messageFor(address: string, words: string, body: string): string {
  const program = chatProgramOf(address)
  return program === null ? body : chatText(program, words, JSON.parse(body) as Record<string, unknown>)
}

interface EventText {
  whole: Record<string, unknown>
  object: string
  recordUuid: string
  changedFields: string[]
}

function parse(body: string): EventText | null {
  const whole = parseJson(body)
  if (!isRecord(whole)) return null
  const [entry] = Array.isArray(whole.entry) ? whole.entry : [whole.entry]
  const data = isRecord(entry) ? entry : isRecord(whole.data) ? whole.data : {}
  const kind = typeof whole.object === 'string' ? whole.object : String(whole.type ?? whole.event_type ?? '')
  return {
    whole,
    object: kind.split('.')[0]?.toLowerCase().replaceAll('_', '') ?? '',
    recordUuid: typeof data.uuid === 'string' ? data.uuid.toLowerCase() : '',
    changedFields: fieldNames(data.changed_fields),
  }
}

/** More names than this are counted: nobody reads them. */
const MOST_FIELDS = 12

/** `Job 3128 · Joan Hartley changed: status`. */
function inWords({ object, recordUuid, changedFields }: EventText, known: RecordName | null): string {
  const { what, who } = known ?? recordName(object, null)
  const named = [what || objectLabel(object) || 'Something', who].filter(Boolean).join(' · ')
  const subject = recordUuid === SAMPLE_UUID ? `Test event: ${named}` : named
  const fields = fieldsShown(changedFields).split(', ').filter(Boolean)
  if (fields.length === 0) return `${subject} changed`
  const shown = fields.slice(0, MOST_FIELDS).map((field) => field.replaceAll('_', ' '))
  const more = fields.length - shown.length
  return `${subject} changed: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** From the makers' documents: Slack cuts longer texts, Discord and Google Chat refuse them, Teams takes 28 KB with all around it. */
const LONGEST: Record<ChatFormat, number> = {
  slack: 40_000,
  slack_workflow: 40_000,
  discord: 2_000,
  google_chat: 4_000,
  teams: 5_000,
  power_automate: 5_000,
}

const asIs = (char: string) => char
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
/** Without these, no value can mention a channel or a person, or hide a link. */
const forSlack = (char: string) => ENTITIES[char] ?? char
const forDiscord = (char: string) => (/[\\*_~`|<>[\]()#@:-]/.test(char) ? `\\${char}` : char)

/** Google Chat has no way to escape its marks: what looks like them marks, links and mentions nothing. `a_b` may stay. */
const GOOGLE_MARKS = /[<>*~`]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g
const LOOKALIKES: Record<string, string> = { '<': '‹', '>': '›', '*': '∗', '~': '∼', '`': 'ˋ', _: '＿' }

/** `event` = what the address of a flow gets besides. */
function chatText({ format }: ChatProgram, words: string, event: Record<string, unknown>): string {
  const cut = (mark: (char: string) => string) => fitted(words, mark, LONGEST[format])
  switch (format) {
    case 'slack':
      return JSON.stringify({ text: cut(forSlack), mrkdwn: false, unfurl_links: false, unfurl_media: false })
    case 'slack_workflow':
      return JSON.stringify({ text: cut(forSlack) })
    case 'discord':
      // 4 = no previews of links.
      return JSON.stringify({ content: cut(forDiscord), allowed_mentions: { parse: [] }, flags: 4 })
    case 'google_chat':
      return JSON.stringify({ text: cut(asIs).replace(GOOGLE_MARKS, (mark) => LOOKALIKES[mark] ?? mark) })
    case 'teams':
      return JSON.stringify(card(cut(asIs)))
    case 'power_automate':
      return JSON.stringify({ ...card(cut(asIs)), ...event })
  }
}

/** A text run has no markup, so a value cannot bring any. */
function card(text: string) {
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.2',
    fallbackText: text,
    body: [{ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text }] }],
  }
  const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }
  return { type: 'message', attachments: [attachment] }
}

/** Escapes the text and cuts it between two characters, at most `most` long. */
function fitted(text: string, mark: (char: string) => string, most: number): string {
  let out = ''
  let cut: string | null = null
  for (const char of text) {
    const piece = mark(char)
    if (cut === null && out.length + piece.length > most - 1) cut = out
    if (out.length + piece.length > most) return `${cut ?? ''}…`
    out += piece
  }
  return out
}
