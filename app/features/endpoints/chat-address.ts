// Chat programs take messages of their own shape and refuse everything else. Who gives such an address is told so, until we speak
// those shapes.

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
    // Where Discord itself takes the shape of another program, it still does not take ours.
    matches: ({ hostname, pathname }) =>
      (within(hostname, 'discord.com') || within(hostname, 'discordapp.com')) && pathname.startsWith('/api/'),
  },
]

/** The chat program whose address this is; null = none that is known. */
export function chatProgramOf(address: string): string | null {
  const url = URL.canParse(address) ? new URL(address) : null
  if (url === null) return null
  return PROGRAMS.find((one) => one.matches(url))?.name ?? null
}

/** What to say at the field of such an address; null = nothing. */
export function chatWarning(address: string): string | null {
  const name = chatProgramOf(address)
  return name === null
    ? null
    : `${name} refuses ServiceM8 events in this shape. Send them through Zapier, Make or n8n, and on to ${name} from there.`
}
