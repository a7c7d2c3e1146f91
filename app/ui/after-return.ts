import { useRevalidator } from '@remix-run/react'
import { useEffect } from 'react'

/**
 * A page restored by the Back button or from the browser's cache keeps what was typed into it and reloads its data. A
 * user who has signed out meanwhile sees the sign-in, not the account.
 */
export function useFreshAfterReturn(): void {
  const { revalidate } = useRevalidator()
  useEffect(() => {
    const [opened] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
    if (opened?.type === 'back_forward') revalidate()
    const onShow = ({ persisted }: PageTransitionEvent) => {
      if (persisted) revalidate()
    }
    addEventListener('pageshow', onShow)
    return () => removeEventListener('pageshow', onShow)
  }, [revalidate])
}

/** Reloads the page's data whenever its tab is looked at again: another tab may have signed in meanwhile. */
export function useFreshWhenSeen(may = true): void {
  const { revalidate } = useRevalidator()
  useEffect(() => {
    if (!may) return
    const again = () => {
      if (document.visibilityState === 'visible') revalidate()
    }
    document.addEventListener('visibilitychange', again)
    return () => document.removeEventListener('visibilitychange', again)
  }, [may, revalidate])
}
