// A .tsx file, because only a browser knows.
import { useSyncExternalStore } from 'react'

const never = () => () => {}

/**
 * Whether the page is inside another one, such as the platform's. False on the server and in the first browser render,
 * which cannot know. Cards are entered only in their own tab.
 */
export function useFramed(): boolean {
  return useSyncExternalStore(
    never,
    () => window.top !== window.self,
    () => false,
  )
}
