import { useLocation } from '@remix-run/react'
import { ExternalLink, Info, RefreshCw } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { signInAddress } from '#app/lib/sign-in-address.ts'
import { useFreshWhenSeen } from '#app/ui/after-return.ts'
import { Button, buttonStyles, ReloadLink } from '#app/ui/button.tsx'
import { cardStyles } from '#app/ui/card.tsx'
import { useFramed } from '#app/ui/framed.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { Mark } from '#app/ui/page/app-frame.tsx'
import { usePlainFlash } from '#app/ui/toast/toast.tsx'
import { VisuallyHidden } from '#app/ui/visually-hidden.tsx'
import { type GateState, placeBehindGate } from '../gate.ts'

export interface GateProps {
  state: GateState
  /** The account as the URL names it; '' when it names none. */
  accountUUID: string
  /** Passed on to the sign-in; '' when the URL has none. */
  token: string
  /** The session has the account; only its connection is missing. */
  proved: boolean
  /** An earlier problem, e.g. why the last sign-in failed. */
  problem?: string
  /** Shown once when the gate appears; as a toast with scripts. */
  greeting?: string | null
  /** About what was typed on the page before the session ended. */
  kept?: ReactNode
}

export const PLATFORM_NAME = 'ServiceM8'

const NOTE = 'Complete sign-in in the new tab, then refresh this page.'
/** After a form or another press that was refused: a refresh would bring a form back empty. */
const BACK = 'Complete sign-in in the new tab. Then press Back to where you were.'

/** Replaces every page until the user has signed in. */
export function GateCard({ state, accountUUID, token, proved, problem, greeting, kept }: GateProps) {
  // A tab's sign-in never reaches the frame: without a session there, it would ask for ever.
  const reopen = useFramed() && !proved && state !== 'no_account'
  const place = placeBehindGate(useLocation().pathname)
  const [clicked, setClicked] = useState(false)
  const shown = reopen ? null : state === 'ready' && clicked ? 'opened' : state
  return (
    <section aria-labelledby="gate-title" className={`${cardStyles} mx-auto grid max-w-md gap-5 p-6 sm:mt-10 sm:p-8`}>
      <Mark className="size-11" />
      <div className="grid gap-2">
        <h1 id="gate-title" className="font-semibold text-display">
          Connect to {PLATFORM_NAME}
        </h1>
        <p className="text-balance text-ink-soft">
          {reopen
            ? 'Open Fieldhook from ServiceM8 again.'
            : 'Sign in to manage webhooks and receive real-time updates.'}
        </p>
      </div>
      {problem ? <Notice tone="failing">{problem}</Notice> : null}
      {greeting ? (
        <div className="without-script">
          <Notice tone="accent">{greeting}</Notice>
        </div>
      ) : null}
      {shown === 'no_account' ? null : (
        <div className="text-label empty:hidden">
          {place === null || reopen ? null : (
            <p>
              Sign in to continue to <strong className="font-semibold">{place}</strong>.
            </p>
          )}
          {kept}
        </div>
      )}
      {shown === 'no_account' ? <NoAccount /> : null}
      {shown === 'ready' ? (
        <Ready accountUUID={accountUUID} token={token} proved={proved} onOpen={() => setClicked(true)} />
      ) : null}
      {shown === 'opened' ? <Opened accountUUID={accountUUID} token={token} moveFocus={clicked} /> : null}
    </section>
  )
}

function NoAccount() {
  return (
    <div className="grid gap-3">
      <p className="font-semibold">Open Fieldhook from inside ServiceM8.</p>
      <Button variant="secondary" size="wide" disabled aria-describedby="gate-why">
        Please close this page
      </Button>
      <p id="gate-why" className="text-dense text-ink-soft">
        No account context provided. Please close this page and access through the proper integration with the platform.
      </p>
    </div>
  )
}

type ReadyProps = Pick<GateProps, 'accountUUID' | 'token' | 'proved'> & { onOpen: () => void }

function Ready({ accountUUID, token, proved, onOpen }: ReadyProps) {
  const typed = usePlainFlash()?.typed
  return (
    <div className="grid gap-3">
      <SignInLink accountUUID={accountUUID} token={token} onOpen={onOpen} />
      <p className="text-label text-ink-soft">
        {PLATFORM_NAME} opens in a new tab and asks for your permission. You can revoke it at any time.
      </p>
      <div className="without-script grid gap-3">
        <p className="text-label">{typed ? BACK : NOTE}</p>
        {proved ? null : <p className="text-label">Inside ServiceM8, open Fieldhook again instead.</p>}
        {typed ? null : <RefreshLink variant="secondary" />}
      </div>
    </div>
  )
}

interface SignInLinkProps {
  accountUUID: string
  token: string
  onOpen?: () => void
  again?: boolean
}

function SignInLink({ accountUUID, token, onOpen, again = false }: SignInLinkProps) {
  return (
    <a
      href={signInAddress(accountUUID, token)}
      target="_blank"
      rel="noopener"
      onClick={onOpen}
      className={buttonStyles({ variant: again ? 'quiet' : 'primary', size: 'wide' })}
    >
      {again ? 'Open sign-in again' : `Sign in with ${PLATFORM_NAME}`}
      <ExternalLink aria-hidden className="size-4" />
      <VisuallyHidden>(opens in a new tab)</VisuallyHidden>
    </a>
  )
}

function RefreshLink({ variant }: { variant: 'primary' | 'secondary' }) {
  return (
    <ReloadLink variant={variant} size="wide" icon={RefreshCw}>
      Refresh
    </ReloadLink>
  )
}

function Opened({ accountUUID, token, moveFocus }: { accountUUID: string; token: string; moveFocus: boolean }) {
  const note = useRef<HTMLDivElement>(null)
  // This note has just replaced the focused link.
  useEffect(() => {
    if (moveFocus) note.current?.focus()
  }, [moveFocus])
  // Coming back from the sign-in opens the page again, as it was.
  useFreshWhenSeen()
  return (
    <div className="grid gap-3">
      <div
        ref={note}
        tabIndex={-1}
        className="flex items-start gap-2.5 rounded-control bg-accent-soft px-3.5 py-3 text-accent"
      >
        <Info aria-hidden className="mt-1 size-4 shrink-0" />
        <p>{NOTE}</p>
      </div>
      <RefreshLink variant="primary" />
      <SignInLink accountUUID={accountUUID} token={token} again />
    </div>
  )
}
