import { ExternalLink } from 'lucide-react'
import { signInAddress } from '#app/lib/sign-in-address.ts'
import { Notice } from './notice.tsx'
import { VisuallyHidden } from './visually-hidden.tsx'

const NOT_CONNECTED = 'ServiceM8 is no longer connected'

interface ReconnectNoticeProps {
  accountUUID: string
  title?: string
  /** One sentence. */
  reason: string
}

/** The page still shows everything; only changes and requests to ServiceM8 need the connection. */
export function ReconnectNotice({ accountUUID, title = NOT_CONNECTED, reason }: ReconnectNoticeProps) {
  return (
    <Notice tone="attention" title={title} className="mb-5">
      <p>{reason}</p>
      <ReconnectLink accountUUID={accountUUID} />
    </Notice>
  )
}

/** The control that sentences call "Reconnect": it signs in again and asks ServiceM8 for every permission. */
export function ReconnectLink({ accountUUID }: { accountUUID: string }) {
  return (
    <a
      href={signInAddress(accountUUID)}
      target="_blank"
      rel="noopener"
      className="inline-flex min-h-11 items-center gap-1.5 font-semibold underline underline-offset-4"
    >
      Reconnect
      <ExternalLink aria-hidden className="size-4" />
      <VisuallyHidden>(opens in a new tab)</VisuallyHidden>
    </a>
  )
}
