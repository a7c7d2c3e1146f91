import { CircleCheck, ExternalLink, Unplug } from 'lucide-react'
import type { Millis } from '#app/lib/clock.ts'
import { signInAddress } from '#app/lib/sign-in-address.ts'
import { StatusPill } from '#app/ui/badge.tsx'
import { buttonStyles } from '#app/ui/button.tsx'
import { CardSection } from '#app/ui/card.tsx'
import { Disclosure } from '#app/ui/disclosure.tsx'
import { Time } from '#app/ui/time/time.tsx'
import { VisuallyHidden } from '#app/ui/visually-hidden.tsx'

export interface ConnectionOfPage {
  state: 'connected' | 'reconnect'
  since: Millis
  scopes: string[]
}

/** Shows whether ServiceM8 still accepts the connection, since when, and its permissions. */
export function ConnectionCard({
  connection,
  accountUUID,
}: {
  connection: ConnectionOfPage | null
  accountUUID: string
}) {
  const works = connection?.state === 'connected'
  return (
    <CardSection
      id="connection"
      title="Connection to ServiceM8"
      action={
        works ? (
          <StatusPill tone="working" icon={CircleCheck}>
            Connected
          </StatusPill>
        ) : (
          <StatusPill tone="failing" icon={Unplug}>
            Not connected
          </StatusPill>
        )
      }
    >
      {connection === null ? null : (
        <p className="text-label text-ink-soft">
          First connected <Time at={connection.since} />.
          {works ? null : ' ServiceM8 ended it. Sign in again to continue.'}
        </p>
      )}
      {connection && connection.scopes.length > 0 ? (
        <Disclosure summary={`What ServiceM8 allows (${connection.scopes.length})`}>
          <ul className="grid gap-1 text-dense text-ink-soft sm:grid-cols-2">
            {connection.scopes.map((scope) => (
              <li key={scope} className="wrap-anywhere font-mono">
                {scope}
              </li>
            ))}
          </ul>
        </Disclosure>
      ) : null}
      <p className="mt-2">
        <a
          href={signInAddress(accountUUID)}
          target="_blank"
          rel="noopener"
          className={buttonStyles({ variant: works ? 'secondary' : 'primary' })}
        >
          Connect again
          <ExternalLink aria-hidden className="size-4" />
          <VisuallyHidden>(opens in a new tab)</VisuallyHidden>
        </a>
      </p>
    </CardSection>
  )
}
