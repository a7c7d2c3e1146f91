import { createContext, type ReactNode, useContext, useId } from 'react'
import { type OwnerRights, ownerNote } from '../people.ts'

const RightsContext = createContext<OwnerRights>({ refusal: null, owners: [] })

/** For pages whose controls for owners are deep inside: cards among many. */
export const OwnerRightsProvider = RightsContext.Provider

export function useOwnerRights(): OwnerRights {
  return useContext(RightsContext)
}

interface OwnerOnlyProps {
  rights: OwnerRights
  /** What the control does: "sign everybody out". */
  act: string
  /** The control; `held` = it cannot be used before Fieldhook is opened again, and the note says so. */
  children: (held: { disabled?: true; 'aria-describedby'?: string }) => ReactNode
}

/** A control for owners: members read who can use it, an owner whose opening is too old what to do first. */
export function OwnerOnly({ rights, act, children }: OwnerOnlyProps) {
  const id = useId()
  const note = ownerNote(rights, act)
  if (note === null) return children({})
  return (
    <>
      {rights.refusal === 'fresh' ? children({ disabled: true, 'aria-describedby': id }) : null}
      <p id={id} className="mt-2 max-w-prose text-dense text-ink-soft">
        {note}
      </p>
    </>
  )
}
