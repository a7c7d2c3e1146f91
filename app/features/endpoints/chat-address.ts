// Chat programs accept messages only in their own format and refuse everything else. Warn users who enter such an
// address, until we support those formats.

interface ChatProgram {
  name: string
  matches(url: URL): boolean
}

const within = (host: string, domain: string) => host === domain || host.endsWith(`.${domain}`)

const PROGRAMS: readonly ChatProgram[] = [
  { name: 'Slack', matches: ({ hostname }) => hostname === 'hooks.slack.com' || hostname === 'hooks.slack-gov.com' },
  {
    name: 'Microsoft Teams',
    matches: ({ hostname, pathname }) =>
      within(hostname, 'webhook.office.com') ||
      ((hostname === 'outlook.office.com' || hostname === 'outlook.office365.com') && /^\/webhook/i.test(pathname)),
  },
  {
    name: 'Discord',
    // Discord accepts the format of another program at some addresses, but never ours.
    matches: ({ hostname, pathname }) =>
      (within(hostname, 'discord.com') || within(hostname, 'discordapp.com')) && pathname.startsWith('/api/'),
  },
]

/** Returns the chat program the address belongs to; null when it is not a known one. */
export function chatProgramOf(address: string): string | null {
  const url = URL.canParse(address) ? new URL(address) : null
  if (url === null) return null
  return PROGRAMS.find((one) => one.matches(url))?.name ?? null
}

/** Returns the warning to show at the address field; null when there is none. */
export function chatWarning(address: string): string | null {
  const name = chatProgramOf(address)
  return name === null
    ? null
    : `${name} refuses ServiceM8 events in this shape. Send them through Zapier, Make or n8n, and on to ${name} from there.`
}
