import { clsx } from 'clsx'
import { ExternalLink } from 'lucide-react'
import type { ReactNode } from 'react'
import { signInAddress } from '#app/lib/sign-in-address.ts'
import { useFreshWhenSeen } from './after-return.ts'
import { useFramed } from './framed.tsx'
import { VisuallyHidden } from './visually-hidden.tsx'

/**
 * The other way to a fresh proof, besides opening the add-on from ServiceM8. Hidden in its frame: a tab's sign-in never
 * reaches the frame. This page refreshes when the user returns from the new tab.
 */
export function SignInAgain({ accountUUID }: { accountUUID: string }) {
  const framed = useFramed()
  useFreshWhenSeen()
  if (framed) return null
  return (
    <SignInLink accountUUID={accountUUID} className={clsx(linkStyles, 'text-dense')}>
      Or sign in again
    </SignInLink>
  )
}

interface SignInLinkProps {
  accountUUID: string
  className?: string
  /** Read out before what the link opens; ends with a space. */
  note?: string
  children: ReactNode
}

const linkStyles = 'inline-flex min-h-11 items-center gap-1.5 font-semibold underline underline-offset-4'

/** Signs in at ServiceM8, in a new tab. */
export function SignInLink({ accountUUID, className = linkStyles, note, children }: SignInLinkProps) {
  return (
    <a href={signInAddress(accountUUID)} target="_blank" rel="noopener" className={className}>
      {children}
      <ExternalLink aria-hidden className="size-4" />
      <VisuallyHidden>{note}(opens in a new tab)</VisuallyHidden>
    </a>
  )
}
