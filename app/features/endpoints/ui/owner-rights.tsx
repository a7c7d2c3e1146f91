import { createContext, useContext } from 'react'
import type { OwnerRights } from '#app/domain/people.ts'

const RightsContext = createContext<OwnerRights>({ refusal: null, owners: [] })

/** For the cards, whose controls for owners are deep inside. */
export const OwnerRightsProvider = RightsContext.Provider

export function useOwnerRights(): OwnerRights {
  return useContext(RightsContext)
}
