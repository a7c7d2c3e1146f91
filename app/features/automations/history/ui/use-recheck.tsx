import { useRevalidator } from '@remix-run/react'
import { useEffect, useRef } from 'react'
import { seconds } from '#app/lib/duration.ts'

const LOOK_AGAIN_MS = seconds(3)

/** Refreshes the page while a run on it is in progress. */
export function useRecheck(isLive: boolean): void {
  const { revalidate } = useRevalidator()
  const again = useRef(revalidate)
  again.current = revalidate
  useEffect(() => {
    if (!isLive) return
    const timer = setInterval(() => {
      // A failed answer would replace the page.
      if (!document.hidden && navigator.onLine) again.current()
    }, LOOK_AGAIN_MS)
    return () => clearInterval(timer)
  }, [isLive])
}
