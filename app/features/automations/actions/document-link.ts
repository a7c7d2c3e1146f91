// The content of a download address: the account, the file, and the expiry.
import type { Millis } from '#app/lib/clock.ts'
import { seconds } from '#app/lib/duration.ts'
import { isUuid } from '../records/field-value.ts'

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
