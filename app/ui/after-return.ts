import { useRevalidator } from '@remix-run/react'
import { useEffect } from 'react'

/**
 * A page that comes back by the browser's Back button, as it was left or out of its cache, keeps what was typed into it; what it
 * shows is asked for again. Whoever has signed out meanwhile sees the way in and not the account.
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
