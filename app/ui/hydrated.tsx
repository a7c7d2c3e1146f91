import { useSyncExternalStore } from 'react'

const never = () => () => {}

/** False on the server and in the first browser render, then true: scripts are running. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  )
}
