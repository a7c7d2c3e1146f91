// `/documents/{token}`: anyone with this address can open the document for a while. The token is sealed (encrypted and
// authenticated), so it reveals nothing, cannot be forged, and needs no row.
import type { App } from '#app/context/app-context.ts'
import type { Millis } from '#app/lib/clock.ts'
import { days, seconds } from '#app/lib/duration.ts'
import { isUuid } from '../records/field-value.ts'

/** Long enough for a customer who returns to an e-mail. */
const LASTS = days(60)
const PLACE = 'document link'

type LinkApp = Pick<App, 'secrets' | 'settings' | 'clock'>

/** The address for downloading an attachment of the account. */
export function documentUrl(app: LinkApp, accountUuid: string, attachmentUuid: string): string {
  const expiresAt = Math.ceil((app.clock.now() + LASTS) / seconds(1)) * seconds(1)
  const token = app.secrets.direct.seal(PLACE, writeLink({ accountUuid, attachmentUuid, expiresAt }))
  return `${app.settings.origin}/documents/${token}`
}

type OpenedDocument =
  /** The file is at this address for a few minutes, without any sign-in. */
  | { outcome: 'found'; url: string }
  /** An unknown link, or one that was changed. */
  | { outcome: 'unknown' }
  | { outcome: 'expired' }
  /** Deleted at the platform. */
  | { outcome: 'gone' }
  /** The platform does not answer, or the account is no longer connected. */
  | { outcome: 'unavailable'; retryAt: Millis | null }

export async function openDocument(
  app: Pick<App, 'secrets' | 'clock' | 'callAsAccount' | 'log'>,
  token: string,
): Promise<OpenedDocument> {
  const link = readToken(app, token)
  if (!link) return { outcome: 'unknown' }
  if (link.expiresAt <= app.clock.now()) return { outcome: 'expired' }
  const answer = await app.callAsAccount(link.accountUuid, (api, access) =>
    api.fileAddress(access, link.attachmentUuid),
  )
  if (answer.outcome === 'ok') return { outcome: 'found', url: answer.value.url }
  app.log.info({ account: link.accountUuid, outcome: answer.outcome }, 'document.not_opened')
  if (answer.outcome === 'refused' && answer.status === 404) return { outcome: 'gone' }
  return { outcome: 'unavailable', retryAt: answer.outcome === 'rate_limited' ? answer.retryAt : null }
}

function readToken(app: Pick<App, 'secrets'>, token: string) {
  try {
    return readLink(app.secrets.direct.open(PLACE, token))
  } catch {
    return null
  }
}

// The content of a download address: the account, the file, and the expiry.
interface DocumentLink {
  accountUuid: string
  attachmentUuid: string
  /** Whole seconds. */
  expiresAt: Millis
}

/** Kept short, because the address may be part of a text message. */
export function writeLink({ accountUuid, attachmentUuid, expiresAt }: DocumentLink): string {
  const packed = (uuid: string) => uuid.replaceAll('-', '')
  return `${packed(accountUuid)}${packed(attachmentUuid)}${Math.round(expiresAt / seconds(1)).toString(36)}`
}

export function readLink(text: string): DocumentLink | null {
  const match = /^([0-9a-f]{32})([0-9a-f]{32})([0-9a-z]{1,9})$/i.exec(text)
  if (!match) return null
  const accountUuid = unpacked(match[1] ?? '')
  const attachmentUuid = unpacked(match[2] ?? '')
  if (!isUuid(accountUuid) || !isUuid(attachmentUuid)) return null
  return { accountUuid, attachmentUuid, expiresAt: seconds(Number.parseInt(match[3] ?? '', 36)) }
}

function unpacked(text: string): string {
  const cuts: readonly (readonly [number, number])[] = [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ]
  return cuts
    .map(([from, to]) => text.slice(from, to))
    .join('-')
    .toLowerCase()
}
