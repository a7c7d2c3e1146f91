import { ExternalLink } from 'lucide-react'
import { Notice } from './notice.tsx'
import { VisuallyHidden } from './visually-hidden.tsx'

/** The page still shows everything; only what changes or asks ServiceM8 needs the connection. `reason`: one sentence. */
export function ReconnectNotice({ accountUUID, reason }: { accountUUID: string; reason: string }) {
  return (
    <Notice tone="attention" title="ServiceM8 is no longer connected" className="mb-5">
      <p>{reason}</p>
      <a
        href={`/api/oauth/authorize?${new URLSearchParams({ accountuuid: accountUUID })}`}
        target="_blank"
        rel="noopener"
        className="inline-flex min-h-11 items-center gap-1.5 font-semibold underline underline-offset-4"
      >
        Sign in again
        <ExternalLink aria-hidden className="size-4" />
        <VisuallyHidden>(opens in a new tab)</VisuallyHidden>
      </a>
    </Notice>
  )
}
