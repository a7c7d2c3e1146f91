import { Notice } from './notice.tsx'
import { SignInLink } from './sign-in-again.tsx'

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
  return <SignInLink accountUUID={accountUUID}>Reconnect</SignInLink>
}
