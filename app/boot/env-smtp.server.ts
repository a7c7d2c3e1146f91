// The variables for the operator's own mail server.

interface SmtpEnv {
  url: string
  from: string
}

const ADDRESS = /^[^\s@<>,;"()[\]\\]+@[^\s@<>,;"()[\]\\.]+(\.[^\s@<>,;"()[\]\\.]+)*$/

/** Null = no mail server is set. */
export function readSmtp(
  { SMTP_URL: url, SMTP_FROM: from }: { SMTP_URL?: string | undefined; SMTP_FROM?: string | undefined },
  problems: string[],
): SmtpEnv | null {
  if (!url) {
    if (from) problems.push('SMTP_FROM is set but SMTP_URL is not: set both, or neither.')
    return null
  }
  if (!isSmtpUrl(url)) {
    problems.push('SMTP_URL must be like smtp://user:password@mail.example.com:587 or smtps://mail.example.com.')
  }
  if (!from || from.length > 254 || !ADDRESS.test(from)) {
    problems.push('SMTP_FROM must be one e-mail address, such as fieldhook@example.com: it is the sender of notices.')
  }
  return { url, from: from ?? '' }
}

function isSmtpUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || (url.protocol !== 'smtp:' && url.protocol !== 'smtps:')) return false
  return url.hostname !== '' && (url.pathname === '' || url.pathname === '/') && url.search === '' && url.hash === ''
}
