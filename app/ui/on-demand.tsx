import { useEffect, useState } from 'react'

type OnDemand<T> = { part: T | null; failed: boolean }

/**
 * A part of the program that is fetched when it is first wanted, so that a page starts small.
 * `part` is null until it is there; `failed` = it cannot be fetched, and the caller needs its way without it.
 * `load` has to be the same function on every render.
 */
export function useOnDemand<T>(load: () => Promise<T>, wanted: boolean): OnDemand<T> {
  const [state, setState] = useState<OnDemand<T>>({ part: null, failed: false })
  useEffect(() => {
    if (!wanted) return
    let current = true
    load().then(
      (part) => {
        if (current) setState({ part, failed: false })
      },
      () => {
        if (current) setState({ part: null, failed: true })
      },
    )
    return () => {
      current = false
    }
  }, [load, wanted])
  return state
}
