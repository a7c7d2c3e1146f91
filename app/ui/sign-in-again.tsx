import { ExternalLink } from 'lucide-react'
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
    <a
      href={signInAddress(accountUUID)}
      target="_blank"
      rel="noopener"
      className="inline-flex min-h-11 items-center gap-1.5 font-semibold text-dense underline underline-offset-4"
    >
      Or sign in again
      <ExternalLink aria-hidden className="size-4" />
      <VisuallyHidden>(opens in a new tab)</VisuallyHidden>
    </a>
  )
}
