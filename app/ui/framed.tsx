// Belongs to the pixels (.tsx), because only a browser knows.
import { useSyncExternalStore } from 'react'

const never = () => () => {}

/**
 * Does the page stand inside another one, such as the platform's? False on the server and for the first drawing, which cannot
 * know. Cards are entered in a tab of their own only.
 */
export function useFramed(): boolean {
  return useSyncExternalStore(
    never,
    () => window.top !== window.self,
    () => false,
  )
}
