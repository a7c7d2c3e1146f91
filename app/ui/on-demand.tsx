import { useEffect, useState } from 'react'

type OnDemand<T> = { part: T | null; failed: boolean }

/**
 * Loads a part of the program when it is first needed, so that pages start small. `part` is null until loaded; `failed`
 * = it cannot be loaded, and the caller needs a way without it. `load` must be the same function on every render.
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
