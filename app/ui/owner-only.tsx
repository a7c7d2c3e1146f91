import { type ReactNode, useId } from 'react'
import { SignInAgain } from './sign-in-again.tsx'

interface OwnerOnlyProps {
  accountUUID: string
  /** Who can use the control, or what to do first; null = it can be used. */
  note: string | null
  /** Stays visible although it cannot be used yet. */
  held: boolean
  children: (held: { disabled?: true; 'aria-describedby'?: string }) => ReactNode
}

/** A control for owners: members read who can use it; an owner with an outdated proof reads what to do first. */
export function OwnerOnly({ accountUUID, note, held, children }: OwnerOnlyProps) {
  const id = useId()
  if (note === null) return children({})
  return (
    <>
      {held ? children({ disabled: true, 'aria-describedby': id }) : null}
      <p id={id} className="mt-2 max-w-prose text-dense text-ink-soft">
        {note}
      </p>
      {held ? <SignInAgain accountUUID={accountUUID} /> : null}
    </>
  )
}
