import { createContext, useContext } from 'react'
import type { OwnerRights } from '#app/domain/people.ts'

const RightsContext = createContext<OwnerRights>({ refusal: null, owners: [] })

/** Passes the owner's rights to controls deep inside the cards. */
export const OwnerRightsProvider = RightsContext.Provider

export function useOwnerRights(): OwnerRights {
  return useContext(RightsContext)
}
